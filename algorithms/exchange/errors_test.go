package exchange_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
	"hcclsim/algorithms/proof"
)

// right is a file without faults: gpu 1 adds its half to that of gpu 0 and sends the sum
// back.
const right = `<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1" outofplace="0" minBytes="0" maxBytes="0">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="1" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="rrcs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
`

func read(text string) (*exchange.Algorithm, error) {
	return exchange.Read("f.xml", strings.NewReader(text))
}

func TestRight(t *testing.T) {
	a, err := read(right)
	if err != nil {
		t.Fatal(err)
	}
	proveAll(t, a)
}

// TestBroken breaks the file in many ways.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           string
	}{
		{"an unknown type", `type="rrcs"`, `type="rrcbd"`,
			`f.xml:12:19: type is "rrcbd": expected one of s, r, rcs, rrs, rrc, rrcs, cpy, re, nop`},
		{"an unknown buffer", `type="r" srcbuf="i"`, `type="r" srcbuf="x"`,
			`f.xml:7:28: srcbuf is "x": expected one of i, o, s`},
		{"a missing attribute", ` cnt="2" depid="0"`, ` depid="0"`,
			`f.xml:7:7: element step has no attribute cnt: expected one`},
		{"an unknown attribute", `recv="-1" chan="0"`, `recv="-1" chan="0" warps="4"`,
			`f.xml:3:44: element tb has an unknown attribute warps: expected id, send, recv, chan`},
		{"an attribute twice", `type="r"`, `type="r" type="s"`,
			`f.xml:7:7: element step has attribute type twice`},
		{"no number", `depid="0" deps="0"`, `depid="zero" deps="0"`,
			`f.xml:7:80: depid is "zero": expected a whole number from -1 to 1048576`},
		{"an unknown element", `<tb id="1"`, `<block/><tb id="1"`,
			`f.xml:6:5: element block in element gpu: expected tb`},
		{"an element in a step", `hasdep="1"/>`, `hasdep="1"><dep/></step>`,
			`f.xml:4:112: element dep in element step: expected none inside it`},
		{"text", `  </gpu>
  <gpu id="1"`, `  </gpu>
  then <gpu id="1"`,
			`f.xml:10:3: text between elements: expected elements only`},
		{"an element that is not closed", `    </tb>
  </gpu>
</algo>`, `  </gpu>
</algo>`,
			`f.xml:13:9: not XML: line 13: element <tb> closed by </gpu>`},
		{"another protocol", `proto="Simple"`, `proto="simple"`,
			`f.xml:1:19: proto is "simple": expected one of LL, LL128, Simple`},
		{"a custom collective", `coll="allreduce"`, `coll="custom"`,
			`f.xml:1:77: coll is custom: the file does not say what such a collective promises, so that nothing can be proved of it; expected one of allreduce, allgather, reducescatter, broadcast, reduce, scatter, gather, alltoall`},
		{"blocks of unknown sizes", `coll="allreduce"`, `coll="alltoallv"`,
			`f.xml:1:77: coll is alltoallv: the file does not say how large the blocks are; expected one of allreduce, allgather, reducescatter, broadcast, reduce, scatter, gather, alltoall`},
		{"an unknown collective", `coll="allreduce"`, `coll="allreduse"`,
			`f.xml:1:77: coll is "allreduse": expected one of allreduce, allgather, reducescatter, broadcast, reduce, scatter, gather, alltoall`},
		{"a collective without a name", `coll="allreduce"`, `coll=""`,
			`f.xml:1:77: coll is "": expected one of allreduce, allgather, reducescatter, broadcast, reduce, scatter, gather, alltoall`},
		{"buffers of no kind", `inplace="1"`, `inplace="0"`,
			`f.xml:1:94: inplace="0" outofplace="0": expected one of them to be 1`},
		{"chunks that cannot be dealt out", `nchunksperloop="2" ngpus="2" coll="allreduce"`, `nchunksperloop="3" ngpus="2" coll="allgather"`,
			`f.xml:1:48: nchunksperloop is 3: expected a multiple of the 2 gpus of an allgather`},
		{"blocks that cannot be equal", `nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1" outofplace="0"`, `nchunksperloop="3" ngpus="2" coll="alltoall" inplace="0" outofplace="1"`,
			`f.xml:1:48: nchunksperloop is 3: expected a multiple of the 2 gpus of an alltoall`},
		{"more slices than there are numbers", `nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1" outofplace="0"`, `nchunksperloop="1048576" ngpus="16384" coll="alltoall" inplace="0" outofplace="1"`,
			`f.xml:1:48: nchunksperloop is 1048576: an alltoall of 16384 gpus can have at most 16384`},
		{"an alltoall in place", `coll="allreduce"`, `coll="alltoall"`,
			`f.xml:1:93: inplace="1": alltoall cannot be in place`},
		{"too many chunks", `gpu id="1" i_chunks="2"`, `gpu id="1" i_chunks="3"`,
			`f.xml:10:15: i_chunks is 3: an allreduce of 2 gpus in 2 chunks has at most 2`},
		{"a gpu that is missing", `ngpus="2"`, `ngpus="3"`,
			`f.xml:16:1: gpu 2 is missing: expected gpus 0 to 2`},
		{"a gpu twice", `gpu id="1"`, `gpu id="0"`,
			`f.xml:10:3: gpu 0 again: it is in line 2`},
		{"a peer that does not exist", `<tb id="0" send="1"`, `<tb id="0" send="2"`,
			`f.xml:3:16: send is "2": expected a whole number from -1 to 1`},
		{"oneself for a peer", `<tb id="0" send="1"`, `<tb id="0" send="0"`,
			`f.xml:3:5: tb 0 of gpu 0 has its own gpu for a peer: expected another one, or -1`},
		{"thread blocks out of order", `<tb id="1"`, `<tb id="2"`,
			`f.xml:6:9: tb id is 2: expected 1, ids count from 0`},
		{"steps out of order", `s="0" type="r"`, `s="1" type="r"`,
			`f.xml:7:13: step 1: expected 0, steps count from 0`},
		{"a channel that does not exist", `send="1" recv="-1" chan="0"`, `send="1" recv="-1" chan="1"`,
			`f.xml:3:35: chan is "1": expected a whole number from 0 to 0`},
		{"sending to nobody", `<tb id="0" send="1"`, `<tb id="0" send="-1"`,
			`f.xml:4:7: step 0 is s, which sends, but its tb has send="-1": expected a peer`},
		{"receiving from nobody", `send="-1" recv="1"`, `send="-1" recv="-1"`,
			`f.xml:7:7: step 0 is r, which receives, but its tb has recv="-1": expected a peer`},
		{"chunks that do not exist", `type="s" srcbuf="i" srcoff="0"`, `type="s" srcbuf="i" srcoff="1"`,
			`f.xml:4:7: src names chunks 1 to 2 of i, of which the gpu has 2 (i_chunks)`},
		{"a buffer that is not there", `srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0"`, `srcoff="0" dstbuf="s" dstoff="0" cnt="2" depid="0"`,
			`f.xml:7:7: dst names chunks 0 to 1 of s, of which the gpu has 0 (s_chunks)`},
		{"nothing", `cnt="2" depid="0"`, `cnt="0" depid="0"`,
			`f.xml:7:7: r has cnt="0": expected at least 1`},
		{"a dependency on a tb that does not exist", `depid="0" deps="0"`, `depid="7" deps="0"`,
			`f.xml:7:7: waits for tb 7, which the gpu does not have: expected 0 to 1`},
		{"a dependency on a step that does not exist", `depid="0" deps="0"`, `depid="0" deps="3"`,
			`f.xml:7:7: waits for step 3 of tb 0, which has 1 steps`},
		{"a dependency on no step", `depid="0" deps="0"`, `depid="0" deps="-1"`,
			`f.xml:7:7: waits for tb 0 (depid) but for no step of it (deps): expected a step`},
		{"a dependency on oneself", `depid="0" deps="0"`, `depid="1" deps="0"`,
			`f.xml:7:7: waits for step 0 of its own tb, which is not before it`},
		{"a dependency that nobody tells of", `hasdep="1"`, `hasdep="0"`,
			`f.xml:7:7: waits for step 0 of tb 0, which tells nobody: expected hasdep="1" there or behind it`},
		{"numbers of chunks that differ", `srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"`, `srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"`,
			`f.xml:4:7: step 0 of tb 0 sends 1 chunks from gpu 0 to gpu 1 on channel 0: line 12 receives 2`},
		{"what nobody receives", `    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"/>
    </tb>
`, ``,
			`f.xml:9:7: step 0 of tb 0 sends from gpu 1 to gpu 0 on channel 0, which does not receive it`},
		{"what nobody sends", `type="rrcs"`, `type="rrc"`,
			`f.xml:7:7: step 0 of tb 1 receives from gpu 1 to gpu 0 on channel 0, which sends nothing for it`},
		{"two thread blocks of one connection", `  </gpu>
  <gpu id="1"`, `    <tb id="2" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1"`,
			`f.xml:9:5: tb 2 receives from gpu 1 to gpu 0 on channel 0, as tb 1 does: their order is not defined`},
		{"writing to the input", `outofplace="0"`, `outofplace="1"`,
			`f.xml:7:7: r writes to buffer i, the input: expected o or s, as the algorithm is for buffers out of place too
f.xml:12:7: rrcs writes to buffer i, the input: expected o or s, as the algorithm is for buffers out of place too`},
		{"a deadlock in a gpu", `type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"`, `type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="1" deps="0" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="1"`,
			`f.xml:4:7: deadlock: step 0 of tb 0 waits for step 0 of tb 1 (line 7), which waits for it`},
		{"a deadlock between gpus", `type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"`, `type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"`,
			`f.xml:4:7: deadlock: gpu 0 tb 0 step 0 waits for gpu 0 tb 1 step 0 waits for gpu 1 tb 0 step 0 waits for gpu 0 tb 0 step 0`},
		{"several faults", `id="1" send="-1" recv="1"`, `id="1" send="-2" recv="9"`,
			`f.xml:6:16: send is "-2": expected a whole number from -1 to 1
f.xml:6:26: recv is "9": expected a whole number from -1 to 1`},
		{"no file", right, "", `f.xml:1:1: no element algo: expected one`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(right, c.old) == 0 {
				t.Fatal("the file has no such text")
			}
			_, err := read(strings.Replace(right, c.old, c.new, 1))
			if err == nil || err.Error() != c.want {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
			var all exchange.Errors
			if !errors.As(err, &all) {
				t.Errorf("%T is no list of errors", err)
			}
		})
	}
}

// TestUnproved: a file may be well formed and wrong. The proof says so.
func TestUnproved(t *testing.T) {
	a, err := read(strings.Replace(right, `type="rrcs"`, `type="rcs"`, 1))
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Schedule(requests(a)[0])
	if err != nil {
		t.Fatal(err)
	}
	want := "f.xml allreduce of 2 ranks: rank 0 ends with slice 0 of data without the contribution of rank 1"
	if _, err := proof.Check(s); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestRequests: a file is for one collective, one number of ranks, and its own buffers.
func TestRequests(t *testing.T) {
	a, err := read(right)
	if err != nil {
		t.Fatal(err)
	}
	good := requests(a)[0]
	for _, c := range []struct {
		change func(r *algorithms.Request)
		want   string
	}{
		{func(r *algorithms.Request) { r.Collective = algorithms.AllGather }, "f.xml: the file is an allreduce: expected one of allgather"},
		{func(r *algorithms.Request) { r.Groups = []int{2, 1} }, "f.xml: the file is for 2 gpus: expected one for 3 ranks"},
		{func(r *algorithms.Request) { r.Bytes = 7 }, "f.xml: 7 bytes are not whole elements of 4 bytes"},
		{func(r *algorithms.Request) { r.InPlace = false }, `f.xml: the file is only for buffers in place (outofplace="0")`},
	} {
		r := good
		c.change(&r)
		if _, err := a.Schedule(r); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestUneven: chunks that change places must have one size.
func TestUneven(t *testing.T) {
	swapped := strings.ReplaceAll(right, `type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2"`, `type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="1" cnt="1"`)
	swapped = strings.ReplaceAll(swapped, `cnt="2"`, `cnt="1"`)
	a, err := read(swapped)
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Schedule(algorithms.Request{Collective: a.Collective, Groups: []int{2}, Bytes: 20, Elem: 4, InPlace: true})
	want := "f.xml: 20 bytes: expected a multiple of 8 bytes: chunks pass through the places of others, so that all must be equal"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// FuzzRead: whatever is read, there is no panic; every error has a place; and what is read
// can be made a schedule that the prover looks at.
func FuzzRead(f *testing.F) {
	f.Add([]byte(right))
	paths, err := filepath.Glob("testdata/*.xml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := exchange.Read("f.xml", bytes.NewReader(text))
		if err != nil {
			var all exchange.Errors
			if !errors.As(err, &all) || len(all) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			for _, e := range all {
				if e.File != "f.xml" || e.Line < 1 || e.Column < 1 || e.Line > 1+bytes.Count(text, []byte("\n")) {
					t.Errorf("no place in the file: %v", e)
				}
			}
			return
		}
		if a.ChunksPerLoop > 1<<10 || a.Ranks > 1<<6 {
			return
		}
		for _, r := range requests(a) {
			if s, err := a.Schedule(r); err == nil {
				proof.Check(s) // may well find something
			}
		}
	})
}

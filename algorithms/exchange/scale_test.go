package exchange_test

import (
	"bytes"
	"fmt"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
)

// direct is an AlltoAll in which every gpu has a thread block for each peer.
func direct(gpus int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<algo name="direct" proto="Simple" nchannels="1" nchunksperloop="%d" ngpus="%d" coll="alltoall" inplace="0" outofplace="1" minBytes="0" maxBytes="0">`, gpus, gpus)
	for g := range gpus {
		fmt.Fprintf(&b, `<gpu id="%d" i_chunks="%d" o_chunks="%d" s_chunks="0">`, g, gpus, gpus)
		for peer := range gpus {
			if peer == g {
				fmt.Fprintf(&b, `<tb id="%d" send="-1" recv="-1" chan="0"><step s="0" type="cpy" srcbuf="i" srcoff="%d" dstbuf="o" dstoff="%d" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>`, peer, g, g)
				continue
			}
			fmt.Fprintf(&b, `<tb id="%d" send="%d" recv="%d" chan="0">`, peer, peer, peer)
			fmt.Fprintf(&b, `<step s="0" type="s" srcbuf="i" srcoff="%d" dstbuf="o" dstoff="%d" cnt="1" depid="-1" deps="-1" hasdep="0"/>`, peer, g)
			fmt.Fprintf(&b, `<step s="1" type="r" srcbuf="i" srcoff="%d" dstbuf="o" dstoff="%d" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>`, g, peer)
		}
		fmt.Fprint(&b, `</gpu>`)
	}
	fmt.Fprint(&b, `</algo>`)
	return b.Bytes()
}

// TestLarge proves a file of thousands of steps.
func TestLarge(t *testing.T) {
	a, err := exchange.Read("direct.xml", bytes.NewReader(direct(64)))
	if err != nil {
		t.Fatal(err)
	}
	if want := 64 * (2*63 + 1); a.Steps != want {
		t.Errorf("%d steps, want %d", a.Steps, want)
	}
	s, err := a.Schedule(algorithms.Request{Collective: algorithms.AlltoAll, Groups: []int{64}, Bytes: 64 * 4, Elem: 4})
	if err != nil {
		t.Fatal(err)
	}
	if n := prove(t, s); n.Messages != 64*64 {
		t.Errorf("%d messages, want one for each pair", n.Messages)
	}
}

func BenchmarkRead(b *testing.B) {
	text := direct(64)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := exchange.Read("direct.xml", bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	s, err := algorithms.New("mesh", algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{64}, Bytes: 1 << 20, Elem: 4})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var text bytes.Buffer
		if err := exchange.Write(&text, s); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(text.Len()))
	}
}

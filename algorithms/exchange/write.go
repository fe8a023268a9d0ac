package exchange

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"hcclsim/algorithms"
)

// Write writes a schedule as a file, the same one whenever it is asked.
//
// Slices become chunks: the file says which move, not how many bytes they have, and a
// runtime makes them equal. Every lane becomes a thread block for each lane of another rank
// that it sends to, one for each that it receives from, and one for its local copies; each
// pair of lanes has a channel of its own. A message is as many steps as its slices form
// runs at both ends. A step waits (depid, with nop where that is more than one) for
//
//   - the steps that come before it in its lane, and what the schedule has it come after:
//     so do joins become dependencies of what follows them;
//   - every earlier step of its gpu that reads what it writes, or writes what it reads or
//     writes. So the file is right by the order inside its gpus alone. Reductions into one
//     chunk get an order too, as thread blocks do not add atomically.
//
// Therefore pure signals and handshakes can be left out: between ranks a file needs no
// order but that of its data. Left out too is what has no meaning in a file: marker steps,
// who drives a message, and the root; it is the reader's to know.
//
// Refused, with the reason, is a collective that a file cannot name, and a schedule that
// would stop without its synced messages, as those of a file take both ends.
func Write(w io.Writer, s *algorithms.Schedule) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s %s of %d ranks: "+format, append([]any{s.Algorithm, s.Request.Collective, s.Ranks()}, args...)...)
	}
	word := ""
	for _, c := range collectives {
		if c.collective == s.Request.Collective {
			word = c.word
		}
	}
	switch {
	case s.Request.Collective == algorithms.AlltoAllV:
		return fail("the format has chunks of one size only: it cannot say the blocks of an alltoallv")
	case word == "":
		return fail("the format has no such collective")
	case s.Hosts() > 0:
		return fail("the format knows no hosts: it cannot say a schedule through their memory")
	}
	e := newExport(s)
	if err := e.run(); err != nil {
		return fail("%w", err)
	}
	out := bufio.NewWriter(w)
	e.print(out, word)
	return out.Flush()
}

// print writes what has been collected.
func (e *export) print(w *bufio.Writer, collective string) {
	var name strings.Builder
	xml.EscapeText(&name, []byte(e.s.Algorithm)) // a strings.Builder does not fail
	in, out := 0, 1
	if e.n.inPlace {
		in, out = out, in
	}
	fmt.Fprintf(w, `<algo name="%s" proto="Simple" nchannels="%d" nchunksperloop="%d" ngpus="%d" coll="%s" inplace="%d" outofplace="%d" minBytes="0" maxBytes="0">`+"\n",
		&name, e.most+1, e.n.largest(), e.n.ranks, collective, in, out)
	for rank := range e.gpus {
		g := &e.gpus[rank].gpu
		fmt.Fprintf(w, `  <gpu id="%d" i_chunks="%d" o_chunks="%d" s_chunks="%d">`+"\n", rank, g.chunks[input], g.chunks[output], g.chunks[scratch])
		for b := range g.blocks {
			blk := &g.blocks[b]
			fmt.Fprintf(w, `    <tb id="%d" send="%d" recv="%d" chan="%d">`+"\n", b, blk.send, blk.recv, blk.channel)
			for k := range blk.steps {
				i := &blk.steps[k]
				notifies := 0
				if i.notifies {
					notifies = 1
				}
				fmt.Fprintf(w, `      <step s="%d" type="%v" srcbuf="%v" srcoff="%d" dstbuf="%v" dstoff="%d" cnt="%d" depid="%d" deps="%d" hasdep="%d"/>`+"\n",
					k, i.kind, i.src.buffer, i.src.offset, i.dst.buffer, i.dst.offset, i.count, i.after.block, i.after.step, notifies)
			}
			fmt.Fprint(w, "    </tb>\n")
		}
		fmt.Fprint(w, "  </gpu>\n")
	}
	fmt.Fprint(w, "</algo>\n")
}

package algorithms

// The baseline without a library on the NPUs: every NPU copies its data to the memory of its
// server's host, the CPU combines them, the hosts of several servers exchange the sums in a
// ring, and every NPU fetches the result. Hosts are ranks of the schedule beyond those of the
// request: host s, of server s, is rank p+s. They bring nothing and get nothing.

// host is the name in the catalogue.
const host = "host"

// NeedsHosts says whether the ranks of an algorithm's schedule are more than the request's:
// a host for every server.
func NeedsHosts(algorithm string) bool { return algorithm == host }

// hostProgram is the schedule. The buffer is cut into a chunk for each server, which the
// ring between the hosts passes around. A host's Scratch holds an area for each NPU of its
// server; the sum is made in that of NPU 0.
type hostProgram struct {
	starts  []int // first rank of each server, then the number of ranks
	largest int   // NPUs of a server
	in, out Buffer
}

func newHost(r Request) *Schedule {
	p := &hostProgram{starts: []int{0}, in: In, out: Out}
	if r.InPlace {
		p.in, p.out = Data, Data
	}
	for _, n := range r.Groups {
		p.starts = append(p.starts, p.starts[len(p.starts)-1]+n)
		p.largest = max(p.largest, n)
	}
	layout := hostLayout{newCuts(r, 1, p.servers(), 0), int64(p.servers())}
	return &Schedule{Program: p, Layout: layout, Request: r, Algorithm: host, hosts: p.servers()}
}

func (p *hostProgram) servers() int { return len(p.starts) - 1 }
func (p *hostProgram) ranks() int   { return p.starts[p.servers()] }
func (p *hostProgram) npus(s int) int {
	return p.starts[s+1] - p.starts[s]
}

// Ranks implements Program: NPUs, then hosts.
func (p *hostProgram) Ranks() int { return p.ranks() + p.servers() }

// Lanes implements Program: a host serves each of its NPUs in a lane of its own.
func (p *hostProgram) Lanes(rank int) int {
	if rank < p.ranks() {
		return 1
	}
	return p.npus(rank - p.ranks())
}

// Steps implements Program. An NPU sends and fetches. A host receives and sends in each
// lane; in lane 0 it adds up and exchanges in between.
func (p *hostProgram) Steps(rank, lane int) int {
	if rank < p.ranks() || lane > 0 {
		return 2
	}
	return p.last(rank-p.ranks()) + 1
}

// last is the step of lane 0 in which a host sends the result to NPU 0: it has received,
// added up the other NPUs' data and gone around the ring twice.
func (p *hostProgram) last(server int) int { return p.npus(server) + 2*(p.servers()-1) }

// Slices implements Program.
func (p *hostProgram) Slices(b Buffer) int {
	if b == Scratch {
		return p.largest * p.servers()
	}
	return p.servers()
}

// area is the slices of an NPU's area in Scratch.
func (p *hostProgram) area(npu int) Set {
	n := p.servers()
	return Set{Count: int32(n), Stride: 1, Mod: int32(n), Base: int32(npu * n), Width: 1}
}

// Step implements Program.
func (p *hostProgram) Step(rank, lane, k int) Step {
	if rank < p.ranks() {
		return p.npuStep(rank, k)
	}
	server := rank - p.ranks()
	s := Idle
	npu := p.starts[server] + lane
	switch {
	case k == 0:
		s.Recv = Half{Peer: ref(npu, 0, 0), Set: p.area(lane), Buf: Scratch}
		s.Drive = Write
	case lane > 0 || k == p.last(server):
		s.Send = Half{Peer: ref(npu, 0, 1), Set: p.area(0), Buf: Scratch}
		s.Drive = Read
		if lane > 0 {
			s.After = ref(rank, 0, p.last(server)-1)
		}
	case k < p.npus(server):
		own := ref(rank, 0, k)
		s.After, s.Reduce = ref(rank, k, 0), true
		s.Send = Half{Peer: own, Set: p.area(k), Buf: Scratch}
		s.Recv = Half{Peer: own, Set: p.area(0), Buf: Scratch}
	default:
		p.exchange(&s, server, k-p.npus(server))
	}
	return s
}

// npuStep is a step of an NPU: it sends its data to the host with its own engine, and
// fetches the result with it.
func (p *hostProgram) npuStep(rank, k int) Step {
	server := 0
	for p.starts[server+1] <= rank {
		server++
	}
	s := Idle
	at, lane := p.ranks()+server, rank-p.starts[server]
	all := p.area(0)
	if k == 0 {
		s.Send = Half{Peer: ref(at, lane, 0), Set: all, Buf: p.in}
		s.Drive = Write
		return s
	}
	last := 1
	if lane == 0 {
		last = p.last(server)
	}
	s.Recv = Half{Peer: ref(at, lane, last), Set: all, Buf: p.out}
	s.Drive = Read
	return s
}

// exchange is step j of the ring AllReduce between the hosts: each sends to the next and
// receives from the one before, first adding up, then passing on.
func (p *hostProgram) exchange(s *Step, server, j int) {
	n := p.servers()
	next, before := wrap(server+1, n), wrap(server+n-1, n)
	sends := wrap(server-j+2*n, n)
	chunk := func(i int) Set {
		return Set{First: int32(wrap(i, n)), Count: 1, Stride: 1, Mod: int32(n), Width: 1}
	}
	if j >= n-1 { // the chunk that server s has complete is s+1
		sends = wrap(server+1-(j-(n-1))+2*n, n)
	}
	s.Reduce = j < n-1
	s.Drive = Write
	s.Send = Half{Peer: ref(p.ranks()+next, 0, p.npus(next)+j), Set: chunk(sends), Buf: Scratch}
	s.Recv = Half{Peer: ref(p.ranks()+before, 0, p.npus(before)+j), Set: chunk(sends - 1 + n), Buf: Scratch}
}

// hostLayout is that of the user's buffers; Scratch has an area of the same shape for each
// NPU.
type hostLayout struct {
	*cuts
	chunks int64
}

// Span implements Layout.
func (l hostLayout) Span(b Buffer, slice int) (offset, bytes int64) {
	if b != Scratch {
		return l.cuts.Span(b, slice)
	}
	area := int64(slice) / l.chunks
	offset, bytes = l.cuts.Span(Data, slice-int(area*l.chunks))
	return area*l.bytes + offset, bytes
}

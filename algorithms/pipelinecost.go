package algorithms

// cost is that of both levels on the same links: a link for each pair, or one port for
// everything that a rank sends at once, and one for what it receives. On one port it is
// exact where all slices are equal, unless buffers allow the mesh to run ahead.
func (p pipelinePart) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	if h.PairLinks {
		return p.levels(Everywhere(h), sizes)
	}
	n, rounds, s := int64(p.n), int64(p.servers), sizes(0)
	together, mesh := h.atOnce(n, s), h.atOnce(n-1, s)
	even := sizes(p.servers*p.n-1) == s
	if p.gather {
		return (rounds-1)*together + mesh, even
	}
	g := h.reduce(s)
	return mesh + (n-1)*g + (rounds-1)*(together+n*g), even && (p.locked() || g == 0)
}

// levels is the time with costs for each level: of the mesh inside the servers, and of all
// reductions, and of the ring between them, which do not share ports.
// With M = alpha + s*beta inside and R = the same between, s bytes in each slice and g for
// their reduction, gathering takes
//
//	(servers-1) * max(M, R) + M
//
// and adding up (servers-1) * T + M + (n-1)*g, where the reductions of a round, n-1
// from the mesh and one from the ring, follow each other in the order of arrival:
//
//	T = max(R + n*g, M + (n-1)*g)  if R <= M,   T = max(M + n*g, R + g)  otherwise.
//
// Without reductions both are HCCL's formula. On one port inside the servers M has
// (n-1)*s. Uneven slices are followed server by server, see uneven.
//
// It is exact where all lanes of a rank are joined in every round; adding up with more than 2
// buffers also where reductions are free or there is one round of the ring, and gathering
// also where the first slices of all blocks are equal. Otherwise it is an estimate.
func (p pipelinePart) levels(l Levels, sizes func(int) int64) (ps int64, exact bool) {
	s := sizes(0)
	if sizes((p.servers-1)*p.n) != s {
		return p.uneven(l, sizes), p.locked() || p.servers == 2
	}
	rounds := int64(p.servers - 1)
	mesh, ring := p.meshTime(l.Inside, s), l.Between.step(s, false)
	if p.gather {
		return rounds*max(mesh, ring) + mesh, true
	}
	g := l.Inside.reduce(s)
	first := mesh + int64(p.n-1)*g
	return first + rounds*p.reduced(mesh, ring, g), p.locked() || p.servers == 2 || g == 0
}

// locked says whether the buffers keep mesh and ring in the same round.
func (p pipelinePart) locked() bool { return p.depth == 2 }

// meshTime is the time in which a rank gets n bytes from each peer.
func (p pipelinePart) meshTime(h Hockney, n int64) int64 {
	if p.n == 1 {
		return 0
	}
	return h.atOnce(int64(p.n-1), n)
}

// reduced is when a rank has added up what arrives: from n-1 peers at one time and from the
// ring at another, each of which takes g.
func (p pipelinePart) reduced(mesh, ring, g int64) int64 {
	peers := int64(p.n-1) * g
	if ring <= mesh {
		return max(ring+g, mesh) + peers
	}
	return max(mesh+peers, ring) + g
}

// uneven follows the ranks of number 0, whose slices are the largest of each block, round
// by round: all lanes of a rank are joined in between. A message of the ring begins when
// both servers have begun the round; the mesh begins when the rank has, which is the last
// of its server. O(servers^2).
func (p pipelinePart) uneven(l Levels, sizes func(int) int64) (ps int64) {
	first := func(j, k int) int64 { return sizes(p.block(j, k) * p.n) }
	begun, over := make([]int64, p.servers), make([]int64, p.servers)
	for k := range p.servers {
		sent := k // the round in which the ring's block was with the mesh, or is
		if !p.gather {
			sent = k - 1
		}
		// passed is when what server j sends in this round has arrived.
		passed := func(j int) int64 {
			if !p.rings(k) || first(j, sent) == 0 {
				return 0
			}
			return max(begun[j], begun[wrap(j+p.way(), p.servers)]) + l.Between.step(first(j, sent), false)
		}
		for j := range p.servers {
			n := first(j, k)
			mesh, ring := begun[j]+p.meshTime(l.Inside, n), passed(wrap(j-p.way(), p.servers))
			switch {
			case p.gather:
				over[j] = max(mesh, ring)
			case p.rings(k):
				over[j] = p.reduced(mesh, ring, l.Inside.reduce(n))
			default:
				over[j] = mesh + int64(p.n-1)*l.Inside.reduce(n)
			}
			over[j] = max(over[j], passed(j))
		}
		copy(begun, over)
	}
	for _, t := range over {
		ps = max(ps, t)
	}
	return ps
}

package algorithms

// What a collective promises, slice by slice. A slice is a piece of the input wherever it
// goes: slice i of any buffer is meant for, or made of, slice i of the ranks' inputs; only
// Scratch may be numbered otherwise.
//
// Where every rank has a piece of its own, the slices are dealt out to the ranks evenly, and
// in order unless Request.OutsideIn has them otherwise: in AllGather and Gather rank r's are its input, in ReduceScatter and Scatter
// its result, in AlltoAll the blocks that it sends (in the order of the ranks they are for,
// each of as many slices), in SendRecv what it sends.

// Owner is the rank whose own a slice is.
func (s *Schedule) Owner(slice int) int {
	if s.owner != nil {
		return s.owner(slice)
	}
	return slice / (s.Slices(Data) / s.Ranks())
}

// destination is the rank that gets a slice of AlltoAll or SendRecv.
func (s *Schedule) destination(slice int) int {
	if s.Request.Collective == SendRecv {
		return (s.Owner(slice) + 1) % s.Ranks()
	}
	own := s.Slices(Data) / s.Ranks()
	return slice % own / (own / s.Ranks())
}

// Hosts is the number of ranks at the schedule's end that are no ranks of the request, but
// hosts of servers: they bring nothing and get nothing.
func (s *Schedule) Hosts() int { return s.hosts }

// isHost says whether a rank is one of them.
func (s *Schedule) isHost(rank int) bool { return s.hosts > 0 && rank >= s.Ranks()-s.hosts }

// Brings says whether a slice is part of a rank's input. A slice of the result is made of
// the inputs of all ranks that bring it: of all of them where the collective reduces, else
// of one.
func (s *Schedule) Brings(rank, slice int) bool {
	if s.isHost(rank) {
		return false
	}
	switch s.Request.Collective {
	case Broadcast, Scatter:
		return rank == s.Request.Root
	case AllGather, Gather, AlltoAll, AlltoAllV, SendRecv:
		return rank == s.Owner(slice)
	}
	return true
}

// Gets says whether a slice is part of a rank's result.
func (s *Schedule) Gets(rank, slice int) bool {
	if s.isHost(rank) {
		return false
	}
	switch s.Request.Collective {
	case Reduce, Gather:
		return rank == s.Request.Root
	case ReduceScatter, Scatter:
		return rank == s.Owner(slice)
	case AlltoAll, AlltoAllV, SendRecv:
		return rank == s.destination(slice)
	}
	return true
}

// Room says whether a rank's buffer has a place for a slice.
func (s *Schedule) Room(b Buffer, rank, slice int) bool {
	switch b {
	case Data:
		return s.Request.InPlace && !s.isHost(rank)
	case In:
		return !s.Request.InPlace && s.Brings(rank, slice)
	case Out:
		return !s.Request.InPlace && s.Gets(rank, slice)
	}
	return true
}

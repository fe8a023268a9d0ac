package choose

// idle warns of what HCCL_ALGO says in vain, whatever the size, and reads level0:null.
func (s *situation) idle() {
	switch t := s.tokens[0]; {
	case t == "" || t == tokenNA:
	case t == tokenNull && !s.exchanges() && !s.forcesAHC():
		s.flatten()
	default:
		s.warnf("HCCL_ALGO level0:%s has no effect here (level 0 follows from the wiring and cannot be set)", t)
	}
	if s.pods == 1 {
		s.ignore(2, "one super-pod")
	} else if s.servers == s.pods && !s.forcesAHC() {
		s.ignore(1, "one server in each super-pod")
	}
	s.ignore(3, "HCCL reads it and does nothing with it")
}

// flatten makes one plane of all ranks: as if each were a server, in one super-pod.
func (s *situation) flatten() {
	s.warnf("HCCL_ALGO level0:null: one plane of all ranks, over which the algorithm of level 1 runs")
	s.servers, s.npus, s.pods, s.unequal = s.ranks, 1, 1, false
}

// unasked warns that the algorithms of HCCL_ALGO do not matter for this message.
func (s *situation) unasked(v verdict) {
	for level := 1; level <= 2; level++ {
		s.ignore(level, v.rule)
	}
}

// ignore warns of a level of HCCL_ALGO without effect, once.
func (s *situation) ignore(level int, why string) {
	if t := s.tokens[level]; asks(t) {
		s.warnf("HCCL_ALGO %s:%s has no effect here (%s)", levelNames[level], t, why)
		s.tokens[level] = ""
	}
}

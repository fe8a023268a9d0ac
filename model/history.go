package model

import (
	"hcclsim/model/units"
	"hcclsim/sim"
)

// The history of the critical path, kept on request only. Every path names the latest thing
// that happened on it; that names the one before, and so on back to the beginning. A path
// that goes on elsewhere, by a copy, takes its history with it.

// Piece is one thing on the critical path. Pieces follow each other without gaps.
type Piece struct {
	Start, End units.Duration
	Rank, Peer int // where it ends; the other rank, or the same
	Lane, Step int // of the schedule; -1: of a stream itself
	// Name is that of a task, or Transfer, Notify or Request: data or a notify on the way,
	// or Stream: what a stream waited for between two operators.
	Name     string
	Operator string // of a stream
	Bytes    units.Bytes
	Class    string // of links; local inside the NPU; empty: of nothing that moves
	Critical []Part // divides End-Start without remainder
}

// happening is a piece of history: what, and the path up to its end.
type happening struct {
	causes
	before     int32 // in history, one higher; 0: none
	at         sim.Time
	name       string
	rank, peer int32
	lane, step int32
	stream     int32
	operator   int32
	bytes      int64
	class      cause
	again      bool // the path begins anew here: its causes are no sum of those before
}

// note appends to a path's history. lane is where it happened.
func (m *machine) note(p *path, l *lane, h happening) {
	if !m.keeps {
		return
	}
	h.causes, h.before, h.at = p.causes, p.last, m.engine.Now()
	h.rank, h.lane, h.step = l.rank, l.index, l.k
	if l.call == none {
		h.lane, h.step = -1, -1
	}
	h.stream, h.operator = l.stream, -1
	if l.stream != none {
		h.operator = m.streams[l.stream].k
	}
	m.history = append(m.history, h)
	p.last = int32(len(m.history))
}

// noteLater is note of something that ends after a delay that is in the path already.
func (m *machine) noteLater(p *path, l *lane, delay sim.Time, h happening) {
	if m.keeps {
		m.note(p, l, h)
		m.history[p.last-1].at += delay
	}
}

// pieces is the history of a path from the beginning.
func (m *machine) pieces(p path) []Piece {
	var list []Piece
	for i := p.last; i > 0; {
		h := &m.history[i-1]
		own := h.causes
		if h.before > 0 {
			for c, t := range m.history[h.before-1].causes {
				own[c] -= t
			}
		}
		if took := own.sum(); !h.again && took > 0 {
			list = append(list, m.piece(h, &own, took))
		}
		i = h.before
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func (m *machine) piece(h *happening, own *causes, took sim.Time) Piece {
	p := Piece{
		Start: units.Duration(h.at - took), End: units.Duration(h.at), Rank: int(h.rank), Peer: int(h.peer),
		Lane: int(h.lane), Step: int(h.step), Name: h.name, Bytes: units.Bytes(h.bytes),
		Critical: own.parts(took, 1, m.classes),
	}
	switch {
	case h.class >= wireClass0:
		p.Class = m.classes[h.class-wireClass0]
	case h.class == wireLocal:
		p.Class = "local"
	}
	if h.stream >= 0 && h.operator >= 0 {
		if s := &m.streams[h.stream]; int(h.operator) < len(s.Operators) {
			p.Operator = s.Operators[h.operator].Name
		}
	}
	return p
}

package exchange_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hcclsim/algorithms/exchange"
)

// TestMarked: some editors put a mark in front of a text in UTF-8. Columns count behind it.
func TestMarked(t *testing.T) {
	if _, err := read("\uFEFF" + right); err != nil {
		t.Error(err)
	}
	_, err := read("\uFEFF" + strings.Replace(right, `proto="Simple"`, `proto="simple"`, 1))
	if want := `f.xml:1:19: proto is "simple": expected one of LL, LL128, Simple`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEncodings: what is no UTF-8 is refused in words of our own.
func TestEncodings(t *testing.T) {
	for text, want := range map[string]string{
		`<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n" + right: "f.xml:1:1: the file says that it is written in another encoding: expected UTF-8",
		"<algo name=\"h\xe9\"/>":                                     "f.xml:1:14: bytes that are no characters: expected UTF-8",
		"\xff\xfe<\x00a\x00":                                         "f.xml:1:1: bytes that are no characters: expected UTF-8",
	} {
		if _, err := read(text); err == nil || err.Error() != want {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
	if _, err := read(`<?xml version="1.0" encoding="utf-8"?>` + "\n" + right); err != nil {
		t.Error(err)
	}
}

// TestNames: the name of an algorithm stands in rows.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"":                       `f.xml:1:7: name is "": expected a name`,
		"two&#10;lines":          "f.xml:1:7: name holds U+000A: expected characters that can be printed",
		strings.Repeat("é", 201): "f.xml:1:7: name has 201 characters: expected at most 200",
		strings.Repeat("é", 200): "",
		"ring, 2 rings, größer":  "",
	} {
		_, err := read(strings.Replace(right, `name="pair"`, `name="`+name+`"`, 1))
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%q: got %v, want %s", name, err, want)
		}
	}
}

// TestSecond: a second algorithm is one error, whatever is in it.
func TestSecond(t *testing.T) {
	_, err := read(right + right)
	if want := "f.xml:16:1: a second element algo: expected one"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestManyErrors: what is wrong everywhere is found in the time that reading takes, and
// the places are in order.
func TestManyErrors(t *testing.T) {
	head := `<algo name="many" proto="Simple" nchannels="1" nchunksperloop="16384" ngpus="16384" coll="allreduce" inplace="1" minBytes="0" maxBytes="0">`
	begin := time.Now()
	_, err := read(head + `<gpu id="5" i_chunks="0" o_chunks="0" s_chunks="0"/></algo>`)
	if want := "16383 gpus are missing, the first is gpu 0: expected gpus 0 to 16383"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	line := `<gpu id="7" i_chunks="0" o_chunks="0" s_chunks="none" warp="1"/>`
	for _, separator := range []string{"", "\n"} {
		_, err = read(head + strings.Repeat(line+separator, 20_000) + "</algo>")
		var all exchange.Errors
		if !errors.As(err, &all) || len(all) != 100 {
			t.Fatalf("%d errors", len(all))
		}
		for i := 1; i < len(all); i++ {
			if a, b := all[i-1], all[i]; a.Line > b.Line || a.Line == b.Line && a.Column > b.Column {
				t.Errorf("%v before %v", a, b)
			}
		}
		if want := "and 50 more errors, at which the reading ended"; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("ends with %s", err.Error()[len(err.Error())-60:])
		}
	}
	var attributes strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&attributes, ` a%d="1"`, i)
	}
	if _, err = read("<algo" + attributes.String() + "/>"); err == nil {
		t.Error("unknown attributes are accepted")
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

package choose

import (
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// Token is the algorithm of one level in HCCL_ALGO; empty: not given.
type Token string

const (
	tokenNull     Token = "null"
	tokenRing     Token = "ring"
	tokenPipeline Token = "pipeline"
	tokenFullMesh Token = "fullmesh"
	tokenHDR      Token = "H-D_R"
	tokenPairwise Token = "pairwise"
	tokenNHR      Token = "NHR"
	tokenNHRV1    Token = "NHR_V1"
	tokenAHC      Token = "AHC"
	tokenAHCBroke Token = "AHC_BROKE"
	tokenNB       Token = "NB"
	tokenNA       Token = "NA"
)

var tokens = []Token{tokenNull, tokenRing, tokenPipeline, tokenFullMesh, tokenHDR, tokenPairwise,
	tokenNHR, tokenNHRV1, tokenAHC, tokenAHCBroke, tokenNB, tokenNA}

// Tokens are the algorithms of levels 0 to 3. HCCL reads level 3 and does nothing with it.
type Tokens [4]Token

// operators are the names that HCCL_ALGO has for collectives. others are those that are
// not named.
var operators = []string{"allreduce", "allgather", "reducescatter", "broadcast", "reduce", "scatter", "gather",
	"alltoall", "send", "receive", "sendrecv", others}

const others = "others"

// Algo is a parsed HCCL_ALGO. The zero value is an unset one.
type Algo struct{ entries []entry }

// entry is the setting of one operator, or of all where operator is empty.
type entry struct {
	operator string
	tokens   Tokens
}

// Set says whether there is a setting at all.
func (a Algo) Set() bool { return len(a.entries) > 0 }

// For is the setting of a collective: its operator's own, else that of others, else the
// common one. A Barrier is an AllReduce.
func (a Algo) For(c algorithms.Collective) Tokens {
	name := string(c)
	switch c {
	case algorithms.Barrier:
		name = string(algorithms.AllReduce)
	case algorithms.AlltoAllV:
		name = string(algorithms.AlltoAll)
	}
	for _, operator := range []string{name, others, ""} {
		if i := slices.IndexFunc(a.entries, func(e entry) bool { return e.operator == operator }); i >= 0 {
			return a.entries[i].tokens
		}
	}
	return Tokens{}
}

// String is the setting as HCCL reads it: levels in order, operators as they were given.
func (a Algo) String() string {
	var parts []string
	for _, e := range a.entries {
		text := e.tokens.String()
		if e.operator != "" {
			text = e.operator + "=" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "/")
}

func (t Tokens) String() string {
	var levels []string
	for i, token := range t {
		if token != "" {
			levels = append(levels, levelNames[i]+":"+string(token))
		}
	}
	return strings.Join(levels, ";")
}

var levelNames = [len(Tokens{})]string{"level0", "level1", "level2", "level3"}

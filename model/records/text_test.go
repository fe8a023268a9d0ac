package records

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func csvOf(t *testing.T, rows []Row) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteCSV(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func jsonlOf(t *testing.T, rows []Row) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSONL(&b, rows...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	text := csvOf(t, sample())
	golden(t, "csv", text)
	back, err := ReadCSV(strings.NewReader(text), "results.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, sample()) {
		t.Errorf("read back:\n%+v\nwant:\n%+v", back, sample())
	}
}

func TestJSONL(t *testing.T) {
	text := jsonlOf(t, sample())
	golden(t, "jsonl", text)
	back, err := ReadJSONL(strings.NewReader(text), "results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, sample()) {
		t.Errorf("read back:\n%+v\nwant:\n%+v", back, sample())
	}
}

// JSONL keeps all busiest links, CSV the first.
func TestBusiestLinks(t *testing.T) {
	row := sample()[0]
	row.Busiest = append(row.Busiest, Utilisation{"hccs 1>2", 0.25})
	if back, err := ReadJSONL(strings.NewReader(jsonlOf(t, []Row{row})), "r"); err != nil || !reflect.DeepEqual(back, []Row{row}) {
		t.Errorf("JSONL: %v, %v", back, err)
	}
	back, err := ReadCSV(strings.NewReader(csvOf(t, []Row{row})), "r")
	if err != nil || !slices.Equal(back[0].Busiest, row.Busiest[:1]) {
		t.Errorf("CSV: %v, %v", back, err)
	}
}

// A table of measurements needs only the leading columns and may round times.
func TestMeasuredCSV(t *testing.T) {
	text := strings.Join(leading, ",") + ",nic\nm,a2,allreduce,ring,ring,2,16,8192,61.5,,,roce\n"
	rows, err := ReadCSV(strings.NewReader(text), "m.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := Row{Scenario: "m", Topology: "a2", Collective: "allreduce", Requested: "ring", Algorithm: "ring",
		Servers: 2, Ranks: 16, Bytes: 8192, Time: 61_500_000, Swept: []Field{{"nic", "roce"}}}
	if !reflect.DeepEqual(rows, []Row{want}) {
		t.Errorf("got %+v", rows)
	}
}

func TestCSVErrors(t *testing.T) {
	head := strings.Join(leading, ",")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "r:1:1: the file is empty"},
		{"wrong column", strings.Replace(head, "ranks", "npus", 1), `r:1:58: column "npus" stands where "ranks" belongs`},
		{"short header", "scenario,topology", `r:1:10: column "collective" is missing after this one`},
		{"twice", head + ",nic,nic", `r:1:104: column "nic" appears twice`},
		{"unknown", head + ",dtype,colour", `r:1:106: unknown column "colour"`},
		{"misplaced", head + ",events", `r:1:100: column "events" belongs behind "dtype"`},
		{"nameless", head + ",,x", "r:1:100: a column has no name"},
		{"count", head + "\ns,t,c,q,a,two,16,1,1,,", `r:2:11: "two" is no whole number`},
		{"negative", head + "\ns,t,c,q,a,1,-16,1,1,,", `r:2:13: "-16" is no whole number`},
		{"time", head + "\ns,t,c,q,a,1,1,1,1e3,,", `r:2:17: "1e3" is no time in us`},
		{"cells", head + "\ns,t,c", "r:2:1: wrong number of fields"},
		{"quote", head + "\n\"s,t", "r:2:5: extraneous or missing"},
		{"no collective", head + "\n\ns,t,,q,a,1,1,1,1,,", "r:3:1: a row names no collective"},
		{"boolean", head + ",dtype,in_place\ns,t,c,q,a,1,1,1,1,,,fp32,yes", `r:2:26: "yes" is neither true nor false`},
		{"share", head + ",dtype,busiest_share\ns,t,c,q,a,1,1,1,1,,,fp32,0.5", "r:2:26: a share of 0.5 without a busiest_link"},
		{"infinite", head + ",dtype,busiest_link,busiest_share\ns,t,c,q,a,1,1,1,1,,,fp32,l,inf", `r:2:28: "inf" is no share`},
	} {
		_, err := ReadCSV(strings.NewReader(c.text), "r")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestJSONLErrors(t *testing.T) {
	good := jsonlOf(t, sample()[2:])
	for _, c := range []struct{ name, text, want string }{
		{"syntax", good + "{\"scenario\":}\n", "r:2:13: invalid character"},
		{"cut short", good + good[:30], "r:2:31: the line ends early"},
		{"kind", `{"servers":"2"}`, "r:1:14: servers: unexpected string"},
		{"unknown key", "\n" + `{"colour":"red"}`, `r:2:2: unknown key "colour"`},
		{"time", `{"collective":"reduce","time_us":1e3}`, `r:1:1: "1e3" is no time in us`},
		{"negative", `{"collective":"reduce","bytes":-1}`, "r:1:1: negative quantity -1"},
		{"two objects", `{"collective":"reduce"} {}`, `r:1:24: unexpected "{}" after the object`},
		{"no collective", `{}`, "r:1:1: a row names no collective"},
		{"share", `{"collective":"reduce","busiest":[{"link":"a","share":-1}]}`, `r:1:1: link "a": "-1" is no share`},
	} {
		_, err := ReadJSONL(strings.NewReader(c.text), "r")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// Rows that a reader could not give back are refused when they are written.
func TestWriteRefuses(t *testing.T) {
	for name, change := range map[string]func(*Row){
		"line break":       func(r *Row) { r.Topology = "a\r\nb" },
		"broken UTF-8":     func(r *Row) { r.Swept[0].Value = "\xff" },
		"negative time":    func(r *Row) { r.Time = -1 },
		"negative share":   func(r *Row) { r.Busiest[0].Share = -0.5 },
		"no collective":    func(r *Row) { r.Collective = "" },
		"repeated column":  func(r *Row) { r.Swept[0].Path = "dtype" },
		"key as cause":     func(r *Row) { r.Swept[0].Path = "launch_us" },
		"ambiguous cause":  func(r *Row) { r.Critical[0].Cause = "wire_hccs" },
		"cause as volume":  func(r *Row) { r.Critical[0].Cause = "bytes_hccs" },
		"cause named time": func(r *Row) { r.Critical[0].Cause = "time" },
	} {
		row := sample()[0]
		change(&row)
		if err := WriteCSV(&bytes.Buffer{}, []Row{row}); err == nil {
			t.Errorf("%s: CSV accepts it", name)
		}
	}
	if err := WriteJSONL(&bytes.Buffer{}, Row{Collective: "reduce", Time: -1}); err == nil {
		t.Error("JSONL accepts a negative time")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrors(t *testing.T) {
	for name, err := range map[string]error{
		"CSV": WriteCSV(full{}, sample()), "JSONL": WriteJSONL(full{}, sample()...),
	} {
		if err == nil || err.Error() != "write results: disk full" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever a reader accepts is written and read without a change.
func FuzzReadCSV(f *testing.F) {
	f.Add([]byte(strings.Join(leading, ",") + "\n,,c,,,1,2,3,4.5,,\n"))
	var b bytes.Buffer
	if err := WriteCSV(&b, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := ReadCSV(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		once := csvOf(t, rows)
		back, err := ReadCSV(strings.NewReader(once), "again")
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		if twice := csvOf(t, back); once != twice {
			t.Errorf("once:\n%s\ntwice:\n%s", once, twice)
		}
	})
}

func FuzzReadJSONL(f *testing.F) {
	f.Add([]byte("{\"collective\":\"reduce\"}\n\n"))
	var b bytes.Buffer
	if err := WriteJSONL(&b, sample()...); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := ReadJSONL(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		once := jsonlOf(t, rows)
		back, err := ReadJSONL(strings.NewReader(once), "again")
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		if twice := jsonlOf(t, back); once != twice {
			t.Errorf("once:\n%s\ntwice:\n%s", once, twice)
		}
	})
}

package plots

import "gonum.org/v1/plot"

// figure is one chart, ready to be painted.
type figure struct {
	title    string
	subtitle []string // phrases, joined with commas and broken between them
	panels   []panel  // side by side
	below    string   // a label that the horizontal axes of all panels share
	legend   []entry
}

// panel is one pair of axes with what lies between them.
type panel struct {
	title string
	x, y  axis
	lines []line
	bands []band
}

// axis is a range with its ticks; ticks without a label are minor ones.
type axis struct {
	label    string
	log      bool
	min, max float64
	ticks    []plot.Tick
}

// line joins points in the order of their x.
type line struct {
	style  int // index into the palette; chooser for the line of a chooser
	points []point
}

type point struct{ x, y float64 }

// band shades a range of x in the colour of its winner. Where it meets the next band,
// mark is the label of the threshold.
type band struct {
	style    int
	name     string
	min, max float64
	mark     string
}

// entry is one sample of the legend.
type entry struct {
	style int
	name  string
}

// Package plots draws rows as charts, each as PNG and as SVG: bus bandwidth and time
// against size, where algorithms cross over, and how they scale.
//
// A chart is made in two steps. The first (charts.go, scaling.go) turns rows into a figure, which
// is plain data: panels, axes with their ticks, lines, bands. The second (paint.go)
// paints a figure and knows nothing of collectives. So what a chart says can be tested
// without looking at a single pixel.
package plots

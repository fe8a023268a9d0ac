package units

// Bytes is an amount of data.
type Bytes int64

// Rate is a bandwidth in bytes per second, one direction.
type Rate int64

// Duration is a span of simulated time in picoseconds.
type Duration int64

const (
	Picosecond  Duration = 1
	Nanosecond           = 1000 * Picosecond
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
)

// unit is a suffix and what one of it is worth: scale/per of the base unit.
type unit struct {
	suffix     string
	scale, per int64
}

// Units by suffix. String chooses among those before the first short or bit form.
var (
	sizes = []unit{
		{"TiB", 1 << 40, 1}, {"GiB", 1 << 30, 1}, {"MiB", 1 << 20, 1}, {"KiB", 1 << 10, 1},
		{"TB", 1e12, 1}, {"GB", 1e9, 1}, {"MB", 1e6, 1}, {"KB", 1e3, 1}, {"B", 1, 1},
		{"T", 1 << 40, 1}, {"G", 1 << 30, 1}, {"M", 1 << 20, 1}, {"K", 1 << 10, 1},
	}
	rates = []unit{
		{"TB/s", 1e12, 1}, {"GB/s", 1e9, 1}, {"MB/s", 1e6, 1}, {"KB/s", 1e3, 1}, {"B/s", 1, 1},
		{"TiB/s", 1 << 40, 1}, {"GiB/s", 1 << 30, 1}, {"MiB/s", 1 << 20, 1}, {"KiB/s", 1 << 10, 1},
		{"Tbit/s", 1e12, 8}, {"Gbit/s", 1e9, 8}, {"Mbit/s", 1e6, 8}, {"Kbit/s", 1e3, 8}, {"bit/s", 1, 8},
		{"Tbps", 1e12, 8}, {"Gbps", 1e9, 8}, {"Mbps", 1e6, 8}, {"Kbps", 1e3, 8}, {"bps", 1, 8},
	}
	durations = []unit{
		{"s", int64(Second), 1}, {"ms", int64(Millisecond), 1}, {"us", int64(Microsecond), 1},
		{"ns", int64(Nanosecond), 1}, {"ps", 1, 1},
	}
)

// Package units holds the quantities of hcclsim, all integers, and their text forms.
//
// Every number with a dimension carries its unit: 20.9GB/s, 200Gbit/s, 1.5us, 512KiB.
// GB is 10^9 and GiB 2^30. A bare K, M, G or T after a size means KiB, MiB, GiB, TiB, as
// in nccl-tests; a rate has no such short form. Gb/s is refused, because it is read both
// ways. Numbers are plain decimals: 010, 1_000, 1e9 and 0x10 are refused.
//
// Parsing is exact. Sizes must come out as whole bytes and durations as whole
// picoseconds; a rate is rounded to the nearest byte per second. String gives a text that
// parses to the same value.
package units

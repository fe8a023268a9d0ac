// Package study finds settings: where one algorithm takes over from another.
package study

// Package algorithms holds the schedules of collective communication as pure functions.
package algorithms

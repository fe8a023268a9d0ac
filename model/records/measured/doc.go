// Package measured reads what others have measured: the printouts of hccl_test and of
// nccl-tests, and tables in CSV. Whatever bandwidths a printout gives are not read: hccl_test's
// are in two units (releases differ), and all follow from bytes and time.
package measured

package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/algorithms"
	"hcclsim/reports"
	"hcclsim/scenarios"
	"hcclsim/topologies"
	"hcclsim/topologies/document"
)

// perfCommand is the command line of hcclsim perf. Flags are read by the decoder of
// scenarios, so that they mean the same as the keys of a scenario and have its errors.
type perfCommand struct {
	overrides overrideFlags
	output    outputFlags
}

// keyFlag is a flag that stands for a key of a scenario.
type keyFlag struct {
	name, short, preset, path, usage string
}

// perfFlags are those of perf, besides those of its machine.
var perfFlags = append([]keyFlag{
	{"begin", "b", "8K", "run.0.sizes.from", "smallest size"},
	{"end", "e", "1G", "run.0.sizes.to", "largest size"},
	{"factor", "f", "2", "run.0.sizes.factor", "from one size to the next"},
	{"step", "i", "", "run.0.sizes.step", "from one size to the next, instead of a factor"},
	{"dtype", "d", "fp32", "run.0.dtype", "data type: " + strings.Join(scenarios.DTypes(), ", ")},
	{"op", "o", "sum", "run.0.op", "reduction: " + strings.Join(scenarios.Ops(), ", ")},
	{"root", "", "0", "run.0.root", "root rank of broadcast, reduce, scatter and gather"},
	{"algorithms", "", "auto", "run.0.algorithms", "algorithms to run side by side: names, auto (what HCCL would choose), best, or .xml files"},
	{"candidates", "", "", "run.0.candidates", "of best: the algorithms that it tries (default the usual ones)"},
	{"skew", "", "", "run.0.skew", "of alltoallv: the largest block over the mean, 1 to 2"},
	{"iterations", "", "1", "run.0.iterations", "runs back to back, of which the mean counts"},
	{"topology", "", "atlas-800t-a2", "topology.use", "name or path of a topology"},
}, machineKeys...)

func newPerf() *cobra.Command {
	c := &perfCommand{}
	cmd := &cobra.Command{
		Use:   "perf COLLECTIVE",
		Short: "Time one collective over a range of sizes, as nccl-tests and hccl_test do",
		Long: `Time one collective over a range of sizes on one topology. Sizes, algbw and busbw are
those of nccl-tests: the size is the largest buffer of one rank, GB are 10^9 bytes,
and K, M and G behind a size are KiB, MiB and GiB.

Collectives: ` + strings.Join(collectives(), ", ") + `.`,
		Example: `  hcclsim perf allreduce --servers 2 --algorithms ring,double-tree,mesh+ring
  hcclsim perf allreduce --topology uniform --npus 8 -b 1M -e 1M --algorithms ring --format csv
  hcclsim perf allreduce --ranks 8,4 --algorithms ahc,nhr
  hcclsim perf broadcast -b 1M -e 16M -i 1M --root 3 --set topology.npu.dma.engines=4`,
		Args:              needs(1, 1, "a collective, e.g. hcclsim perf allreduce"),
		ValidArgsFunction: only(collectives),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	addKeys(cmd, perfFlags)
	complete(cmd, "topology", orFile(topologies.Names))
	complete(cmd, "algorithms", only(algorithms.Names))
	complete(cmd, "candidates", only(algorithms.Names))
	complete(cmd, "dtype", only(scenarios.DTypes))
	complete(cmd, "op", only(scenarios.Ops))
	c.overrides.add(cmd)
	c.output.add(cmd)
	return cmd
}

func collectives() []string {
	var names []string
	for _, c := range algorithms.Collectives() {
		names = append(names, string(c))
	}
	return names
}

// spelt is the name of a collective as people write it: all_reduce, as nccl-tests does,
// all-reduce or AllReduce.
func spelt(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

func (c *perfCommand) run(cmd *cobra.Command, collective string) error {
	collective = spelt(collective)
	if err := c.output.check(); err != nil {
		return err
	}
	overrides, err := c.overrides.overrides()
	if err != nil {
		return err
	}
	root, keys, err := perfScenario(cmd, perfFlags, collective, overrides)
	if err != nil {
		return err
	}
	p, err := scenarios.New(root, append(keys, overrides...)...)
	if err != nil {
		return err
	}
	c.output.warn(cmd, p)
	var sum stats
	rows, err := execute(cmd, p, &c.output, &sum, nil)
	err = c.output.print(cmd, rows, reports.Options{Long: true}, err)
	if c.output.stats {
		sum.print(cmd.ErrOrStderr())
	}
	return err
}

// perfDocument is the name of the scenario that perf writes for itself.
const perfDocument = "perf"

// perfScenario writes the command line as a scenario. Keys of the topology are returned as
// overrides, to be applied on the topology that is used. Those that the user has set come
// behind them.
func perfScenario(cmd *cobra.Command, flags []keyFlag, collective string, set []scenarios.Override) (*document.Node, []scenarios.Override, error) {
	// A barrier has one size, and a matrix says the sizes, unless another is asked for.
	matrix := slices.ContainsFunc(set, func(o scenarios.Override) bool { return o.Path == "run.0.matrix" })
	sized := slices.ContainsFunc([]string{"begin", "end", "factor", "step", "bytes"}, cmd.Flags().Changed)
	unsized := (matrix || collective == string(algorithms.Barrier)) && !sized
	entry := "{sizes: {}}"
	if unsized {
		entry = "{}"
	}
	root, err := document.Parse(perfDocument, []byte("{apiVersion: hcclsim/v1, kind: Scenario, name: perf, topology: {}, run: ["+entry+"]}"))
	if err != nil {
		return nil, nil, err
	}
	overrides := []scenarios.Override{{Path: "run.0.collective", Value: strconv.Quote(collective), Origin: "perf " + collective}}
	machine, err := machineOverrides(cmd)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range flags {
		flag := cmd.Flags().Lookup(f.name)
		value := flag.Value.String()
		switch {
		case slices.Contains(machineKeys, f),
			value == "" && !flag.Changed,
			f.name == "factor" && cmd.Flags().Changed("step") && !flag.Changed,
			(f.name == "root" || f.name == "op") && !flag.Changed:
			continue
		case strings.HasPrefix(f.path, "run.0.sizes") && unsized && !flag.Changed:
			continue
		case f.name == "algorithms", f.name == "candidates":
			value = "[" + value + "]"
		case strings.HasPrefix(f.path, "run.0.sizes") && f.name != "factor" && value != "" && strings.Trim(value, "0123456789") == "":
			value += "B" // a bare number is bytes, as in nccl-tests
		}
		if f.path == "run.0.sizes" {
			value = "[" + value + "]"
		}
		overrides = append(overrides, scenarios.Override{Path: f.path, Value: value, Origin: "--" + f.name + " " + flag.Value.String()})
	}
	return root, append(overrides, machine...), nil
}

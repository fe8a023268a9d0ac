package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hcclsim/model"
	"hcclsim/topologies"
	"hcclsim/topologies/document"
)

func newTopology() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topology",
		Short: "List, show and check topologies",
		Args:  cobra.NoArgs,
		RunE:  needsSubcommand,
	}
	cmd.AddCommand(newList("topologies", topologies.List), newTopologyShow(), newTopologyCheck())
	return cmd
}

// machineFlags change a topology that stands alone.
type machineFlags struct{ overrideFlags }

func (f *machineFlags) add(cmd *cobra.Command) {
	f.overrideFlags.add(cmd)
	addKeys(cmd, machineKeys)
}

// load reads a topology with the changes that the flags ask for. Paths are those of a
// scenario: topology.servers.
func (f *machineFlags) load(cmd *cobra.Command, name string) (model.Topology, error) {
	n, err := topologies.Load(name)
	if err != nil {
		return model.Topology{}, err
	}
	keys, err := machineOverrides(cmd)
	if err != nil {
		return model.Topology{}, err
	}
	overrides, err := f.overrides()
	if err != nil {
		return model.Topology{}, err
	}
	scenario := document.NewMapping(document.Origin{})
	scenario.Keys = []document.Key{{Name: "topology", Value: n.Clone()}}
	var errs []error
	for _, o := range append(keys, overrides...) {
		errs = append(errs, scenario.Set(o.Path, o.Value, o.Origin))
	}
	for _, k := range scenario.Keys[1:] {
		errs = append(errs, document.Fault(k.Origin, "%s is no key of a topology: paths begin with topology", k.Name))
	}
	t, err := topologies.Decode(scenario.Key("topology"))
	return t, document.Join(append(errs, err)...)
}

func newTopologyShow() *cobra.Command {
	var flags machineFlags
	var source bool
	cmd := &cobra.Command{
		Use:   "show TOPOLOGY",
		Short: "Summarise a topology, or print a built-in one as it is written",
		Example: `  hcclsim topology show atlas-800t-a2 --servers 4
  hcclsim topology show atlas-800t-a2 --source >mine.yaml`,
		Args:              needs(1, 1, "a topology, e.g. hcclsim topology show uniform"),
		ValidArgsFunction: orFile(topologies.Names),
		RunE: func(cmd *cobra.Command, args []string) error {
			if source {
				text, err := topologies.Source(args[0])
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			}
			t, err := flags.load(cmd, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), topologies.Describe(t))
			return err
		},
	}
	cmd.Flags().BoolVar(&source, "source", false, "print the document of a built-in topology, with the sources of its values")
	flags.add(cmd)
	return cmd
}

func newTopologyCheck() *cobra.Command {
	var flags machineFlags
	cmd := &cobra.Command{
		Use:               "check TOPOLOGY...",
		Short:             "Check topologies",
		Example:           `  hcclsim topology check mine.yaml`,
		Args:              needs(1, -1, "one or more topologies, e.g. hcclsim topology check uniform"),
		ValidArgsFunction: orFile(topologies.Names),
		RunE: func(cmd *cobra.Command, names []string) error {
			var errs []error
			for _, name := range names {
				t, err := flags.load(cmd, name)
				if errs = append(errs, err); err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: ok (servers: %d, NPUs: %d)\n", name, t.Servers, t.Size())
				}
			}
			return document.Join(errs...)
		},
	}
	flags.add(cmd)
	return cmd
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

const about = `hcclsim simulates collective communication on Ascend NPU systems: how long a
collective takes, with which algorithm, and what bounds it.

Scenarios and topologies are YAML files. Built-in ones are addressed by name;
a path works everywhere a name does.

Exit codes: 0 done, 1 failure, 2 bad input or usage, 3 an assertion of the
scenario failed.`

// newRoot returns the command tree, and whether a command of it has begun: an error
// before that is one of usage.
func newRoot() (root *cobra.Command, begun *bool) {
	begun = new(bool)
	root = &cobra.Command{
		Use:              "hcclsim",
		Short:            "Simulate collective communication on Ascend NPU systems",
		Long:             about,
		Example:          "  hcclsim run hello\n  hcclsim perf allreduce --topology uniform --npus 8 -b 1M -e 1M --algorithms ring",
		SilenceUsage:     true,
		SilenceErrors:    true,
		PersistentPreRun: func(*cobra.Command, []string) { *begun = true },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return hinted(err) })
	root.AddCommand(newRun(), newPerf(), newExplain(), newReport(), newCompare(), newTune(), newVerify(), newAlgorithm(), newTopology(), newScenario(), newVersion())
	return root, begun
}

// hinted completes the error of an unknown flag that perf has: elsewhere it is a key.
func hinted(err error) error {
	for _, f := range perfFlags {
		if err.Error() == "unknown flag: --"+f.name {
			return fmt.Errorf("%w, which hcclsim perf has; of a scenario it is a key: --set %s=VALUE", err, f.path)
		}
	}
	return err
}

// only returns a completion that offers a fixed list of words.
func only(words func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	}
}

// orFile returns a completion that offers names, and the files of the directory.
func orFile(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveDefault
	}
}

// complete sets the completion of a flag. The flag exists: it was defined a line before.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}

// needs checks the number of arguments; most < 0 is any number. An error says what is
// expected, with an example.
func needs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usagef("%s needs %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of hcclsim and of the Go it was built with",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return fmt.Errorf("the binary carries no build information")
			}
			fmt.Fprintf(cmd.OutOrStdout(), "hcclsim %s\n", describeBuild(info))
			return nil
		},
	}
}

// describeBuild is e.g. "v1.2.0 go1.26" or "(devel) 1a2b3c4d5e6f modified go1.26".
func describeBuild(info *debug.BuildInfo) string {
	text := info.Main.Version
	if text == "" {
		text = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " modified"
		}
	}
	return text + " " + info.GoVersion
}

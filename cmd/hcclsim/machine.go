package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/scenarios"
)

// machineKeys are the flags that stand for a key of a topology.
var machineKeys = []keyFlag{
	{"servers", "", "", "topology.servers", "number of servers (default the topology's)"},
	{"npus", "", "", "topology.server.npus", "NPUs of a server (default the topology's)"},
	{"ranks", "", "", "topology.ranks", "NPUs of each server that take part, e.g. 8,4 for two servers (default all)"},
	{"pods", "", "", "topology.pods", "super-pods that the servers are divided into (default the topology's)"},
}

// addKeys defines flags.
func addKeys(cmd *cobra.Command, flags []keyFlag) {
	for _, f := range flags {
		cmd.Flags().StringP(f.name, f.short, f.preset, f.usage)
	}
}

// machineOverrides are what the flags of machineKeys put into a topology. As many servers
// as have their ranks named are there, unless their number is asked for, too.
func machineOverrides(cmd *cobra.Command) ([]scenarios.Override, error) {
	var overrides []scenarios.Override
	for _, f := range machineKeys {
		flag := cmd.Flags().Lookup(f.name)
		value, origin := flag.Value.String(), "--"+f.name+" "+flag.Value.String()
		switch {
		case !flag.Changed:
			continue
		case f.name == "servers" && strings.ContainsAny(value, ",+"):
			return nil, usagef("%s: expected a number of servers; the NPUs of each are --ranks %s", origin, value)
		case f.name == "ranks":
			sizes := splitSizes(value)
			if !cmd.Flags().Changed("servers") {
				overrides = append(overrides, scenarios.Override{Path: "topology.servers", Value: strconv.Itoa(len(sizes)), Origin: origin})
			}
			value = "[" + strings.Join(sizes, ", ") + "]"
		}
		overrides = append(overrides, scenarios.Override{Path: f.path, Value: value, Origin: origin})
	}
	return overrides, nil
}

// splitSizes splits the sizes of servers, 8,4 or 8+4.
func splitSizes(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "+", ","), ",")
}

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// shard is a part of a study's points: every n-th of them. The zero value is the whole.
type shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`
}

func (s shard) whole() bool { return s.Of == 0 }

// takes says whether the shard has the n-th point, from 0. Neighbours, which are alike in size,
// go to different shards.
func (s shard) takes(n int) bool { return s.whole() || n%s.Of == s.Index-1 }

// directory is where the results of a shard are, below those of the study.
func (s shard) directory() string { return fmt.Sprintf("shard-%d-of-%d", s.Index, s.Of) }

// maxShards is as many as the tasks that a job array of Slurm may have by default, rounded up.
const maxShards = 10_000

// parseShard reads i/n, or */n, whose i is that of the task: of a Slurm job array or of an
// indexed job of Kubernetes. Empty is the whole, or what a Slurm job array says.
func parseShard(text string, env func(string) string) (shard, error) {
	if text == "" {
		if env("SLURM_ARRAY_TASK_COUNT") == "" {
			return shard{}, nil
		}
		text = "*/" + env("SLURM_ARRAY_TASK_COUNT")
	}
	index, of, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(of)
	if !ok || err != nil || n < 1 || n > maxShards {
		return shard{}, usagef("--shard %s: expected i/n with 1 <= i <= n <= %d, or */n for the task of a job array", text, maxShards)
	}
	i, err := strconv.Atoi(index)
	if index == "*" {
		i, err = taskIndex(env)
	}
	if err != nil || i < 1 || i > n {
		return shard{}, usagef("--shard %s: expected i/n with 1 <= i <= n, %s", text, given(index, i, err))
	}
	return shard{i, n}, nil
}

func given(index string, i int, err error) string {
	switch {
	case index != "*":
		return "got " + index
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("this is task %d", i)
}

// taskIndex is the number of this task, from 1.
func taskIndex(env func(string) string) (int, error) {
	number := func(name, absent string) (int, error) {
		text := env(name)
		if text == "" {
			text = absent
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			err = fmt.Errorf("%s is %q, not a number", name, text)
		}
		return n, err
	}
	if env("SLURM_ARRAY_TASK_ID") == "" && env("JOB_COMPLETION_INDEX") != "" {
		i, err := number("JOB_COMPLETION_INDEX", "")
		return i + 1, err
	}
	if env("SLURM_ARRAY_TASK_ID") == "" {
		return 0, fmt.Errorf("neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set")
	}
	var values [3]int
	for i, name := range []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"} {
		n, err := number(name, []string{"", "0", "1"}[i])
		if err != nil {
			return 0, err
		}
		values[i] = n
	}
	return (values[0]-values[1])/max(values[2], 1) + 1, nil
}

// shardFlag is the shard of the flag --shard and of the environment.
func shardFlag(text string) (shard, error) { return parseShard(text, os.Getenv) }

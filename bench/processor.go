package main

import (
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// processes returns the processes whose processor time is that of a server: its own, and those of its connections to
// PostgreSQL, which are on this machine.
func (s *system) processes() []int {
	all := []int{s.cmd.Process.Pid}
	if s.database == "" {
		return all
	}
	out, err := exec.Command("psql", s.database, "-XAtc",
		"SELECT pid FROM pg_stat_activity WHERE datname = current_database()").Output()
	if err != nil {
		return all
	}
	for _, text := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(text); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// processorTime returns the processor time that processes have used; 0 for one that ended.
func processorTime(processes []int) (sum time.Duration) {
	const clockOfProcess = 2 // see clock_getcpuclockid(3)
	for _, pid := range processes {
		var t unix.Timespec
		if unix.ClockGettime(int32(^pid<<3|clockOfProcess), &t) == nil {
			sum += time.Duration(t.Nano())
		}
	}
	return sum
}

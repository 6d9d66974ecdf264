package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// results are requests a second, by scenario and system.
type results map[string]map[string]float64

// rounds measures every scenario on every system in turn, and returns medians. A first round is a warm-up, which does
// not count.
func rounds(ctx context.Context, o options, systems []*system) (results, error) {
	medians := results{}
	for _, scenario := range scenarios {
		rates := map[string][]float64{}
		for round := range o.rounds + 1 {
			for _, s := range systems {
				t, ok := s.targets[scenario]
				if !ok {
					continue
				}
				length := o.seconds
				if round == 0 {
					length = time.Second
				}
				rate, err := load(ctx, o.dir, s, t, clients(scenario), length)
				s.waitIdle()
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", s.name, scenario, err)
				}
				if round > 0 {
					rates[s.name] = append(rates[s.name], rate)
				}
			}
		}
		medians[scenario] = map[string]float64{}
		for name := range rates {
			medians[scenario][name] = median(rates[name])
			progress("%-40s %-22s %8.0f/s", scenario, name, medians[scenario][name])
		}
	}
	return medians, nil
}

func clients(scenario string) int {
	if scenario == create1 {
		return 1
	}
	return 16
}

// script makes wrk send a target's requests, with another seed in each round: random paths of a file, or the bodies in
// turn.
const script = `
math.randomseed(%d)
local paths, bodies = {}, %s
for line in io.lines(%q) do paths[#paths + 1] = line end
local n = math.random(1, 1000000000)
request = function()
  n = n + 1
  if #bodies > 0 then
    local body = string.gsub(bodies[n %% #bodies + 1], "NUMBER", tostring(n), 1)
    return wrk.format("POST", paths[1], nil, body)
  end
  return wrk.format("GET", paths[math.random(#paths)])
end
wrk.headers["Authorization"] = "Bearer %s"
wrk.headers["Content-Type"] = "application/json"
`

var (
	rateLine = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	badLine  = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)`)
)

// load runs wrk on the second core and returns requests a second. A response other than 2xx or 3xx is an error.
func load(ctx context.Context, dir string, s *system, t target, connections int, length time.Duration) (
	float64, error,
) {
	file, paths := filepath.Join(dir, "load.lua"), filepath.Join(dir, "paths")
	if err := os.WriteFile(paths, []byte(strings.Join(t.paths, "\n")), 0o600); err != nil {
		return 0, err
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, script, rand.Int32(), lua(t.bodies), paths, s.token),
		0o600); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, "taskset", "-c", "1", "wrk", "-t1", "-c"+strconv.Itoa(connections),
		fmt.Sprintf("-d%ds", int(length.Seconds())), "--timeout", "10s", "-s", file, s.url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	if bad := badLine.Find(out); bad != nil {
		return 0, fmt.Errorf("%s", bad)
	}
	m := rateLine.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no rate in wrk's output: %s", out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// lua writes strings as a Lua table.
func lua(list []string) string {
	text := "{"
	for _, s := range list {
		text += strconv.Quote(s) + ","
	}
	return text + "}"
}

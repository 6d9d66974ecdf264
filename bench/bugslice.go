package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// instance is an instance of Bugslice. Its database is the URL of one on PostgreSQL, or empty for SQLite.
type instance struct{ name, database string }

// flags returns the flags of Bugslice that name an instance.
func (in instance) flags(o options) []string {
	flags := []string{"--data", filepath.Join(o.dir, "data-"+in.name)}
	if in.database != "" {
		flags = append(flags, "--database-url", in.database)
	}
	return flags
}

// startBugslice creates an instance with o.slices slices in o.workspaces workspaces, and starts its server with further
// arguments. The server has one core, unless o.allCores.
func startBugslice(ctx context.Context, o options, in instance, args ...string) (*system, error) {
	first, err := bootstrap(ctx, o, in)
	if err != nil {
		return nil, err
	}
	s, err := serveBugslice(ctx, o, in, args)
	if err != nil {
		return nil, err
	}
	s.token, s.password = first.Token, first.Password
	workspaces := []string{first.WorkspaceID}
	for i := 1; i < o.workspaces; i++ {
		w, err := s.call(201, "POST", "/v1/workspaces", map[string]any{"name": fmt.Sprint("w", i)})
		if err != nil {
			return nil, err
		}
		workspaces = append(workspaces, w["id"].(string))
	}
	progress("%s: seed %d slices", s.name, o.slices)
	if err := s.createSlices(o.slices, workspaces...); err != nil {
		return nil, err
	}
	return s, s.findTargets(workspaces)
}

// bootstrapEmail is the address of the first user.
const bootstrapEmail = "bench@example.com"

// bootstrapped is what bugslice bootstrap prints.
type bootstrapped struct{ WorkspaceID, Token, Password string }

// bootstrap creates an instance with one organisation and one workspace.
func bootstrap(ctx context.Context, o options, in instance) (first bootstrapped, err error) {
	args := []string{"bootstrap", "--org", "Bench", "--email", bootstrapEmail, "--workspace", "w0", "--json"}
	out, err := exec.CommandContext(ctx, filepath.Join(o.dir, "bugslice"), append(args, in.flags(o)...)...).Output()
	if err != nil {
		return first, fmt.Errorf("bootstrap: %w", err)
	}
	return first, json.Unmarshal(out, &first)
}

// bugslice runs a command of the program on an instance that is not served.
func bugslice(ctx context.Context, o options, in instance, command ...string) error {
	out, err := exec.CommandContext(ctx, filepath.Join(o.dir, "bugslice"), slices.Concat(command, in.flags(o))...).
		CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
	}
	return nil
}

func serveBugslice(ctx context.Context, o options, in instance, args []string) (*system, error) {
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	serve := []string{filepath.Join(o.dir, "bugslice"), "serve", "--listen", listen, "--rate-limit", "off"}
	command := slices.Concat(serve, args, in.flags(o))
	if o.allCores {
		return run("Bugslice on "+in.name, "/readyz", listen, exec.CommandContext(ctx, command[0], command[1:]...))
	}
	return start(ctx, "Bugslice on "+in.name, "/readyz", listen, command...)
}

// slice returns the body of a report with a number.
func slice(workspace, number string) map[string]any {
	return map[string]any{"workspaceId": workspace, "summary": "Checkout button does nothing, case " + number,
		"description": description, "priority": "high", "severity": "major",
		"sourceUrl": "https://shop.example.com/cart", "labels": []string{"checkout", "firefox"},
		"metadata": map[string]string{"customer": "4711"},
		"environment": map[string]string{"browser": "Firefox 144", "os": "Windows 11", "viewport": "1440x812",
			"locale": "sv-SE"}}
}

// firstWorkspace returns the id of the first workspace that the user sees.
func (s *system) firstWorkspace() (string, error) {
	m, err := s.call(200, "GET", "/v1/workspaces", nil)
	if err != nil {
		return "", err
	}
	return m["data"].([]any)[0].(map[string]any)["id"].(string), nil
}

// createSlices creates n slices, in each workspace in turn, with 32 clients.
func (s *system) createSlices(n int, workspaces ...string) error {
	const clients = 32
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	errs := make(chan error, clients)
	var work sync.WaitGroup
	for c := range clients {
		work.Go(func() {
			for i := c; i < n; i += clients {
				if _, err := s.createSlice(slice(workspaces[i%len(workspaces)], strconv.Itoa(i))); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	work.Wait()
	close(errs)
	return <-errs // nil when there is none
}

// createSlice creates a slice and returns its id.
func (s *system) createSlice(body any) (id string, err error) {
	m, err := s.call(201, "POST", "/v1/slices", body)
	if err != nil {
		return "", err
	}
	return m["id"].(string), nil
}

// forEachPage calls page with each page of a list of Bugslice, and with the cursor parameter of its request.
func (s *system) forEachPage(path string, page func(rows []any, cursor string)) error {
	for cursor := ""; ; {
		m, err := s.call(200, "GET", path+cursor, nil)
		if err != nil {
			return err
		}
		page(m["data"].([]any), cursor)
		next := m["pagination"].(map[string]any)
		if next["hasMore"] == false {
			return nil
		}
		cursor = "&cursor=" + next["cursor"].(string)
	}
}

// findTargets sets what each scenario requests, such as the deepest full page of a list, and checks the responses.
func (s *system) findTargets(workspaces []string) error {
	path := "/v1/slices?workspaceId=" + workspaces[0]
	s.targets[listFirst] = target{paths: []string{path}}
	s.targets[listAll] = target{paths: []string{"/v1/slices"}}
	err := s.forEachPage(path+"&limit=25", func(rows []any, cursor string) {
		if len(rows) == 25 {
			s.targets[listDeep] = target{paths: []string{path + cursor}}
		}
	})
	if err != nil {
		return err
	}
	var paths, bodies []string
	for _, w := range workspaces {
		err := s.forEachPage("/v1/slices?limit=100&workspaceId="+w, func(rows []any, _ string) {
			for _, r := range rows {
				paths = append(paths, "/v1/slices/"+r.(map[string]any)["id"].(string))
			}
		})
		if err != nil {
			return err
		}
		b, err := json.Marshal(slice(w, "NUMBER"))
		if err != nil {
			return err
		}
		bodies = append(bodies, string(b))
	}
	s.targets[getOne] = target{paths: paths}
	s.targets[create1] = target{paths: []string{"/v1/slices"}, bodies: bodies[:1]}
	s.targets[create16] = s.targets[create1]
	s.targets[createAll] = target{paths: []string{"/v1/slices"}, bodies: bodies}
	return s.check("data", 201)
}

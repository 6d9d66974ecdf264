package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// instanceFlags returns the flags of Bugslice that name an instance.
func (o options) instanceFlags(name, database string) []string {
	flags := []string{"--data", filepath.Join(o.dir, "data-"+name)}
	if database != "" {
		flags = append(flags, "--database-url", database)
	}
	return flags
}

// bootstrapEmail is the address of the first user.
const bootstrapEmail = "bench@example.com"

func startBugslice(ctx context.Context, o options, name, database string, args ...string) (*system, error) {
	instance := o.instanceFlags(name, database)
	binary := filepath.Join(o.dir, "bugslice")
	bootstrap := append([]string{"bootstrap", "--org", "Bench", "--email", bootstrapEmail, "--workspace", "w0", "--json"}, instance...)
	out, err := exec.CommandContext(ctx, binary, bootstrap...).Output()
	if err != nil {
		return nil, fmt.Errorf("bootstrap: %w", err)
	}
	var first struct{ WorkspaceID, Token, Password string }
	if err := json.Unmarshal(out, &first); err != nil {
		return nil, err
	}
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	command := append([]string{binary, "serve", "--listen", listen, "--rate-limit", "off"}, append(args, instance...)...)
	var s *system
	if o.allCores {
		s, err = run("Bugslice on "+name, "/readyz", listen, exec.CommandContext(ctx, command[0], command[1:]...))
	} else {
		s, err = start(ctx, "Bugslice on "+name, "/readyz", listen, command...)
	}
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
	if err := s.seed(o, workspaces); err != nil {
		return nil, err
	}
	return s, s.findTargets(workspaces)
}

// slice returns the body of a report.
func slice(workspace, i string) map[string]any {
	return map[string]any{"workspaceId": workspace, "summary": "Checkout button does nothing, case " + i,
		"description": description, "priority": "high", "severity": "major",
		"sourceUrl": "https://shop.example.com/cart", "labels": []string{"checkout", "firefox"},
		"metadata":    map[string]string{"customer": "4711"},
		"environment": map[string]string{"browser": "Firefox 144", "os": "Windows 11", "viewport": "1440x812", "locale": "sv-SE"}}
}

// firstWorkspace returns the id of the first workspace that the user sees.
func (s *system) firstWorkspace() (string, error) {
	m, err := s.call(200, "GET", "/v1/workspaces", nil)
	if err != nil {
		return "", err
	}
	return m["data"].([]any)[0].(map[string]any)["id"].(string), nil
}

// seed creates the slices.
func (s *system) seed(o options, workspaces []string) error {
	progress("%s: seed %d slices", s.name, o.slices)
	const clients = 32
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	errs := make(chan error, clients)
	var work sync.WaitGroup
	for c := range clients {
		work.Go(func() {
			for i := c; i < o.slices; i += clients {
				if _, err := s.call(201, "POST", "/v1/slices", slice(workspaces[i%len(workspaces)], strconv.Itoa(i))); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	work.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
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

// findTargets finds the deepest full page and every id, and checks the responses.
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
	var ids, one, many []string
	for i, w := range workspaces {
		err := s.forEachPage("/v1/slices?limit=100&workspaceId="+w, func(rows []any, _ string) {
			for _, r := range rows {
				ids = append(ids, "/v1/slices/"+r.(map[string]any)["id"].(string))
			}
		})
		if err != nil {
			return err
		}
		b, err := json.Marshal(slice(w, "NUMBER"))
		if err != nil {
			return err
		}
		if i == 0 {
			one = []string{string(b)}
		}
		many = append(many, string(b))
	}
	s.targets[getOne] = target{paths: ids}
	s.targets[create1] = target{paths: []string{"/v1/slices"}, bodies: one}
	s.targets[create16] = s.targets[create1]
	s.targets[createAll] = target{paths: []string{"/v1/slices"}, bodies: many}
	return s.check("data", 201)
}

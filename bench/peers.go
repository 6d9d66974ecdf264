package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// startPocketBase starts PocketBase with as many slices and workspaces as Bugslice has.
func startPocketBase(ctx context.Context, o options) (*system, error) {
	binary, data := filepath.Join(o.dir, "pocketbase"), filepath.Join(o.dir, "data-pocketbase")
	progress("PocketBase: seed %d slices", o.slices)
	seed := exec.CommandContext(ctx, binary, "seed", strconv.Itoa(o.slices), strconv.Itoa(o.workspaces), "--dir", data)
	if out, err := seed.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("seed PocketBase: %w: %s", err, out)
	}
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, "PocketBase", "/api/health", listen, binary, "serve", "--http", listen, "--dir", data)
	if err != nil {
		return nil, err
	}
	login := map[string]any{"identity": "bench@example.com", "password": "correct horse battery"}
	m, err := s.call(200, "POST", "/api/collections/users/auth-with-password", login)
	if err != nil {
		return nil, err
	}
	s.token = m["token"].(string)
	const records = "/api/collections/slices/records"
	page := func(n int, filter string) string {
		return fmt.Sprintf("%s?page=%d&perPage=25&skipTotal=1&sort=-created%s", records, n, filter)
	}
	const in = "&filter=(workspace%3D'workspace000000')"
	s.targets[listFirst] = target{paths: []string{page(1, in)}}
	s.targets[listDeep] = target{paths: []string{page(max(1, o.slices/o.workspaces/25), in)}}
	s.targets[listAll] = target{paths: []string{page(1, "")}}
	ids, err := s.records(records, o.slices)
	if err != nil {
		return nil, err
	}
	s.targets[getOne] = target{paths: ids}
	body := slice("", "NUMBER")
	delete(body, "workspaceId")
	body["workspace"], body["status"] = "workspace000000", "open"
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	s.targets[create1] = target{paths: []string{records}, bodies: []string{string(b)}}
	s.targets[create16] = s.targets[create1]
	return s, s.check("items", 200)
}

// records returns the paths of all records of a PocketBase collection, of which there must be n.
func (s *system) records(collection string, n int) ([]string, error) {
	var paths []string
	for page := 1; len(paths) < n; page++ {
		m, err := s.call(200, "GET", fmt.Sprintf("%s?page=%d&perPage=1000&skipTotal=1&fields=id", collection, page),
			nil)
		if err != nil {
			return nil, err
		}
		rows, _ := m["items"].([]any)
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s shows %d records of %d", s.name, len(paths), n)
		}
		for _, r := range rows {
			paths = append(paths, collection+"/"+r.(map[string]any)["id"].(string))
		}
	}
	return paths, nil
}

// startBare serves the same bytes as Bugslice's responses.
func startBare(ctx context.Context, dir string, ours *system) (*system, error) {
	files := map[string]string{"list": ours.targets[listFirst].paths[0], "one": ours.targets[getOne].paths[0]}
	for name, path := range files {
		m, err := ours.call(200, "GET", path, nil)
		if err != nil {
			return nil, err
		}
		b, err := json.Marshal(m)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, "bare net/http", "/one", listen, filepath.Join(dir, "bare"),
		"-listen", listen, "-list", filepath.Join(dir, "list"), "-one", filepath.Join(dir, "one"))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{listFirst, listDeep, listAll} {
		s.targets[name] = target{paths: []string{"/list"}}
	}
	s.targets[getOne] = target{paths: []string{"/one"}}
	return s, s.check("data", 0)
}

package suite

import (
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hashed reports whether a value is the keyed hash of one that held a secret.
func hashed(v any) bool {
	s, _ := v.(string)
	return len(s) == 33 && strings.HasPrefix(s, "redacted-")
}

// found returns how many slices of a workspace a filter finds.
func (o org) found(t *testing.T, filter, value string) int {
	t.Helper()
	return len(o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace+"&"+filter+"="+url.QueryEscape(value),
		nil).get(t, "data").([]any))
}

// TestKeyedHashes: a secret in a label, a fingerprint or an externalId is not stored, and equal values stay equal for
// filters, occurrences and conflicts.
func TestKeyedHashes(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "keyed")
		token, second := "ghp_R8sT3uVwXyZ1a2B4c5D6e7F8g9H0iJkLmNoP", "glpat-Zq7Wm2Xc9Vb4Nn1Ls6Kd"
		external, print := "run-7-"+token, "AuthError: password=hunter2 at login.js"
		body := map[string]any{"workspaceId": o.Workspace, "summary": "Login fails",
			"labels": []string{"checkout", "token:" + second}, "externalId": external, "fingerprint": print}
		made := o.want(t, 201, "POST", "/v1/slices", body, "Idempotency-Key", "k")
		for _, secret := range []string{token, second, "hunter2"} {
			if strings.Contains(string(made.Body), secret) {
				t.Errorf("%s is stored: %s", secret, made.Body)
			}
		}
		made.has(t, members{"labels.0": "checkout"})
		labels := made.get(t, "labels").([]any)
		for name, value := range map[string]any{"labels.1": labels[1],
			"externalId": made.get(t, "externalId"), "fingerprint": made.get(t, "fingerprint")} {
			if !hashed(value) {
				t.Errorf("%s is %v, want a keyed hash", name, value)
			}
		}
		if counts := made.get(t, "redaction.counts").(map[string]any); counts["token"] != float64(1) ||
			counts["field"] != float64(2) {
			t.Errorf("counted %v", counts)
		}
		if again := o.want(t, 201, "POST", "/v1/slices", body, "Idempotency-Key", "k"); again.get(t,
			"id") != made.get(t, "id") {
			t.Errorf("replayed: %s", again.Body)
		}
		for filter, values := range map[string][]string{"label": {"checkout", "token:" + second, labels[1].(string)},
			"externalId": {external, made.get(t, "externalId").(string)}, "fingerprint": {print}} {
			for _, v := range values {
				if n := o.found(t, filter, v); n != 1 {
					t.Errorf("%s=%s finds %d", filter, v, n)
				}
			}
			if n := o.found(t, filter, "another "+token); n != 0 {
				t.Errorf("%s of another secret finds %d", filter, n)
			}
		}
		o.want(t, 200, "POST", "/v1/slices", body).has(t, members{"occurrenceCount": 2})
		taken := o.want(t, 409, "POST", "/v1/slices",
			map[string]any{"workspaceId": o.Workspace, "summary": "x", "externalId": external})
		if strings.Contains(string(taken.Body), token) {
			t.Errorf("the refusal shows the secret: %s", taken.Body)
		}

		other := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string)
		o.want(t, 409, "PATCH", other, map[string]any{"externalId": external})
		patched := o.want(t, 200, "PATCH", other,
			map[string]any{"labels": []string{"token:" + second, labels[1].(string), "new"},
				"externalId": "id-" + second})
		patched.has(t, members{"labels": []any{labels[1], "new"}})
		if id := patched.get(t, "externalId"); !hashed(id) {
			t.Errorf("externalId is %v, want a keyed hash", id)
		}
		if n := o.found(t, "label", "token:"+second); n != 2 {
			t.Errorf("the label finds %d", n)
		}
		if n := o.found(t, "externalId", "id-"+second); n != 1 {
			t.Errorf("the patched externalId finds %d", n)
		}
		same := o.want(t, 200, "PATCH", other, map[string]any{"labels": patched.get(t, "labels"),
			"externalId": patched.get(t, "externalId")})
		if same.get(t, "version") != patched.get(t, "version") {
			t.Errorf("what is hashed was changed: %s", same.Body)
		}
	})
}

// TestKeyedHashesOfRules: a value with a match of the workspace's own rule is hashed, too, and equals the value that
// was stored before the rule.
func TestKeyedHashesOfRules(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "keyed")
	body := map[string]any{"workspaceId": o.Workspace, "summary": "x",
		"labels": []string{"CUST-123456"}, "externalId": "CUST-654321", "fingerprint": "of CUST-111111"}
	o.want(t, 201, "POST", "/v1/slices", body)
	o.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace,
		map[string]any{"redaction": map[string]any{"patterns": []any{map[string]any{"pattern": "CUST-[0-9]{6}"}}}})
	o.want(t, 200, "POST", "/v1/slices", body).has(t, members{"occurrenceCount": 2})
	delete(body, "fingerprint")
	o.want(t, 409, "POST", "/v1/slices", body)
	other := o.slice(t, o.Workspace, map[string]any{"labels": []string{"CUST-123456"}})
	if l := other["labels"].([]any); !hashed(l[0]) {
		t.Errorf("%v", other)
	}
	o.want(t, 409, "PATCH", "/v1/slices/"+other["id"].(string), map[string]any{"externalId": "CUST-654321"})
	if n := o.found(t, "label", "CUST-123456"); n != 2 {
		t.Errorf("the label finds %d", n)
	}
}

// TestKeyedHashesOutliveRotation: a hash under a former master secret is found and conflicts while that secret is in
// the list.
func TestKeyedHashesOutliveRotation(t *testing.T) {
	t.Parallel()
	dir := keepDir(t)
	s := newServer(t, "sqlite", dir)
	s.start(t)
	defer func() { s.kill() }()
	o := newOrg(t, s, "keyed")
	const token = "ghp_R8sT3uVwXyZ1a2B4c5D6e7F8g9H0iJkLmNoP"
	body := map[string]any{"workspaceId": o.Workspace, "summary": "x",
		"labels": []string{token}, "externalId": "x-" + token, "fingerprint": "y " + token}
	first := o.want(t, 201, "POST", "/v1/slices", body)
	s.kill()

	file := filepath.Join(dir, "secret.key")
	old, err := os.ReadFile(file)
	must(t, err)
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	must(t, os.WriteFile(file, []byte(hex.EncodeToString(key)+","+string(old)), 0o600))
	s.start(t)
	o.want(t, 200, "POST", "/v1/slices", body).has(t, members{"id": first.get(t, "id")})
	o.want(t, 409, "POST", "/v1/slices",
		map[string]any{"workspaceId": o.Workspace, "summary": "x", "externalId": "x-" + token})
	other := o.slice(t, o.Workspace, map[string]any{"labels": []string{token}})
	if hash := other["labels"].([]any)[0]; !hashed(hash) || hash == first.get(t, "labels").([]any)[0] {
		t.Errorf("%v is not made under the new secret", hash)
	}
	o.want(t, 409, "PATCH", "/v1/slices/"+other["id"].(string), map[string]any{"externalId": "x-" + token})
	for filter, n := range map[string]int{"label=" + token: 2, "externalId=x-" + token: 1} {
		name, value, _ := strings.Cut(filter, "=")
		if got := o.found(t, name, value); got != n {
			t.Errorf("%s finds %d", filter, got)
		}
	}
}

package suite

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// batch sends a batch and returns its results.
func (c client) batch(t *testing.T, verb string, items []any, headers ...string) []any {
	t.Helper()
	return c.want(t, 200, "POST", "/v1/slices/batch-"+verb, map[string]any{"items": items}, headers...).
		get(t, "results").([]any)
}

// statuses returns the statuses of the results of a batch.
func statuses(results []any) string {
	var all []string
	for _, r := range results {
		all = append(all, fmt.Sprint(memberAt(r, "status")))
	}
	return strings.Join(all, " ")
}

// fieldsOf returns the members of a slice that the undo of a move restores.
func fieldsOf(slice any) map[string]any {
	fields := map[string]any{}
	for _, name := range []string{"status", "resolution", "priority", "assigneeId", "duplicateOfId", "labels"} {
		fields[name] = memberAt(slice, name)
	}
	return fields
}

// etag returns the ETag of a slice.
func etag(slice any) string { return strconv.Quote(fmt.Sprint(memberAt(slice, "version"))) }

// TestUndoOfABatch: a batch closes slices of every status; another batch restores what each was, under If-Match. The
// one that somebody has changed meanwhile is refused in its place, and the others are restored.
func TestUndoOfABatch(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "undo")
		member, memberID := o.newUser(t, "member", o.Workspace)
		original := o.slice(t, o.Workspace, nil)
		var before, closing []any
		for n, fields := range []map[string]any{
			{},
			{"status": "open", "priority": "low", "assigneeId": memberID},
			{"status": "in_progress", "priority": "urgent", "labels": []string{"ui"}},
			{"status": "resolved", "priority": "high"},
			{"status": "resolved", "resolution": "duplicate", "duplicateOfId": original["id"]},
			{"status": "closed", "resolution": "wont_fix", "assigneeId": o.UserID},
			{"status": "open", "summary": "changed meanwhile"},
		} {
			made := o.slice(t, o.Workspace, fields)
			before = append(before, made)
			name := made["id"]
			if n%2 == 1 {
				name = made["reference"]
			}
			closing = append(closing, map[string]any{"id": name, "ifMatch": etag(made), "patch": map[string]any{
				"status": "closed", "resolution": "not_a_bug", "priority": "medium",
				"assigneeId": o.UserID, "labels": []string{"done"}, "duplicateOfId": nil}})
		}
		log := "/v1/events?limit=100&workspaceId=" + o.Workspace
		last := o.want(t, 200, "GET", log, nil).get(t, "data").([]any)
		after := "&after=" + memberAt(last[len(last)-1], "id").(string)

		closed := o.batch(t, "update", closing)
		assert.Equal(t, "statuses of closing", statuses(closed), "200 200 200 200 200 200 200")
		var undo []any
		for n, r := range closed {
			wantMembers(t, "a closed one", r, members{"id": closing[n].(map[string]any)["id"],
				"problem": nil, "slice.id": memberAt(before[n], "id"),
				"slice.status": "closed", "slice.resolution": "not_a_bug", "slice.priority": "medium",
				"slice.labels": []string{"done"}})
			undo = append(undo, map[string]any{"id": memberAt(before[n], "id"),
				"ifMatch": etag(memberAt(r, "slice")), "patch": fieldsOf(before[n])})
		}
		changed := "/v1/slices/" + memberAt(before[6], "id").(string)
		theirs := member.want(t, 200, "PATCH", changed, map[string]any{"priority": "urgent"}).JSON(t)

		undone := o.batch(t, "update", undo)
		assert.Equal(t, "statuses of the undo", statuses(undone), "200 200 200 200 200 200 412")
		for n, r := range undone[:6] {
			assert.Equal(t, fmt.Sprint("slice ", n), fieldsOf(memberAt(r, "slice")), fieldsOf(before[n]))
			assert.Equal(t, fmt.Sprint("slice ", n, " as stored"),
				fieldsOf(o.want(t, 200, "GET", "/v1/slices/"+memberAt(r, "id").(string), nil).JSON(t)),
				fieldsOf(before[n]))
		}
		wantMembers(t, "the changed one", undone[6],
			members{"slice": nil, "problem.code": "precondition_failed", "problem.status": 412})
		assert.Equal(t, "the changed one", fieldsOf(o.want(t, 200, "GET", changed, nil).JSON(t)), fieldsOf(theirs))

		counts := map[string]int{}
		for _, e := range o.want(t, 200, "GET", log+after, nil).get(t, "data").([]any) {
			counts[memberAt(e, "type").(string)]++
		}
		// Seven were closed, one was changed, and six were restored. One was closed before; one was its assignee's
		// before.
		assert.Equal(t, "events", counts,
			map[string]int{"slice.updated": 14, "slice.status_changed": 11, "slice.assigned": 11})
	})
}

// TestBatchEnvelope: a batch that is not valid as a whole changes nothing. The faults of a patch are those of its item.
func TestBatchEnvelope(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "envelope")
		a, b := o.slice(t, o.Workspace, nil), o.slice(t, o.Workspace, nil)
		high := map[string]any{"priority": "high"}
		item := func(id any) map[string]any { return map[string]any{"id": id, "patch": high} }
		many := make([]any, 101)
		for n := range many {
			many[n] = item(fmt.Sprint("slc_", n))
		}
		reference := a["reference"].(string)
		o.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace, map[string]any{"key": "FORMER"})
		for name, c := range map[string]struct {
			body    any
			status  int
			pointer string
			code    string
		}{
			"no items":  {map[string]any{"items": []any{}}, 422, "/items", "too_few"},
			"no list":   {map[string]any{}, 422, "/items", "required"},
			"101 items": {map[string]any{"items": many}, 422, "/items", "too_many"},
			"an unknown member": {map[string]any{"items": []any{item(a["id"])}, "dryRun": true}, 422, "/dryRun",
				"unknown_member"},
			"of an item": {items(map[string]any{"id": a["id"], "patch": high, "version": 1}),
				422, "/items/0/version", "unknown_member"},
			"no patch": {items(item(b["id"]), map[string]any{"id": a["id"]}), 422, "/items/1/patch",
				"required"},
			"no object": {items(map[string]any{"id": a["id"], "patch": "x"}), 422, "/items/0/patch",
				"wrong_type"},
			"an id twice": {items(item(a["id"]), item(b["id"]), item(a["id"])), 422, "/items/2/id",
				"repeated"},
			"an id and a reference": {items(item(a["id"]), item(reference)), 422, "/items/1/id", "repeated"},
			"two references": {items(item(strings.ToLower(reference)), item("FORMER-1")), 422, "/items/1/id",
				"repeated"},
			"of no slice": {items(item(a["id"]), item("NONE-1"), item("none-1")), 422, "/items/2/id",
				"repeated"},
			"not JSON": {"{", 400, "", "malformed_json"},
			"a member twice": {`{"items":[{"id":"x","patch":{"summary":"a","summary":"b"}}]}`,
				400, "/items/0/patch/summary", "duplicate_member"},
		} {
			t.Log(name)
			o.want(t, c.status, "POST", "/v1/slices/batch-update", c.body).has(t,
				members{"errors.0.pointer": pointerOrNil(c.pointer), "errors.0.code": c.code})
		}
		for _, made := range []map[string]any{a, b} {
			o.want(t, 200, "GET", "/v1/slices/"+made["id"].(string), nil).has(t, members{"version": 1})
		}
		for _, verb := range []string{"delete", "restore"} {
			o.want(t, 422, "POST", "/v1/slices/batch-"+verb,
				items(map[string]any{"id": a["id"]}, map[string]any{"id": reference})).
				has(t, members{"errors.0.pointer": "/items/1/id", "errors.0.code": "repeated"})
		}
	})
}

func pointerOrNil(pointer string) any {
	if pointer == "" {
		return nil
	}
	return pointer
}

// TestBatchProblems: each item has the problem that the single operation would give, and the others are carried out.
func TestBatchProblems(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o, other := newOrg(t, s, "places"), newOrg(t, s, "others")
		deleted := o.slice(t, o.Workspace, nil)["id"]
		o.want(t, 204, "DELETE", "/v1/slices/"+deleted.(string), nil)
		o.slice(t, o.Workspace, map[string]any{"externalId": "taken"})
		change := func(id any, patch map[string]any, ifMatch ...string) map[string]any {
			item := map[string]any{"id": id, "patch": patch}
			if len(ifMatch) > 0 {
				item["ifMatch"] = ifMatch[0]
			}
			return item
		}
		own := func() any { return o.slice(t, o.Workspace, nil)["id"] }
		first, last := own(), own()
		results := o.batch(t, "update", []any{
			change(first, map[string]any{"summary": "first"}),
			change(other.slice(t, other.Workspace, nil)["id"], map[string]any{"summary": "theirs"}),
			change(deleted, map[string]any{"summary": "deleted"}),
			change("no id", map[string]any{"summary": "none"}),
			change("NONE-5", map[string]any{"summary": "none"}),
			change(own(), map[string]any{"summary": "", "number": 7, "labels": []any{"a,b"}}),
			change(own(), map[string]any{"summary": "nul\x00"}),
			change(own(), map[string]any{"status": "open", "resolution": "fixed"}),
			change(own(), map[string]any{"assigneeId": "usr_01ja8m2c9tf3qb6h0v5r4x7kyz"}),
			change(own(), map[string]any{"externalId": "taken"}),
			change(own(), map[string]any{"summary": "stale"}, `"7"`),
			change(own(), map[string]any{"summary": "any"}, "*"),
			change(own(), map[string]any{}),
			change(last, map[string]any{"summary": "last"}),
		})
		assert.Equal(t, "statuses", statuses(results), "200 404 404 404 404 422 422 422 422 409 412 200 200 200")
		wantMembers(t, "first", results[0], members{"slice.summary": "first", "slice.version": 2})
		wantMembers(t, "last", results[13], members{"slice.summary": "last", "slice.version": 2})
		wantMembers(t, "unchanged", results[12], members{"slice.version": 1})
		for n, c := range map[int]members{
			1: {"slice": nil, "problem.code": "not_found"},
			4: {"problem.code": "not_found", "id": "NONE-5"},
			5: {"problem.errors.0.pointer": "/labels/0", "problem.errors.1.pointer": "/number",
				"problem.errors.1.code": "read_only", "problem.errors.2.pointer": "/summary"},
			6:  {"problem.errors.0.pointer": "/summary", "problem.errors.0.code": "nul_character"},
			7:  {"problem.errors.0.pointer": "/resolution"},
			8:  {"problem.errors.0.pointer": "/assigneeId", "problem.errors.0.code": "unknown_reference"},
			9:  {"problem.code": "external_id_taken"},
			10: {"problem.code": "precondition_failed"},
		} {
			wantMembers(t, fmt.Sprint("item ", n), results[n], c)
		}
		single := o.want(t, 404, "GET", "/v1/slices/NONE-5", nil).JSON(t)
		wantMembers(t, "a problem in its place", results[4], members{"problem.type": single["type"],
			"problem.title": single["title"], "problem.detail": single["detail"]})
		if id, _ := memberAt(results[4], "problem.requestId").(string); !strings.HasPrefix(id, "req_") {
			t.Errorf("the problem has the request id %q", id)
		}
	})
}

// TestBatchIdentifiers: items that give and take externalIds, and that open slices with one fingerprint, are carried
// out in their order.
func TestBatchIdentifiers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "identifiers")
		with := func(body map[string]any) any { return o.slice(t, o.Workspace, body)["id"] }
		change := func(id any, patch map[string]any) map[string]any { return map[string]any{"id": id, "patch": patch} }
		a, b, c := with(map[string]any{"externalId": "a"}), with(map[string]any{"externalId": "b"}), with(nil)
		results := o.batch(t, "update", []any{change(c, map[string]any{"priority": "low"}),
			change(a, map[string]any{"externalId": "b"}),
			change(b, map[string]any{"externalId": "c"})})
		assert.Equal(t, "statuses of an id that is given up later", statuses(results), "200 409 200")
		results = o.batch(t, "update", []any{change(b, map[string]any{"externalId": nil}),
			change(c, map[string]any{"externalId": "c"}), change(a, map[string]any{"externalId": "b"})})
		assert.Equal(t, "statuses of ids that are given up before", statuses(results), "200 200 200")
		results = o.batch(t, "update", []any{change(a, map[string]any{"externalId": "d"}),
			change(b, map[string]any{"externalId": "d"}), change(c, map[string]any{"priority": nil})})
		assert.Equal(t, "statuses of an id that two want", statuses(results), "200 409 200")
		wantMembers(t, "the first one", o.want(t, 200, "GET", "/v1/slices/"+a.(string), nil).JSON(t),
			members{"externalId": "d"})

		first := with(map[string]any{"fingerprint": "f"})
		o.want(t, 200, "PATCH", "/v1/slices/"+first.(string), map[string]any{"status": "resolved"})
		second := with(map[string]any{"fingerprint": "f"})
		results = o.batch(t, "update", []any{change(c, map[string]any{"priority": "high"}),
			change(first, map[string]any{"status": "open"}), change(second, map[string]any{"status": "resolved"})})
		assert.Equal(t, "statuses of a fingerprint that is free later", statuses(results), "200 409 200")
		o.want(t, 200, "PATCH", "/v1/slices/"+second.(string), map[string]any{"status": "open"})
		results = o.batch(t, "update", []any{change(second, map[string]any{"status": "closed"}),
			change(first, map[string]any{"status": "in_progress"}), change(c, map[string]any{"priority": nil})})
		assert.Equal(t, "statuses of a fingerprint that is free before", statuses(results), "200 200 200")
	})
}

// TestBatchDeleteAndRestore: several slices are deleted, some by reference, and restored. A repeated deletion is 404,
// and the restoration of a live slice returns it.
func TestBatchDeleteAndRestore(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "deletions")
		a, b, c := o.slice(t, o.Workspace, nil), o.slice(t, o.Workspace, nil), o.slice(t, o.Workspace, nil)
		deletions := []any{map[string]any{"id": a["reference"], "ifMatch": etag(a)},
			map[string]any{"id": b["id"]}, map[string]any{"id": c["id"], "ifMatch": `"9"`}}
		deleted := o.batch(t, "delete", deletions)
		assert.Equal(t, "statuses of the deletion", statuses(deleted), "204 204 412")
		wantMembers(t, "a deletion", deleted[0], members{"id": a["reference"], "slice": nil, "problem": nil})
		assert.Equal(t, "statuses of another deletion", statuses(o.batch(t, "delete", deletions)), "404 404 412")
		o.want(t, 404, "GET", "/v1/slices/"+a["id"].(string), nil)
		restored := o.batch(t, "restore", []any{map[string]any{"id": a["id"]},
			map[string]any{"id": b["reference"]}, map[string]any{"id": c["id"]}, map[string]any{"id": "NONE-1"}})
		assert.Equal(t, "statuses of the restoration", statuses(restored), "200 200 200 404")
		wantMembers(t, "a restored one", restored[1], members{"slice.id": b["id"]})
		o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace, nil).has(t, members{"data.#": 3})
		events := o.want(t, 200, "GET", "/v1/events?type=slice.deleted,slice.restored&workspaceId="+o.Workspace, nil)
		events.has(t, members{"data.#": 4, "data.0.type": "slice.deleted",
			"data.0.data.slice.id": a["id"], "data.3.type": "slice.restored", "data.3.data.slice.id": b["id"]})
	})
}

// TestBatchRetry: a retry with the same Idempotency-Key returns the results of the items that were carried out, and
// carries out those that were refused. The key is refused for another batch, before anything changes.
func TestBatchRetry(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "retries")
		a, b := o.slice(t, o.Workspace, nil), o.slice(t, o.Workspace, nil)
		o.want(t, 204, "DELETE", "/v1/slices/"+b["id"].(string), nil)
		changes := []any{map[string]any{"id": a["id"], "ifMatch": etag(a), "patch": map[string]any{"summary": "once"}},
			map[string]any{"id": b["id"], "patch": map[string]any{"summary": "later"}}}
		first := o.batch(t, "update", changes, "Idempotency-Key", "k")
		assert.Equal(t, "statuses", statuses(first), "200 404")
		o.want(t, 200, "POST", "/v1/slices/"+b["id"].(string)+"/restore", nil)
		o.want(t, 200, "PATCH", "/v1/slices/"+a["id"].(string), map[string]any{"priority": "low"})
		again := o.batch(t, "update", changes, "Idempotency-Key", "k")
		assert.Equal(t, "statuses of the retry", statuses(again), "200 200")
		assert.Equal(t, "the result of the item that was carried out", again[0], first[0])
		wantMembers(t, "the item that was refused", again[1], members{"slice.summary": "later"})
		o.want(t, 200, "GET", "/v1/slices/"+a["id"].(string), nil).
			has(t, members{"version": 3, "priority": "low", "summary": "once"})
		other := []any{map[string]any{"id": b["id"], "patch": map[string]any{"summary": "other"}}}
		o.want(t, 422, "POST", "/v1/slices/batch-update", map[string]any{"items": other},
			"Idempotency-Key", "k").has(t, members{"code": "idempotency_key_reused"})
		o.want(t, 200, "GET", "/v1/slices/"+b["id"].(string), nil).has(t, members{"summary": "later"})

		deletions := []any{map[string]any{"id": a["id"]}, map[string]any{"id": b["id"]}}
		for range 2 {
			assert.Equal(t, "statuses of the deletion",
				statuses(o.batch(t, "delete", deletions, "Idempotency-Key", "k")), "204 204")
		}
		restorations := []any{map[string]any{"id": a["id"]}}
		version := memberAt(o.batch(t, "restore", restorations, "Idempotency-Key", "k")[0], "slice.version")
		assert.Equal(t, "the version of the retry",
			memberAt(o.batch(t, "restore", restorations, "Idempotency-Key", "k")[0],
				"slice.version"), version)
	})
}

// TestBatchBaseVersion: an item with the version on which it is based applies although other members were changed
// meanwhile, also for a key that reads nothing. One whose member was changed is refused, with the member and without
// the slice. What the caller does not see is not found, whatever the version, and a retry says what the first request
// changed.
func TestBatchBaseVersion(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o, other := newOrg(t, s, "based"), newOrg(t, s, "elsewhere")
		id := o.slice(t, o.Workspace, map[string]any{"labels": []string{"a"}})["id"]
		o.want(t, 200, "PATCH", "/v1/slices/"+id.(string),
			map[string]any{"priority": "high", "labels": []string{"theirs"}})
		based := func(version any, patch map[string]any, add ...string) []any {
			return []any{map[string]any{"id": id, "baseVersion": version, "patch": patch,
				"addLabels": add, "removeLabels": []string{"a"}}}
		}
		writer, _ := o.newKey(t, map[string]any{"name": "writer", "type": "pat", "scopes": []string{"slices:write"}})
		low, minor := map[string]any{"priority": "low"}, map[string]any{"severity": "minor"}
		wantMembers(t, "the same member", writer.batch(t, "update", based(1, low))[0], members{
			"status": 412, "slice": nil, "changed": false, "problem.code": "precondition_failed",
			"problem.errors.0.pointer": "/priority", "problem.errors.0.code": "changed_meanwhile"})
		for range 2 {
			done := writer.batch(t, "update", based(1, minor, "mine"), "Idempotency-Key", "k")
			wantMembers(t, "another member", done[0], members{"status": 200, "changed": true, "slice.version": 3,
				"slice.priority": "high", "slice.labels": []string{"theirs", "mine"}})
		}
		wantMembers(t, "nothing to change", o.batch(t, "update", based(3, minor, "mine"))[0],
			members{"status": 200, "changed": false})
		for _, version := range []any{1, 3, 1000, nil} {
			wantMembers(t, "of others", other.batch(t, "update", based(version, low))[0],
				members{"problem.code": "not_found", "problem.errors": nil})
		}
		o.want(t, 422, "POST", "/v1/slices/batch-update", items(based(-1, low)...)).
			has(t, members{"errors.0.pointer": "/items/0/baseVersion", "errors.0.code": "too_small"})
		reader, _ := o.newKey(t, map[string]any{"name": "reader", "type": "pat", "scopes": []string{"slices:read"}})
		reader.want(t, 403, "POST", "/v1/slices/batch-update", items(based(3, low)...)).
			has(t, members{"code": "insufficient_scope"})
	})
}

// TestBatchCountsItsItems: a batch counts as one request for each item, at most as many as the key has in a minute.
func TestBatchCountsItsItems(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "20")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "limited")
	fresh := func() client {
		c, _ := o.newUser(t, "limited", o.Workspace)
		return c
	}
	named := func(n int) map[string]any {
		all := make([]any, n)
		for i := range all {
			all[i] = map[string]any{"id": fmt.Sprint("NONE-", i+1)}
		}
		return items(all...)
	}
	c := fresh()
	a := c.want(t, 200, "POST", "/v1/slices/batch-delete", named(15))
	if left := a.Header.Get("RateLimit"); !strings.HasPrefix(left, `"key";r=5;`) {
		t.Errorf("after a batch of 15 of 20 requests: %s", left)
	}
	refused := c.want(t, 429, "POST", "/v1/slices/batch-delete", named(10)).has(t, members{"code": "rate_limited"})
	if refused.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	c.want(t, 200, "GET", "/v1/me", nil)
	c = fresh()
	c.want(t, 200, "POST", "/v1/slices/batch-delete", named(100))
	c.want(t, 429, "GET", "/v1/me", nil)
}

package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// get is an operation that reads one of several paths. The words of a path that begin with $ are replaced.
func (s *system) get(title string, w filled, paths ...string) operation {
	return operation{title, func(g *generator) request {
		return request{"GET", g.replace(paths[g.IntN(len(paths))]), nil, 200}
	}}
}

// replace replaces each word that begins with $ by a value of the workspace, at random.
func (g *generator) replace(path string) string {
	for {
		before, rest, found := strings.Cut(path, "$")
		if !found {
			return path
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
		if end < 0 {
			end = len(rest)
		}
		path = before + url.QueryEscape(g.value(rest[:end])) + rest[end:]
	}
}

// someSlices returns the ids of n slices, none twice.
func (g *generator) someSlices(n int) (ids []string) {
	for len(ids) < n {
		if id := g.value("slice"); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (g *generator) value(name string) string {
	one := func(all []string) string { return all[g.IntN(len(all))] }
	switch name {
	case "workspace":
		return g.Workspace
	case "slice":
		return one(g.Slices)
	case "many":
		return g.ManyReports
	case "number":
		return fmt.Sprint(g.Numbers[g.IntN(len(g.Numbers))])
	case "reference":
		return fmt.Sprintf("%s-%d", g.Key, g.Numbers[g.IntN(len(g.Numbers))])
	case "label":
		return one(g.Labels)
	case "rareLabel":
		return one(g.Labels[filledLabels/2:])
	case "member":
		return one(g.Members)
	case "space":
		return one(g.Spaces[0])
	case "fingerprint":
		return one(g.Fingerprints)
	case "frequentWord":
		return one(g.Words[:10])
	case "word":
		return one(g.Words[100:1000])
	case "rareWord":
		return one(g.Words[5000:])
	case "prefix":
		return one(g.Words[100:1000])[:4]
	case "shortPrefix":
		return one(g.Words[100:1000])[:2]
	case "release":
		return one(g.Releases)
	case "browser":
		return browser(g.IntN(20))
	case "system":
		return osOf(g.IntN(8))
	case "viewport":
		return viewport(g.IntN(20))
	case "customer":
		return fmt.Sprint(g.IntN(g.IntN(filledCustomers) + 1))
	case "day":
		return g.Begin.Add(time.Duration(g.IntN(700)) * 24 * time.Hour).Format(time.RFC3339)
	}
	panic("the benchmark has no " + name)
}

// operations returns what is measured.
func (s *system) operations(w filled) (all []operation, err error) {
	add := func(title string, paths ...string) { all = append(all, s.get(title, w, paths...)) }
	list := func(title string, filters ...string) {
		paths := make([]string, len(filters))
		for i, f := range filters {
			paths[i] = "/v1/slices?workspaceId=$workspace" + f
		}
		add("list: "+title, paths...)
	}
	add("`/healthz`, the bare limit", "/healthz")
	add("a slice", "/v1/slices/$slice")
	list("all", "")
	list("one status", "&status=open", "&status=in_progress", "&status=resolved", "&status=closed")
	list("two statuses", "&status=open,in_progress", "&status=resolved,closed")
	list("one priority", "&priority=urgent", "&priority=high", "&priority=low")
	list("two severities", "&severity=critical,major", "&severity=minor,trivial")
	list("one label", "&label=$label")
	list("a rare label", "&label=$rareLabel")
	list("three labels", "&label=$label,$label,$label", "&label=$rareLabel,$rareLabel,$rareLabel")
	list("an assignee", "&assigneeId=$member")
	list("no assignee", "&assigneeId=none")
	list("three assignees", "&assigneeId=$member,$member,$member", "&assigneeId=none,$member,me")
	list("a space", "&spaceId=$space")
	list("three spaces or none", "&spaceId=$space,$space,$space", "&spaceId=$space,none")
	list("a reporter", "&reporterId=$member")
	list("a fingerprint", "&fingerprint=$fingerprint")
	list("open, an assignee", "&status=open&assigneeId=$member")
	list("open, a rare label", "&status=open&label=$rareLabel")
	list("open, an assignee, a label, a space",
		"&status=open,in_progress&assigneeId=$member&label=$label&spaceId=$space")
	list("a frequent word", "&q=$frequentWord")
	list("a word", "&q=$word")
	list("a rare word", "&q=$rareWord")
	list("two words", "&q=$frequentWord+$frequentWord", "&q=$word+$word", "&q=$frequentWord+$rareWord")
	list("a beginning of words", "&q=$prefix*")
	list("a beginning of two letters", "&q=$shortPrefix*")
	list("open, a frequent word", "&status=open&q=$frequentWord")
	list("a word, four filters", "&status=closed,resolved&priority=medium&assigneeId=$member&spaceId=$space&q=$word&sort=updatedAt",
		"&severity=minor&priority=low,none&label=$label&assigneeId=$member&q=$rareWord")
	list("filters that select few together",
		"&severity=minor,trivial&priority=low&spaceId=$space&label=$rareLabel&sort=updatedAt",
		"&status=resolved&severity=minor&spaceId=$space&has=replay&sort=priority",
		"&reporterId=$member&severity=major&label=$label&has=screenshot&order=asc")
	list("filters and a period long ago", "&reporterId=$member&createdBefore=$day&severity=minor",
		"&status=resolved&createdBefore=$day&sort=updatedAt&spaceId=$space",
		"&updatedBefore=$day&sort=updatedAt&severity=minor,major", "&updatedBefore=$day&createdAfter=$day&priority=low")
	list("updated or resolved before a day", "&updatedBefore=$day&status=open", "&resolvedBefore=$day",
		"&updatedBefore=$day&sort=priority",
		"&resolvedAfter=$day&sort=updatedAt&order=asc")
	list("a frequent word, filters that select few together",
		"&q=$frequentWord&status=resolved&severity=minor&spaceId=$space&sort=updatedAt",
		"&q=$frequentWord&priority=high&reporterId=$member&label=$label&sort=priority")
	kinds := []string{"replay", "screenshot", "console_error", "failed_request"}
	for _, kind := range append(kinds, strings.Join(kinds, ",")) {
		list("has="+kind, "&has="+kind, "&has="+kind+"&sort=updatedAt")
	}
	list("by update", "&sort=updatedAt", "&sort=updatedAt&order=asc", "&updatedAfter=$day",
		"&sort=updatedAt&updatedAfter=$day")
	list("by update, open", "&sort=updatedAt&status=open")
	list("by update, a rare label", "&sort=updatedAt&label=$rareLabel")
	list("by update, an assignee", "&sort=updatedAt&assigneeId=$member")
	list("by priority", "&sort=priority", "&sort=priority&order=asc")
	list("by priority, a status", "&sort=priority&status=open", "&sort=priority&status=closed")
	list("by priority, a rare label", "&sort=priority&label=$rareLabel")
	list("by priority, open, an assignee", "&sort=priority&status=open&assigneeId=$member")
	list("by priority, has=", "&sort=priority&has=replay", "&sort=priority&has=console_error,screenshot")
	list("by priority, has=, open", "&sort=priority&status=open&has=replay")
	list("by priority, created after a day", "&sort=priority&createdAfter=$day",
		"&sort=priority&createdAfter=$day&status=open")
	list("by priority, a priority", "&sort=priority&priority=low",
		"&sort=priority&priority=none,medium&assigneeId=$member")
	list("by priority, a word", "&sort=priority&q=$word")
	list("a number", "&number=$number")
	list("100 references", "&reference="+strings.Repeat("$reference,", 99)+"$reference")
	list("created in a day", "&createdAfter=$day", "&createdBefore=$day",
		"&createdBefore=$day&createdAfter=2020-01-01T00:00:00Z")
	list("created before a day, open", "&createdBefore=$day&status=open",
		"&createdBefore=$day&status=in_progress&order=asc")
	for _, by := range []string{"status", "priority", "severity", "label", "assignee", "space", "release"} {
		add("counts by "+by, "/v1/slices/counts?workspaceId=$workspace&by="+by)
	}
	counts := func(title, filter string) {
		var paths []string
		for _, by := range []string{"status", "priority", "label", "assignee", "space", "release"} {
			paths = append(paths, "/v1/slices/counts?workspaceId=$workspace&by="+by+filter)
		}
		add("counts: "+title, paths...)
	}
	counts("open", "&status=open")
	counts("closed", "&status=closed")
	counts("two statuses", "&status=open,closed")
	counts("one label", "&label=$label")
	counts("urgent", "&priority=urgent")
	counts("three labels", "&label=$label,$label,$label")
	counts("an assignee, a label", "&assigneeId=$member&label=$label")
	counts("three spaces, two priorities, open", "&spaceId=$space,$space,none&priority=high,urgent&status=open")
	counts("a frequent word", "&q=$frequentWord")
	counts("a word", "&q=$word")
	counts("has=", "&has=replay,screenshot")
	counts("created before a day", "&createdBefore=$day")
	counts("a reporter", "&reporterId=$member")
	add("labels", "/v1/workspaces/$workspace/labels")
	add("members by name", "/v1/workspaces/$workspace/members?q=ka", "/v1/workspaces/$workspace/members?q=mi")
	add("spaces", "/v1/workspaces/$workspace/spaces", "/v1/workspaces/$workspace/spaces/$space")
	add("occurrences, 5,000", "/v1/slices/$many/occurrences", "/v1/slices/$many/occurrences?limit=100")
	add("similar to a slice", "/v1/slices/$slice/similar")
	add("statistics, 30 days", "/v1/workspaces/$workspace/statistics")
	year := time.Now().UTC().AddDate(-1, 0, 0).Format(time.DateOnly)
	add("statistics, a year", "/v1/workspaces/$workspace/statistics?timezone=Europe/Stockholm&from="+year)
	console, err := s.console(w)
	if err != nil {
		return nil, err
	}
	deep, err := s.deepPages(w)
	if err != nil {
		return nil, err
	}
	newest, err := s.newestPages(w)
	return slices.Concat(all, randomOperations(), []operation{console}, deep, s.writes(w, newest)), err
}

// console files a report with a long console, and returns the reading of it.
func (s *system) console(w filled) (operation, error) {
	body := slice(w.Workspace, "1")
	body["evidence"] = map[string]any{"console": longConsole()[:1000]}
	filed, err := s.call(201, "POST", "/v1/slices", body)
	if err != nil {
		return operation{}, err
	}
	path := "/v1/slices/" + filed["id"].(string) + "/console"
	return s.get("a console", w, path, path+"?occurrence=1"), nil
}

// deepPages returns lists that begin far from their first page, which are found by their cursors.
func (s *system) deepPages(w filled) (all []operation, err error) {
	for _, list := range []struct{ title, filter string }{{"all", ""}, {"open", "&status=open"}} {
		path, deep, n := "/v1/slices?workspaceId="+w.Workspace+list.filter, "", 0
		for cursor := ""; n < 300; n++ {
			m, err := s.call(200, "GET", path+"&limit=100"+cursor, nil)
			if err != nil {
				return nil, err
			}
			next := m["pagination"].(map[string]any)
			if next["hasMore"] == false {
				break
			}
			cursor = "&cursor=" + next["cursor"].(string)
			deep = path + cursor
		}
		all = append(all, s.get(fmt.Sprintf("list: %s, far from its first page", list.title), w, deep))
	}
	return all, nil
}

// newestPages returns the slices of the first pages of the list of all.
func (s *system) newestPages(w filled) (pages [][]string, err error) {
	for cursor := ""; len(pages) < 20; {
		m, err := s.call(200, "GET", "/v1/slices?limit=100&workspaceId="+w.Workspace+cursor, nil)
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, r := range m["data"].([]any) {
			ids = append(ids, r.(map[string]any)["id"].(string))
		}
		pages = append(pages, ids)
		next := m["pagination"].(map[string]any)
		if next["hasMore"] == false {
			break
		}
		cursor = "&cursor=" + next["cursor"].(string)
	}
	return pages, nil
}

// writes returns the operations that write, and those with a body. The pages are of slices that follow each other.
func (s *system) writes(w filled, pages [][]string) []operation {
	write := func(title, method, path string, status int, body func(g *generator) any) operation {
		return operation{title, func(g *generator) request { return request{method, g.replace(path), body(g), status} }}
	}
	priority := func(g *generator) map[string]any {
		return map[string]any{"priority": g.pick("urgent", 200, "high", 200, "medium", 200, "low", 200)}
	}
	all := []operation{
		write("similar to a draft", "POST", "/v1/slices/similar", 200, func(g *generator) any {
			return map[string]any{"workspaceId": w.Workspace, "summary": g.sentence(4, 9),
				"description": g.sentence(10, 30),
				"errors":      []string{"TypeError: " + g.sentence(3, 6)}}
		}),
		write("file a report", "POST", "/v1/slices", 201, func(g *generator) any {
			body := slice(w.Workspace, g.sentence(2, 4))
			body["labels"] = []string{g.Labels[g.IntN(5)], g.value("rareLabel")}
			return body
		}),
		write("file an occurrence", "POST", "/v1/slices", 200, func(g *generator) any {
			body := slice(w.Workspace, "1")
			body["fingerprint"] = w.Open
			return body
		}),
		write("change a priority", "PATCH", "/v1/slices/$slice", 200, func(g *generator) any { return priority(g) }),
		write("rename a space", "PATCH", "/v1/workspaces/$workspace/spaces/$space", 200, func(g *generator) any {
			return map[string]any{"name": g.sentence(1, 3)}
		}),
	}
	batch := func(title string, ids func(g *generator) []string) {
		all = append(all, write("batch update of "+title, "POST", "/v1/slices/batch-update", 200,
			func(g *generator) any {
				var items []any
				for _, id := range ids(g) {
					items = append(items, map[string]any{"id": id, "patch": priority(g)})
				}
				return map[string]any{"items": items}
			}))
	}
	for _, n := range []int{1, 20, 100} {
		batch(fmt.Sprint(n), func(g *generator) []string { return g.someSlices(n) })
	}
	batch("a page of 100", func(g *generator) []string { return pages[g.IntN(len(pages))] })
	return all
}

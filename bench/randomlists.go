package main

import (
	"fmt"
	"strings"
)

// randomFilters are the filters of random lists. One of the alternatives of a line is in a list.
var randomFilters = [][]string{
	{"&status=open", "&status=in_progress", "&status=resolved", "&status=closed", "&status=open,in_progress",
		"&status=resolved,closed"},
	{"&priority=urgent", "&priority=high", "&priority=low", "&priority=none", "&priority=urgent,high",
		"&priority=medium,low"},
	{"&severity=critical", "&severity=major", "&severity=minor", "&severity=none", "&severity=critical,major"},
	{"&label=$label", "&label=$rareLabel", "&label=$label,$label", "&withoutLabels=true"},
	{"&assigneeId=$member", "&assigneeId=none", "&assigneeId=$member,$member,none"},
	{"&reporterId=$member", "&reporterId=$member,$member"},
	{"&spaceId=$space", "&spaceId=none", "&spaceId=$space,$space"},
	{"&release=$release", "&release=$release,$release"},
	{"&browser=$browser", "&os=$system", "&viewport=$viewport"},
	{"&mentions=$member", "&metadata%5Bcustomer%5D=$customer"},
	{"&has=replay", "&has=screenshot", "&has=console_error", "&has=failed_request,replay"},
	{"&createdAfter=$day", "&createdBefore=$day"},
	{"&updatedAfter=$day", "&updatedBefore=$day", "&resolvedAfter=$day", "&resolvedBefore=$day"},
}

// randomWords are the words of random lists.
var randomWords = []string{"&q=$frequentWord", "&q=$word", "&q=$rareWord", "&q=$word+$frequentWord", "&q=$prefix*"}

// randomExclusions are what random lists leave out.
var randomExclusions = []string{"status%5D=closed", "status%5D=open", "priority%5D=none", "severity%5D=none,minor",
	"label%5D=$label",
	"assigneeId%5D=none", "assigneeId%5D=$member", "reporterId%5D=$member", "spaceId%5D=none,$space",
	"release%5D=$release",
	"browser%5D=$browser", "has%5D=console_error", "withoutLabels%5D=true", "q%5D=$frequentWord", "q%5D=$prefix*"}

// oneOf returns one of some texts at random.
func (g *generator) oneOf(all []string) string { return all[g.IntN(len(all))] }

// filters returns so many random filters, each of another member.
func (g *generator) filters(least, most int) string {
	var b strings.Builder
	n := least + g.IntN(most-least+1)
	for _, i := range g.Perm(len(randomFilters))[:n] {
		b.WriteString(g.oneOf(randomFilters[i]))
	}
	return b.String()
}

// randomOperations returns lists and counts of random combinations of filters, each in every order.
func randomOperations() (all []operation) {
	orders := []struct{ title, parameters string }{{"by creation", "&order=desc &order=asc"},
		{"by update", "&sort=updatedAt &sort=updatedAt&order=asc"},
		{"by priority", "&sort=priority &sort=priority&order=asc"}}
	add := func(title, path string, filters func(g *generator) string) {
		all = append(all, operation{title, func(g *generator) request {
			return request{"GET", g.replace(path + filters(g)), nil, 200}
		}})
	}
	const lists = "/v1/slices?workspaceId=$workspace"
	for _, order := range orders {
		parameters := strings.Fields(order.parameters)
		add(fmt.Sprintf("random list %s: one filter", order.title), lists, func(g *generator) string {
			return g.filters(1, 1) + g.oneOf(parameters)
		})
		add(fmt.Sprintf("random list %s: 2 to 5 filters", order.title), lists, func(g *generator) string {
			return g.filters(2, 5) + g.oneOf(parameters)
		})
		add(fmt.Sprintf("random list %s: words, 0 to 3 filters", order.title), lists, func(g *generator) string {
			return g.oneOf(randomWords) + g.filters(0, 3) + g.oneOf(parameters)
		})
		add(fmt.Sprintf("random list %s: exclusions, 0 to 3 filters", order.title), lists, func(g *generator) string {
			return "&not%5B" + g.oneOf(randomExclusions) + g.filters(0, 3) + g.oneOf(parameters)
		})
	}
	add("random list of all workspaces: 1 to 3 filters", "/v1/slices?limit=25", func(g *generator) string {
		return g.filters(1, 3) + g.oneOf([]string{"", "&sort=updatedAt"})
	})
	by := []string{"status", "priority", "severity", "label", "assignee", "space", "release"}
	add("random counts: 1 to 4 filters", "/v1/slices/counts?workspaceId=$workspace&by=", func(g *generator) string {
		return g.oneOf(by) + g.filters(1, 4)
	})
	add("random counts: words, 0 to 2 filters", "/v1/slices/counts?workspaceId=$workspace&by=",
		func(g *generator) string {
			return g.oneOf(by) + g.oneOf(randomWords) + g.filters(0, 2)
		})
	add("random counts: exclusions, 0 to 2 filters", "/v1/slices/counts?workspaceId=$workspace&by=",
		func(g *generator) string {
			return g.oneOf(by) + "&not%5B" + g.oneOf(randomExclusions) + g.filters(0, 2)
		})
	return all
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"
)

// render returns the tables of the first run, on SQLite, and of the second, on PostgreSQL.
func render(o options, runs []results, ours, peer, bare, pg *system) string {
	first, second := runs[0], runs[1]
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s on %s, with %d slices in %d workspaces; medians of %d rounds of %s. Requests a second:\n\n",
		time.Now().UTC().Format(time.DateOnly), processor(), o.slices, o.workspaces, o.rounds, o.seconds)
	b.WriteString("| scenario | Bugslice, SQLite | PocketBase 0.39.0 | bare net/http | to PocketBase | to bare |\n" +
		"|---|---:|---:|---:|---:|---:|\n")
	for _, s := range scenarios {
		r := first[s]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", s,
			perSecond(r[ours.name]), perSecond(r[peer.name]), perSecond(r[bare.name]),
			ratio(r[ours.name], r[peer.name], "%.1f×"), ratio(r[ours.name], r[bare.name], "%.2f"))
	}
	fmt.Fprintf(&b, "| resident memory, MiB | %d | %d | %d | | |\n\n", ours.memory, peer.memory, bare.memory)
	fmt.Fprintf(&b, "The deepest page costs %s of the first (first page's rate by deepest page's); PocketBase's %s.\n\n",
		ratio(first[listFirst][ours.name], first[listDeep][ours.name], "%.2f"),
		ratio(first[listFirst][peer.name], first[listDeep][peer.name], "%.2f"))
	b.WriteString("| scenario | Bugslice, PostgreSQL |\n|---|---:|\n")
	for _, s := range scenarios {
		fmt.Fprintf(&b, "| %s | %s |\n", s, perSecond(second[s][pg.name]))
	}
	fmt.Fprintf(&b, "| resident memory, MiB | %d |\n", pg.memory)
	return b.String()
}

func perSecond(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", v)
}

func ratio(a, b float64, format string) string {
	if a == 0 || b == 0 {
		return "–"
	}
	return fmt.Sprintf(format, a/b)
}

func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(text); err == nil && m != nil {
		return string(m[1])
	}
	return "an unnamed processor"
}

// write replaces the tables between a part's markers in the document.
func write(file, part, report string) error {
	begin, end := "<!-- begin of what make bench writes: "+part+" -->", "<!-- end of what make bench writes: "+part+
		" -->"
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte(begin+"\n"+end+"\n"), nil
	}
	if err != nil {
		return err
	}
	head, rest, hasBegin := strings.Cut(string(text), begin)
	_, tail, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s has no markers to write between", file)
	}
	return os.WriteFile(file, []byte(head+begin+"\n\n"+report+"\n"+end+tail), 0o644)
}

package reporttext

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/store"
)

// Occurrences are what a report of a slice says of its occurrences.
type Occurrences struct {
	All          []store.Occurrence // the newest ones and the one with evidence, newest first
	Count        int64              // of the slice
	WithEvidence int64              // the newest one of which evidence is stored; 0 for none
}

func (o Occurrences) newest() api.SliceOccurrence { return o.All[0].SliceOccurrence }

// title returns the end of a heading that names an occurrence, empty for a slice with only one.
func (o Occurrences) title(number int64) string {
	if o.Count <= 1 {
		return ""
	}
	return fmt.Sprintf(" in occurrence %d", number)
}

// others has when and by whom the bug was reported in the other occurrences, and how their environment and metadata
// differ from those of the newest one.
func (o Occurrences) others() *section {
	if o.Count <= 1 {
		return nil
	}
	newest := facts(o.newest())
	others := &section{heading: "Other occurrences, and how they differ from the newest one", language: "text",
		share: 2,
		more:  int(o.Count) - len(o.All), noun: "occurrences", path: "/occurrences"}
	for i, other := range o.All[1:] {
		by, note := inlineText(other.Reporter.Name), evidenceNote(other.HasEvidence)
		text := fmt.Sprintf("%d: %s by %s, %s", other.Number, other.CreatedAt, by, note)
		for _, difference := range differences(facts(other.SliceOccurrence), newest) {
			text += "\n   " + difference
		}
		e := entry{text: text, rows: 1, rank: -i}
		if other.Number == o.WithEvidence {
			e.rank = 1
		}
		others.entries = append(others.entries, e)
	}
	return others
}

func evidenceNote(hasEvidence bool) string {
	if hasEvidence {
		return "with evidence"
	}
	return "without evidence"
}

// fact is a known fact about where a bug was seen.
type fact struct{ name, value string }

func facts(o api.SliceOccurrence) []fact {
	return append(environmentFacts(o.Environment), metadataFacts(o.Metadata)...)
}

// environmentFacts returns the facts of an environment that a report names.
func environmentFacts(e api.Environment) (known []fact) {
	var ratio *string
	if e.DevicePixelRatio != nil {
		text := strconv.FormatFloat(*e.DevicePixelRatio, 'g', -1, 64)
		ratio = &text
	}
	for _, f := range []struct {
		name  string
		value *string
	}{
		{"browser", e.Browser}, {"os", e.OS}, {"device", e.Device}, {"viewport", e.Viewport}, {"locale", e.Locale},
		{"timezone", e.Timezone}, {"app version", e.AppVersion}, {"release", e.Release}, {"commit", e.Commit},
		{"branch", e.Branch}, {"build", e.BuildURL},
		{"screen", e.Screen}, {"device pixel ratio", ratio},
	} {
		if f.value != nil && *f.value != "" {
			known = append(known, fact{f.name, *f.value})
		}
	}
	return known
}

func metadataFacts(metadata map[string]string) (known []fact) {
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		known = append(known, fact{name, metadata[name]})
	}
	return known
}

// differences returns a line for each fact that differs from the newest ones, and for each of these that is missing.
func differences(of, newest []fact) (lines []string) {
	for _, f := range of {
		if !slices.Contains(newest, f) {
			lines = append(lines, f.name+": "+f.value)
		}
	}
	for _, n := range newest {
		if !slices.ContainsFunc(of, func(f fact) bool { return f.name == n.name }) {
			lines = append(lines, n.name+": none")
		}
	}
	return lines
}

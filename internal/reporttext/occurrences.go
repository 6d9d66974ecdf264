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
	All          []store.Occurrence // the newest ones, the shown one and the one with evidence, newest first
	Count        int64              // of the slice
	Shown        int64              // the one that the report is about; 0 for the newest
	WithEvidence int64              // the one whose evidence the report shows; 0 for none
	Failed       map[int64][]string // what failed in the occurrences with evidence, in a line each
}

// shown returns the occurrence that the report is about.
func (o Occurrences) shown() store.Occurrence {
	for _, one := range o.All {
		if one.Number == o.Shown {
			return one
		}
	}
	return o.All[0]
}

// title returns the end of a heading that names an occurrence, empty for a slice with only one.
func (o Occurrences) title(number int64) string {
	if o.Count <= 1 {
		return ""
	}
	return fmt.Sprintf(" in occurrence %d", number)
}

// others has when and by whom the bug was reported in the other occurrences, and how their environment, their metadata
// and their failures differ from those of the shown one.
func (o Occurrences) others() *section {
	if o.Count <= 1 {
		return nil
	}
	shown, of := o.shown(), source{"occurrences", "/occurrences"}
	heading := "Other occurrences, and how they differ from the newest one"
	if shown.Number != o.All[0].Number {
		heading = fmt.Sprint("Other occurrences, and how they differ from occurrence ", shown.Number)
	}
	others := &section{heading: heading, language: "text", share: 2, source: of,
		more: []counted{{of, int(o.Count) - len(o.All)}}}
	for i, other := range o.All {
		if other.Number == shown.Number {
			continue
		}
		by := inlineText(other.Reporter.Name) + via(other.Via, other.Reporter.Name)
		text := fmt.Sprintf("%d: %s by %s, %s", other.Number, other.CreatedAt, by, evidenceNote(other.HasEvidence))
		for _, difference := range differences(facts(other.SliceOccurrence), facts(shown.SliceOccurrence)) {
			text += "\n   " + difference
		}
		text += o.failuresOf(other.Number)
		e := entry{text: text, rows: 1, rank: -i}
		if other.Number == o.WithEvidence {
			e.rank = 1
		}
		others.entries = append(others.entries, e)
	}
	return others
}

// failuresOf returns lines that compare the failures of an occurrence with those of the one whose evidence is shown.
func (o Occurrences) failuresOf(number int64) (text string) {
	failed, ok := o.Failed[number]
	if !ok || number == o.WithEvidence {
		return ""
	}
	shown := o.Failed[o.WithEvidence]
	for _, part := range []struct {
		name  string
		lines []string
	}{{"also failed", without(failed, shown)}, {"did not fail", without(shown, failed)}} {
		for _, line := range part.lines[:min(len(part.lines), 3)] {
			text += "\n   " + part.name + ": " + line
		}
	}
	if text == "" && len(failed) > 0 {
		text = fmt.Sprint("\n   the same failures as in occurrence ", o.WithEvidence)
	}
	return text
}

// without returns the lines of a list that another one does not have.
func without(all, other []string) (left []string) {
	for _, line := range all {
		if !slices.Contains(other, line) {
			left = append(left, line)
		}
	}
	return left
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

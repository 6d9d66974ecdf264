package tracker

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// maxReportedOccurrences is the maximum number of occurrences that a report compares.
const maxReportedOccurrences = 10

// occurrences are what a report of a slice says of its occurrences.
type occurrences struct {
	all          []store.Occurrence // the newest ones and the one with evidence, newest first
	count        int64              // of the slice
	withEvidence int64              // the newest one of which evidence is stored; 0 for none
	evidence     map[api.AttachmentKind][]store.Attachment
}

// reportedOccurrences reads the newest occurrences of a slice, and the newest one that has evidence, with its evidence.
func reportedOccurrences(q access.Queries, s store.Slice) (occurrences, error) {
	found := occurrences{count: s.OccurrenceCount, evidence: map[api.AttachmentKind][]store.Attachment{}}
	var err error
	if found.all, err = q.Occurrences(s.ID, s.OccurrenceCount+1, maxReportedOccurrences); err != nil {
		return found, err
	}
	if found.count <= 1 || len(found.all) == 0 { // the slice is what its only report says, with later changes
		found.all = []store.Occurrence{firstOccurrence(&s)}
	}
	if found.withEvidence, err = q.NewestOccurrenceWithEvidence(s.ID); err != nil || found.withEvidence == 0 {
		return found, err
	}
	if found.withEvidence < found.all[len(found.all)-1].Number {
		older, err := q.Occurrences(s.ID, found.withEvidence+1, 1)
		if found.all = append(found.all, older...); err != nil {
			return found, err
		}
	}
	for _, kind := range []api.AttachmentKind{api.KindConsole, api.KindNetwork, api.KindActions, api.KindReplay} {
		if found.evidence[kind], err = q.EvidenceOf(s.ID, found.withEvidence, kind, maxSets); err != nil {
			return found, err
		}
	}
	return found, nil
}

func (o occurrences) newest() api.SliceOccurrence { return o.all[0].SliceOccurrence }

// title returns the end of a heading that names an occurrence, empty for a slice with only one.
func (o occurrences) title(number int64) string {
	if o.count <= 1 {
		return ""
	}
	return fmt.Sprintf(" in occurrence %d", number)
}

// others has when and by whom the bug was reported in the other occurrences, and how their environment and metadata differ from
// those of the newest one.
func (o occurrences) others() *section {
	if o.count <= 1 {
		return nil
	}
	newest := facts(o.newest())
	others := &section{heading: "Other occurrences, and how they differ from the newest one", language: "text", share: 2,
		more: int(o.count) - len(o.all), noun: "occurrences", path: "/occurrences"}
	for i, other := range o.all[1:] {
		by, note := inlineText(other.Reporter.Name), evidenceNote(other.HasEvidence)
		text := fmt.Sprintf("%d: %s by %s, %s", other.Number, other.CreatedAt, by, note)
		for _, difference := range differences(facts(other.SliceOccurrence), newest) {
			text += "\n   " + difference
		}
		e := entry{text: text, rows: 1, rank: -i}
		if other.Number == o.withEvidence {
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

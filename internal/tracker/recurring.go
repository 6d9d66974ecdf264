package tracker

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/store"
)

// keptOccurrences is of how many occurrences of a slice the evidence is kept.
const keptOccurrences = 10

// recur counts an occurrence of a slice, and opens one again that is resolved or closed.
func (t *Tracker) recur(tx *store.Tx, c Caller, f *filing, s store.Slice) (store.Slice, error) {
	was, now := s.Slice, later(t.clock(), s.UpdatedAt)
	previous := map[string]any{"occurrenceCount": was.OccurrenceCount, "lastOccurrence": was.LastOccurrence}
	if settled(s.Status) {
		if err := move(&s, api.Open, now); err != nil {
			return s, err
		}
		previous["status"], previous["resolution"] = was.Status, was.Resolution
		if part(&s, was.SliceFields); !same(was.DuplicateOfID, s.DuplicateOfID) {
			previous["duplicateOfId"] = was.DuplicateOfID
		}
	}
	s.OccurrenceCount++
	s.UpdatedAt, s.LastSeenAt, s.LastOccurrence = now, later(now, s.LastSeenAt), f.occurrence(c, s, now)
	kept := s.OccurrenceCount <= keptOccurrences && len(f.sets) > 0
	if kept {
		previous["attachmentCount"] = was.AttachmentCount
		s.AttachmentCount += int64(len(f.sets))
	}
	if err := tx.UpdateSlice(&s); err != nil {
		return s, refuseTaken(err, &s)
	}
	if kept {
		tx.Charge(s.WorkspaceID, f.bytes())
	}
	events := updateEvents(s.ID, t.show(s), previous)
	n, err := t.advanceFiled(tx, c, s.WorkspaceID, 0, events...)
	if err == nil && kept {
		err = t.adopt(tx, f, s.ID, now)
	}
	if err != nil {
		return s, err
	}
	return s, t.publish(tx, c, s.WorkspaceID, n, events...)
}

// occurrence is what a filing says of its own, beside what the slice says.
func (f *filing) occurrence(c Caller, s store.Slice, at api.Time) *api.Occurrence {
	o := api.Occurrence{At: at, ReporterName: c.reporter().Name, Environment: f.fields.Environment, ExternalID: f.fields.ExternalID, Metadata: map[string]string{}}
	for name, value := range f.fields.Metadata {
		if own, ok := s.Metadata[name]; !ok || own != value {
			o.Metadata[name] = value
		}
	}
	return &o
}

// newest says of an occurrence, in a part of a line of Markdown, which commit and build failed. It
// is one word of each: a sentence of somebody else has no place outside of a fence.
func newest(o *api.Occurrence) (line string) {
	if o == nil {
		return ""
	}
	for _, fact := range []struct {
		name  string
		value *string
		most  int
	}{{"commit", o.Environment.Commit, 40}, {"release", o.Environment.Release, 40}, {"branch", o.Environment.Branch, 40}, {"build", o.Environment.BuildURL, 120}} {
		if fact.value == nil {
			continue
		}
		if word, _, _ := strings.Cut(plain(*fact.value), " "); word != "" {
			line += ", " + fact.name + " `" + bounded(word, fact.most) + "`"
		}
	}
	return line
}

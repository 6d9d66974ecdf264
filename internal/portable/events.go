package portable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"bugslice/api"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// exportedKinds are the subjects of the events that an export holds.
var exportedKinds = []string{"slice", "comment", "attachment"}

type eventRecord struct {
	store.Event
	exported string
	data     api.EventData
	redacted int
}

// readEvent reads a row of the table events. It refuses an event that is not about a slice, a comment or an attachment.
func readEvent(line []byte) (record, error) {
	row, err := readRow[eventRow](line)
	if err != nil {
		return nil, err
	}
	r := &eventRecord{exported: row.ID}
	r.Event = store.Event{ID: row.ID, Type: api.EventType(row.Type),
		Actor:       store.Actor{Type: row.ActorType, ID: row.ActorID},
		SubjectKind: row.SubjectKind, SubjectID: row.SubjectID, CreatedAt: api.FromMillis(row.CreatedAt)}
	if err := checkValues("data", row.Data); err != nil {
		return nil, err
	}
	var d api.EventData
	if err := json.Unmarshal([]byte(row.Data), &d); err != nil {
		return nil, fmt.Errorf("/data: %w", err)
	}
	kind, ok := api.EventOf(r.Type)
	if !ok || !slices.Contains(exportedKinds, kind.Subject) {
		return nil, fmt.Errorf("/type %q is none of an event about a slice", Printable(row.Type))
	}
	r.data = api.EventData{Slice: d.Slice, Comment: d.Comment, Attachment: d.Attachment, Previous: d.Previous}
	return r, nil
}

func (r *eventRecord) exportedID() string { return r.exported }

// prepare redacts an event and replaces its ids. It refuses an event of a slice that the export does not have.
func (r *eventRecord) prepare(_ context.Context, b *batch) error {
	if err := b.checkSlice("subject_id", r.SubjectID); err != nil {
		return err
	}
	if b.redactor != nil {
		c := redact.Counts{}
		if err := r.redact(b.redactor, c); err != nil {
			return err
		}
		r.redacted = c.Total()
	}
	r.ID, r.SubjectID, r.WorkspaceID = b.ids.remap(r.ID), b.ids.remap(r.SubjectID), &b.workspaceID
	r.Actor.ID = b.ids.person(r.Actor.ID)
	remapData(b.ids, r.data)
	data, err := json.Marshal(r.data)
	r.Data = data
	return errors.Join(err, b.checkRedaction())
}

// redact removes the secrets from the subject of an event and from its former values.
func (r *eventRecord) redact(d *tracker.Redactor, c redact.Counts) error {
	switch data := r.data; {
	case data.Slice != nil:
		tracker.RedactFields(d, &data.Slice.SliceFields, c)
		redactOccurrence(d, data.Slice.LastOccurrence, c)
		return errors.Join(tracker.RedactPrevious[api.SliceFields](d, data.Previous, c),
			redactFormerOccurrence(d, data.Previous, c))
	case data.Comment != nil:
		tracker.RedactFields(d, &data.Comment.CommentFields, c)
		return tracker.RedactPrevious[api.CommentFields](d, data.Previous, c)
	case data.Attachment != nil:
		tracker.RedactFields(d, &data.Attachment.AttachmentFields, c)
		return tracker.RedactPrevious[api.AttachmentFields](d, data.Previous, c)
	}
	return nil
}

func redactFormerOccurrence(d *tracker.Redactor, previous map[string]any, c redact.Counts) error {
	former, err := json.Marshal(previous["lastOccurrence"])
	if err != nil {
		return err
	}
	var before, after *api.Occurrence
	if err := errors.Join(json.Unmarshal(former, &before), json.Unmarshal(former, &after)); err != nil {
		return fmt.Errorf("/data/previous/lastOccurrence: %w", err)
	}
	if redactOccurrence(d, after, c); !reflect.DeepEqual(before, after) {
		previous["lastOccurrence"] = after
	}
	return nil
}

// remapData replaces the ids and URLs of the export in the data of an event by those of the destination. Of texts, it
// changes only the mentions in a comment, which it truncates like the comment itself.
func remapData(ids *idMap, d api.EventData) {
	if s := d.Slice; s != nil {
		ids.remapAll(&s.ID, &s.WorkspaceID, s.SpaceID, s.AssigneeID, s.DuplicateOfID, &s.URL)
		s.Reference = "" // it was valid in the other instance only
		s.Reporter.ID, s.Via, s.Visitor = ids.person(s.Reporter.ID), viaElsewhere(s.Via), visitorElsewhere(s.Visitor)
	}
	if m := d.Comment; m != nil {
		ids.remapAll(&m.ID, &m.SliceID)
		m.Author.ID, m.Via = ids.person(m.Author.ID), viaElsewhere(m.Via)
		m.Body = truncate(ids.remapMentions(m.Body), maxBody)
		for i := range m.Mentions {
			ids.remapAll(&m.Mentions[i].UserID)
		}
	}
	if a := d.Attachment; a != nil {
		ids.remapAll(&a.ID, &a.SliceID, &a.URL, a.Thumbnail)
		a.Creator.ID = ids.person(a.Creator.ID)
	}
	for _, name := range []string{"spaceId", "assigneeId", "duplicateOfId"} {
		if exported, ok := d.Previous[name].(string); ok {
			d.Previous[name] = ids.remap(exported)
		}
	}
	if body, ok := d.Previous["body"].(string); ok {
		d.Previous["body"] = truncate(ids.remapMentions(body), maxBody)
	}
}

func (r *eventRecord) insert(tx *tracker.OperatorTx, d *destination, report *ImportReport) error {
	if _, err := tx.Event(d.workspaceID, r.ID); err == nil {
		report.AlreadyThere++
		return nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := tx.ImportEvent(r.Event); err != nil {
		return err
	}
	report.Redacted += r.redacted
	return nil
}

package tracker

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"bugslice/api"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// exportedKinds are the subjects of the events that an export holds.
var exportedKinds = []string{"slice", "comment", "attachment"}

// eventData reads the data of an event about a slice, a comment or an attachment.
func eventData(r store.Record) (d api.EventData, err error) {
	text, _ := r["data"].(string)
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("/data: %w", err)
	}
	kind, _ := r["type"].(string)
	row, ok := api.EventOf(api.EventType(kind))
	if !ok || !slices.Contains(exportedKinds, row.Subject) {
		return d, fmt.Errorf("/type %q is none of an event about a slice", truncate(kind, maxQuoted))
	}
	return api.EventData{Slice: d.Slice, Comment: d.Comment, Attachment: d.Attachment, Previous: d.Previous}, nil
}

// redactEvent removes the secrets of what an event tells, former values too.
func (im *Importing) redactEvent(r store.Record, c redact.Counts) error {
	d, err := eventData(r)
	if err != nil {
		return err
	}
	switch {
	case d.Slice != nil:
		_ = redactFields(*im.rules, &d.Slice.SliceFields, c)
		cleanOccurrence(*im.rules, d.Slice.LastOccurrence, c)
		err = cleanPrevious[api.SliceFields](*im.rules, d.Previous, c)
		if err == nil {
			err = cleanFormerOccurrence(*im.rules, d.Previous, c)
		}
	case d.Comment != nil:
		_ = redactFields(*im.rules, &d.Comment.CommentFields, c)
		err = cleanPrevious[api.CommentFields](*im.rules, d.Previous, c)
	case d.Attachment != nil:
		_ = redactFields(*im.rules, &d.Attachment.AttachmentFields, c)
		err = cleanPrevious[api.AttachmentFields](*im.rules, d.Previous, c)
	}
	if err != nil || len(c) == 0 {
		return err
	}
	return setEventData(r, d)
}

// cleanPrevious removes the secrets of the former values of the members that clients write.
func cleanPrevious[T any](rules redactor, previous map[string]any, c redact.Counts) error {
	var fields T
	writable, err := jsonObject(fields)
	if err != nil {
		return err
	}
	former := maps.Clone(previous)
	maps.DeleteFunc(former, func(name string, _ any) bool { _, ok := writable[name]; return !ok })
	cleaned, err := redactPatch(rules, api.Patch[T](former), c)
	if err != nil {
		return fmt.Errorf("/data/previous: %w", err)
	}
	maps.Copy(previous, cleaned)
	return nil
}

func cleanFormerOccurrence(rules redactor, previous map[string]any, c redact.Counts) error {
	former, err := json.Marshal(previous["lastOccurrence"])
	if err != nil {
		return err
	}
	var o *api.Occurrence
	if err := json.Unmarshal(former, &o); err != nil {
		return fmt.Errorf("/data/previous/lastOccurrence: %w", err)
	}
	if cleanOccurrence(rules, o, c) {
		previous["lastOccurrence"] = o
	}
	return nil
}

// localizeEvent names what an event tells of as it is named here: by ids, and never within texts but
// for mentions. A comment that was longer than the API takes it is cut, as the comment itself is.
func (im *Importing) localizeEvent(r store.Record) error {
	d, err := eventData(r)
	if err != nil {
		return err
	}
	if s := d.Slice; s != nil {
		im.rename(&s.ID, &s.WorkspaceID, s.SpaceID, s.AssigneeID, s.DuplicateOfID, &s.URL)
		im.person(&s.Reporter)
	}
	if m := d.Comment; m != nil {
		im.rename(&m.ID, &m.SliceID)
		im.person(&m.Author)
		m.Body = truncate(im.mention(m.Body), mostBody)
		for i := range m.Mentions {
			im.rename(&m.Mentions[i].UserID)
		}
	}
	if a := d.Attachment; a != nil {
		im.rename(&a.ID, &a.SliceID, &a.URL, a.Thumbnail)
		im.person(&a.Creator)
	}
	for _, name := range []string{"spaceId", "assigneeId", "duplicateOfId"} {
		if old, ok := d.Previous[name].(string); ok {
			d.Previous[name] = im.derive(old)
		}
	}
	if body, ok := d.Previous["body"].(string); ok {
		d.Previous["body"] = truncate(im.mention(body), mostBody)
	}
	return setEventData(r, d)
}

// rename gives ids and addresses their names of here.
func (im *Importing) rename(all ...*string) {
	for _, text := range all {
		if text != nil {
			*text = im.derive(*text)
		}
	}
}

// person names a user as here. Who is nobody here keeps the name.
func (im *Importing) person(p *api.Reporter) {
	if p.ID == nil {
		return
	}
	if here, ok := im.users[*p.ID]; ok {
		p.ID = &here
	} else {
		p.ID = nil
	}
}

func setEventData(r store.Record, d api.EventData) error {
	text, err := json.Marshal(d)
	r["data"] = string(text)
	return err
}

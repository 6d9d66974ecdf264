package tracker

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// show returns a stored slice as the API shows it.
func (t *Tracker) show(s store.Slice) api.Slice { return showSlice(t.baseURL, s) }

// sliceURL returns the URL of a slice in the web application.
func (t *Tracker) sliceURL(id string) string { return t.baseURL + "/slices/" + id }

// showAttachment returns a stored attachment as the API shows it, with its URLs.
func (t *Tracker) showAttachment(a store.Attachment) api.Attachment {
	t.setURLs(&a.Attachment, a.ThumbnailBlob != nil)
	return a.Attachment
}

func (t *Tracker) setURLs(a *api.Attachment, hasThumbnail bool) {
	a.URL, a.Thumbnail = t.baseURL+"/v1/attachments/"+a.ID, nil
	if hasThumbnail {
		thumbnail := a.URL + "/thumbnail"
		a.Thumbnail = &thumbnail
	}
}

func showEvent(row store.Event) (api.Event, error) {
	e := api.Event{ID: row.ID, Type: row.Type, Timestamp: row.CreatedAt, WorkspaceID: *row.WorkspaceID,
		Actor: showActor(row.Actor)}
	if row.Sequence != nil { // an imported event has none
		e.Sequence = *row.Sequence
	}
	if err := json.Unmarshal(row.Data, &e.Data); err != nil {
		return e, err
	}
	if m := e.Data.Comment; m != nil && m.Reactions == nil { // an event from before comments had reactions
		m.Reactions = []api.Reaction{}
	}
	if a := e.Data.Attachment; a != nil { // an event from before attachments named their occurrence and their metadata
		a.Occurrence = max(a.Occurrence, 1)
		a.Metadata = cmp.Or(a.Metadata, api.MetadataUnknown)
	}
	return e, nil
}

// showEventOf returns an event of the log of a workspace as the API shows it. An event from before slices had
// references gets the reference that the slice has now.
func showEventOf(q access.Queries, row store.Event) (api.Event, error) {
	e, err := showEvent(row)
	if s := e.Data.Slice; err == nil && s != nil && s.Reference == "" {
		var key string
		key, err = q.WorkspaceKey(e.WorkspaceID)
		s.Reference = api.Reference(key, s.Number)
	}
	return e, err
}

// guestActor is the type of the actor of what visitors of sources do. Its id is that of the source.
const guestActor = string(access.GuestCaller)

func showActor(a store.Actor) api.Actor { return api.Actor{Type: a.Type, ID: a.ID, KeyID: a.KeyID} }

// showActivity returns an event of a slice as an activity. names maps the ids of actors to their names.
func (t *Tracker) showActivity(row store.Event, names map[string]string) (api.Activity, error) {
	e, err := showEvent(row)
	a := api.Activity{ID: e.ID, Type: e.Type, Timestamp: e.Timestamp, Actor: e.Actor, Changes: []api.Change{},
		Imported: row.Sequence == nil, Comment: e.Data.Comment, Attachment: e.Data.Attachment}
	if err != nil {
		return a, err
	}
	if a.Attachment != nil { // the URLs of an imported event are those of another instance
		t.setURLs(a.Attachment, a.Attachment.Thumbnail != nil)
	}
	if e.Actor.Type == guestActor {
		a.ActorName = new("A visitor")
	} else if e.Actor.ID != nil {
		if name, ok := names[*e.Actor.ID]; ok {
			a.ActorName = &name
		}
	}
	if key := e.Actor.KeyID; key != nil {
		a.Via = &api.Via{KeyID: key, Name: names[*key]}
	}
	var subject any
	switch {
	case e.Data.Slice != nil:
		subject = e.Data.Slice
	case e.Data.Comment != nil:
		subject = e.Data.Comment
	case e.Data.Attachment != nil:
		subject = e.Data.Attachment
	}
	current, err := jsonObject(subject)
	for name, from := range e.Data.Previous {
		to := current[name]
		a.Changes = append(a.Changes, api.Change{Field: name, From: &from, To: &to})
	}
	slices.SortFunc(a.Changes, func(x, y api.Change) int { return strings.Compare(x.Field, y.Field) })
	return a, err
}

package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
	"encoding/json"
	"slices"
	"strings"
)

// show gives a stored slice its address in the web application.
func (t *Tracker) show(s store.Slice) api.Slice {
	s.URL = t.baseURL + "/slices/" + s.ID
	return s.Slice
}

// showAttachment gives a stored attachment its addresses.
func (t *Tracker) showAttachment(a store.Attachment) api.Attachment {
	a.URL = t.attachmentURL(a.ID)
	if a.ThumbnailBlob != nil {
		small := a.URL + "/thumbnail"
		a.Thumbnail = &small
	}
	return a.Attachment
}

func (t *Tracker) attachmentURL(attachmentID string) string {
	return t.baseURL + "/v1/attachments/" + attachmentID
}

func showEvent(row store.Event) (api.Event, error) {
	e := api.Event{ID: row.ID, Type: row.Type, Timestamp: row.CreatedAt, WorkspaceID: *row.WorkspaceID,
		Actor: showActor(row.Actor)}
	if row.Sequence != nil { // what was imported is no news
		e.Sequence = *row.Sequence
	}
	return e, json.Unmarshal(row.Data, &e.Data)
}

func showActor(a store.Actor) api.Actor { return api.Actor{Type: a.Type, ID: a.ID, KeyID: a.KeyID} }

func (t *Tracker) showActivity(row store.Event, names map[string]string) (api.Activity, error) {
	e, err := showEvent(row)
	a := api.Activity{ID: e.ID, Type: e.Type, Timestamp: e.Timestamp, Actor: e.Actor, Changes: []api.Change{}, Comment: e.Data.Comment,
		Attachment: e.Data.Attachment}
	if err != nil {
		return a, err
	}
	if f := a.Attachment; f != nil { // it may tell of another instance
		small := f.Thumbnail != nil
		if f.URL, f.Thumbnail = t.attachmentURL(f.ID), nil; small {
			address := f.URL + "/thumbnail"
			f.Thumbnail = &address
		}
	}
	if e.Actor.ID != nil {
		if name, ok := names[*e.Actor.ID]; ok {
			a.ActorName = &name
		}
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
	now, err := jsonObject(subject)
	for name, from := range e.Data.Previous {
		to := now[name]
		a.Changes = append(a.Changes, api.Change{Field: name, From: &from, To: &to})
	}
	slices.SortFunc(a.Changes, func(x, y api.Change) int { return strings.Compare(x.Field, y.Field) })
	return a, err
}

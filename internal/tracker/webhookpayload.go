package tracker

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/chat"
	"bugslice/internal/store"
)

const (
	maxPayloadBytes = 20_000 // of the body of a message
	longMemberBytes = 200    // up to which a member is never truncated
)

// webhookPayload returns an event as the body of a message. The data of an event that is too long is truncated: first
// long former values are removed, then the longest member of the subject is shortened, repeatedly. data.cut lists the
// affected members.
func webhookPayload(e api.Event) ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil || len(b) <= maxPayloadBytes {
		return b, err
	}
	data, err := jsonObject(e.Data)
	if err != nil {
		return nil, err
	}
	var cut []string
	previous, _ := data["previous"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(previous)) {
		if jsonSize(previous[name]) > longMemberBytes {
			delete(previous, name)
			cut = append(cut, "previous."+name)
		}
	}
	for {
		data["cut"] = cut
		b, err = json.Marshal(struct {
			api.Event
			Data map[string]any `json:"data"`
		}{e, data})
		longest := longestMember("", data)
		if err != nil || len(b) <= maxPayloadBytes || longest.size <= longMemberBytes {
			return b, err
		}
		longest.shorten()
		if !slices.Contains(cut, longest.path) {
			cut = append(cut, longest.path)
		}
	}
}

// jsonMember is a member of a JSON object that can be shortened: a string, an array, or an object of strings.
type jsonMember struct {
	path, name string
	parent     map[string]any
	size       int
}

// longestMember returns the longest member of an object and of the objects in it that can be shortened.
func longestMember(path string, object map[string]any) (longest jsonMember) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var m jsonMember
		switch v := object[name].(type) {
		case map[string]any:
			if m = longestMember(path+name+".", v); isStringMap(v) {
				m = jsonMember{path: path + name, name: name, parent: object, size: jsonSize(v)}
			}
		case string, []any:
			m = jsonMember{path: path + name, name: name, parent: object, size: jsonSize(v)}
		}
		if m.size > longest.size {
			longest = m
		}
	}
	return longest
}

// shorten removes a quarter of a string, and all elements of an array or an object.
func (m jsonMember) shorten() {
	switch v := m.parent[m.name].(type) {
	case string:
		m.parent[m.name] = truncate(v, utf8.RuneCountInString(v)*3/4)
	case []any:
		m.parent[m.name] = []any{}
	default:
		m.parent[m.name] = map[string]any{}
	}
}

// isStringMap reports whether all members of an object are strings.
func isStringMap(m map[string]any) bool {
	for _, v := range m {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}

// jsonSize returns the length in JSON of a value that was read from JSON.
func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // every value that JSON has can be encoded
	}
	return len(b)
}

// errNotWanted says that a webhook does not send an event.
var errNotWanted = errors.New("tracker: the webhook does not send the event")

// wants returns errNotWanted for an event that the webhook does not send: one for which its format has no message, or
// of a slice that its query does not select now.
func (t *Tracker) wants(q access.Queries, w store.Webhook, e api.Event) error {
	sliceID := chat.SliceOf(e)
	if w.Format != api.FormatStandard && (sliceID == "" || !chat.Says(e)) || w.Query != nil && sliceID == "" {
		return errNotWanted
	}
	if w.Query == nil {
		return nil
	}
	if e.Type == api.EventSliceDeleted { // no list has it any more
		return nil
	}
	selected, err := t.matching(q, t.webhookReader(w), viewIn{w.WorkspaceID, *w.Query}, []string{sliceID}, 1)
	if unlessRefused(err) == nil && len(selected) == 0 {
		return errNotWanted
	}
	return err
}

// webhookReader returns the caller that reads the slices that the query of a webhook selects: the workspace itself, with
// the id of the user or the key that the webhook acts for.
func (t *Tracker) webhookReader(w store.Webhook) access.Caller {
	return t.authority.WorkspaceReader(w.WorkspaceID, w.OrgID, text(cmp.Or(w.Grant.UserID, w.Grant.KeyID)))
}

// checkWebhookQuery refuses the query of a webhook that cannot be evaluated.
func (t *Tracker) checkWebhookQuery(q access.Queries, w store.Webhook) error {
	if w.Query == nil {
		return nil
	}
	_, err := t.matching(q, t.webhookReader(w), viewIn{w.WorkspaceID, *w.Query}, []string{""}, 1)
	if p, ok := errors.AsType[*api.Problem](err); ok {
		return api.InvalidMember("/query", "invalid_query", strings.TrimPrefix(p.Detail, "q: "))
	}
	return err
}

// recorded returns a webhook as events and the audit log have it. Who knows the URL of a webhook of a chat may write
// there, so that they have its host alone: events are sent to other receivers, and stay when the webhook is deleted.
func recorded(w api.Webhook) api.Webhook {
	isChat := cmp.Or(w.Format, api.FormatStandard) != api.FormatStandard || chat.Recognise(w.URL) != api.FormatStandard
	u, err := url.Parse(w.URL)
	if err != nil || !isChat {
		return w
	}
	w.URL = u.Scheme + "://" + u.Host + "/…"
	return w
}

// webhookBody returns the body of the message of an event in the format of a webhook.
func (t *Tracker) webhookBody(q access.Queries, w store.Webhook, e api.Event) ([]byte, error) {
	if w.Format == api.FormatStandard {
		return webhookPayload(e)
	}
	r, err := t.chatReport(q, e)
	if err != nil {
		return nil, err
	}
	return chat.Message(w.Format, e, r)
}

// chatReport returns what a message says about the slice of an event.
func (t *Tracker) chatReport(q access.Queries, e api.Event) (r chat.Report, err error) {
	sliceID := chat.SliceOf(e)
	if sliceID == "" {
		return r, nil
	}
	s, err := q.Slice(sliceID)
	switch {
	case err == nil:
		r.Slice = t.show(s)
	case errors.Is(err, store.ErrNotFound) && e.Data.Slice != nil: // it is deleted
		r.Slice = *e.Data.Slice
	case !errors.Is(err, store.ErrNotFound):
		return r, err
	}
	ids := []string{}
	for _, id := range []*string{e.Actor.ID, r.Slice.AssigneeID} {
		if id != nil {
			ids = append(ids, *id)
		}
	}
	names, err := q.NamesOf(ids)
	if e.Actor.ID != nil {
		r.Actor = names[*e.Actor.ID]
	}
	if r.Slice.AssigneeID != nil {
		r.Assignee = names[*r.Slice.AssigneeID]
	}
	return r, err
}

// webhookMessage is a message of a webhook. Discord's can be changed: those about a slice are one message, which is sent
// first and changed afterwards.
type webhookMessage struct {
	Message
	webhookID, sliceID string
	first              string // the address to which the message is sent first; empty for one that cannot be changed
	id                 string // of the message, as the receiver names it; empty while it is not known
}

// change makes the message one that changes the message about the same slice, if there is one.
func (m *webhookMessage) change(q access.Queries, w store.Webhook, e api.Event) error {
	m.sliceID = chat.SliceOf(e)
	if w.Format != api.FormatDiscord || m.sliceID == "" {
		return nil
	}
	to, err := url.Parse(w.URL)
	if err != nil {
		return err
	}
	values := to.Query()
	values.Set("wait", "true") // the response is the message then
	m.first = (&url.URL{Scheme: to.Scheme, User: to.User, Host: to.Host, Path: to.Path, RawQuery: values.Encode()}).String()
	m.URL = m.first
	known, err := q.WebhookMessage(w.ID, m.sliceID)
	if err != nil || !messageName.MatchString(known) {
		return err
	}
	m.Method, m.URL = http.MethodPatch, to.JoinPath("messages", known).String()
	return nil
}

// isGone reports whether the message that was to be changed does not exist any more.
func (m *webhookMessage) isGone(result SendResult) bool {
	return m.Method == http.MethodPatch && result.Status != nil && *result.Status == http.StatusNotFound
}

// messageName is the form of a name of a message. It becomes a segment of a path.
var messageName = regexp.MustCompile(`^[0-9A-Za-z_-]{1,100}$`)

// read reads how the receiver names a message that was sent first.
func (m *webhookMessage) read(result SendResult) {
	var sent struct{ ID string }
	isFirst := m.first != "" && m.Method == "" && result.Error == nil
	if isFirst && json.Unmarshal(result.Response, &sent) == nil && messageName.MatchString(sent.ID) {
		m.id = sent.ID
	}
}

// store stores how the receiver names the message.
func (m *webhookMessage) store(tx *access.Tx) error {
	if m.id == "" {
		return nil
	}
	return tx.PutWebhookMessage(m.webhookID, m.sliceID, m.id)
}

package tracker_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// chatHook creates a webhook for people.
func (w *world) chatHook(t *testing.T, format api.WebhookFormat, query *string) api.Webhook {
	t.Helper()
	fields := api.WebhookFields{URL: "https://chat.example.com/hooks/1?thread_id=7", Enabled: true,
		Format: format, Query: query}
	made, err := w.CreateWebhook(t.Context(), w.owner,
		valid(api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &w.workspace, WebhookFields: fields}}))
	must(t, err)
	return made.Webhook
}

func (w *world) label(t *testing.T, sliceID string, patch api.SlicePatch) {
	t.Helper()
	must(t, second(w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: sliceID, Patch: patch}))))
}

// TestChatMessages: each change of a report has one message for people. Events that are about no report have none, and
// leave no delivery behind. What a comment says is in the message, with the name of who wrote it.
func TestChatMessages(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.chatHook(t, api.FormatSlack, nil)
		s := w.file(t, "The cart is empty", "")
		comment := api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: "Seen <!channel> twice"}}
		must(t, second(w.CreateComment(t.Context(), w.owner, valid(comment))))
		w.label(t, s.ID, api.SlicePatch{"status": "resolved"})
		w.label(t, s.ID, api.SlicePatch{"labels": []any{"checkout"}})
		must(t, second(w.CreateSpace(t.Context(), w.owner,
			valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "new"}}))))
		w.now = time.Now().Add(time.Second)
		w.deliver(t)
		for i, want := range []string{"filed " + s.Reference, "commented on " + s.Reference,
			"changed " + s.Reference + " to Resolved (fixed)", "changed " + s.Reference + ": "} {
			if i >= len(w.sender.got) || !strings.Contains(string(w.sender.got[i].Body), want) {
				t.Fatalf("message %d is not %q: %d messages", i, want, len(w.sender.got))
			}
		}
		assert.Equal(t, "messages", len(w.sender.got), 4)
		if body := string(w.sender.got[1].Body); !strings.Contains(body,
			`"text":"Seen \u003c!channel\u003e twice","type":"plain_text"`) {
			t.Errorf("the comment is no plain text: %s", body)
		}
		listed, err := w.ListDeliveries(t.Context(), w.owner,
			valid(api.ListDeliveries{WebhookID: h.ID, Paging: api.Paging{Limit: 50}}))
		must(t, err)
		assert.Equal(t, "deliveries", len(listed.Data), 4)
		shown, err := w.GetDelivery(t.Context(), w.owner, valid(api.GetDelivery{DeliveryID: listed.Data[0].ID}))
		must(t, err)
		if shown.Payload == nil || !strings.Contains(*shown.Payload, `"blocks"`) {
			t.Error("a delivery does not show the message that was sent")
		}
		tested, err := w.TestWebhook(t.Context(), w.owner, valid(api.TestWebhook{WebhookID: h.ID}))
		if last := w.sender.got[len(w.sender.got)-1]; err != nil || !tested.Delivered ||
			!strings.Contains(string(last.Body), "sends messages about reports here") {
			t.Errorf("the test of a chat: %s %v", last.Body, err)
		}
	})
}

// TestChosenEvents: a webhook with a query sends the events of the slices that it selects when they are sent, in each
// format. A query that cannot be evaluated is refused.
func TestChosenEvents(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		query := "label:checkout -status:closed"
		for _, format := range []api.WebhookFormat{api.FormatStandard, api.FormatTeams} {
			h := w.chatHook(t, format, &query)
			w.sender.got = nil
			s, other := w.file(t, "The cart is empty", ""), w.file(t, "The mail is late", "")
			w.now = w.now.Add(time.Second)
			w.deliver(t)
			assert.Equal(t, "messages of slices without the label", len(w.sender.got), 0)
			w.label(t, s.ID, api.SlicePatch{"labels": []any{"checkout"}})
			w.label(t, other.ID, api.SlicePatch{"labels": []any{"mail"}})
			w.now = w.now.Add(time.Second)
			w.deliver(t)
			assert.Equal(t, "messages of the slice with the label", len(w.sender.got), 1)
			w.label(t, s.ID, api.SlicePatch{"status": "closed"})
			w.now = w.now.Add(time.Second)
			w.deliver(t)
			assert.Equal(t, "messages after it was closed", len(w.sender.got), 1)
			must(t, second(w.DeleteWebhook(t.Context(), w.owner, valid(api.DeleteWebhook{WebhookID: h.ID}))))
		}
		for _, wrong := range []string{"staus:open", "space:Nowhere", "created:someday"} {
			fields := api.WebhookFields{URL: "https://a.example", Query: &wrong}
			_, err := w.CreateWebhook(t.Context(), w.owner,
				valid(api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &w.workspace, WebhookFields: fields}}))
			if code(err) != api.CodeInvalidBody || strings.Contains(err.Error(), "q: ") {
				t.Errorf("the query %s: %v", wrong, err)
			}
		}
		h := w.chatHook(t, api.FormatSlack, nil)
		_, err := w.UpdateWebhook(t.Context(), w.owner, valid(api.UpdateWebhook{WebhookID: h.ID,
			Patch: api.WebhookPatch{"query": "priority:absurd"}}))
		if code(err) != api.CodeInvalidBody {
			t.Errorf("a changed query: %v", err)
		}
	})
}

// TestDiscordChangesItsMessage: a slice has one message of Discord, which later events change, and a new one after
// somebody has deleted it there.
func TestDiscordChangesItsMessage(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.chatHook(t, api.FormatDiscord, nil)
		sent, deleted := 0, ""
		w.sender.answer = func(m tracker.Message) (int64, string) {
			if m.Method == "" {
				sent++
				return 200, fmt.Sprintf(`{"id":"m%d","embeds":[]}`, sent)
			}
			if deleted != "" && strings.HasSuffix(m.URL, "/messages/"+deleted+"?thread_id=7") {
				return 404, `{"message":"Unknown Message"}`
			}
			return 200, "{}"
		}
		next := func(change func()) (all []string) {
			w.sender.got = nil
			change()
			w.now = w.now.Add(time.Second)
			w.deliver(t)
			for _, m := range w.sender.got {
				all = append(all, m.Method+" "+strings.TrimPrefix(m.URL, "https://chat.example.com/hooks/1"))
			}
			return all
		}
		w.now = time.Now().Add(time.Second)
		var a api.Slice
		const sentFirst = " ?thread_id=7&wait=true"
		assert.Equal(t, "the first event", next(func() { a = w.file(t, "The cart is empty", "") }), []string{sentFirst})
		assert.Equal(t, "another slice", next(func() { w.file(t, "The mail is late", "") }), []string{sentFirst})
		change := func(status string) func() { return func() { w.label(t, a.ID, api.SlicePatch{"status": status}) } }
		assert.Equal(t, "a later event", next(change("in_progress")), []string{"PATCH /messages/m1?thread_id=7"})
		deleted = "m1"
		assert.Equal(t, "after it was deleted", next(change("resolved")),
			[]string{"PATCH /messages/m1?thread_id=7", sentFirst})
		assert.Equal(t, "and once more", next(change("open")), []string{"PATCH /messages/m3?thread_id=7"})
	})
}

// TestChosenReferences: a query that names a slice selects the events of that one.
func TestChosenReferences(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, other := w.file(t, "The cart is empty", ""), w.file(t, "The mail is late", "")
		for i, query := range []string{s.Reference, s.Reference + " status:open", "status:open " + s.Reference,
			"cart", "cart status:open", "status:open -" + other.Reference} {
			h := w.chatHook(t, api.FormatStandard, &query)
			w.sender.got = nil
			for _, one := range []api.Slice{s, other} {
				w.label(t, one.ID, api.SlicePatch{"labels": []any{fmt.Sprint("label", i)}})
			}
			w.now = time.Now().Add(time.Second)
			w.deliver(t)
			assert.Equal(t, query, len(w.sender.got), 1)
			must(t, second(w.DeleteWebhook(t.Context(), w.owner, valid(api.DeleteWebhook{WebhookID: h.ID}))))
		}
	})
}

// TestChosenNames: a query names spaces and people of its workspace, and the one for whom the webhook acts; and neither
// another workspace nor what is in it.
func TestChosenNames(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		space, err := w.CreateSpace(t.Context(), w.owner,
			valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "Checkout"}}))
		must(t, err)
		s, other := w.file(t, "The cart is empty", ""), w.file(t, "The mail is late", "")
		w.label(t, s.ID, api.SlicePatch{"spaceId": space.ID, "assigneeId": w.owner.ID})
		for i, query := range []string{"space:Checkout", "assignee:" + w.owner.Email, "assignee:me",
			"workspace:ONE space:checkout"} {
			h := w.chatHook(t, api.FormatStandard, &query)
			w.sender.got = nil
			for _, one := range []api.Slice{s, other} {
				w.label(t, one.ID, api.SlicePatch{"labels": []any{fmt.Sprint("label", i)}})
			}
			w.now = time.Now().Add(time.Second)
			w.deliver(t)
			assert.Equal(t, query, len(w.sender.got), 1)
			must(t, second(w.DeleteWebhook(t.Context(), w.owner, valid(api.DeleteWebhook{WebhookID: h.ID}))))
		}
		second, err := w.newWorkspace(w.owner, "Second", "TWO")
		must(t, err)
		_, err = w.CreateSpace(t.Context(), w.owner,
			valid(api.CreateSpace{WorkspaceID: second.ID, Body: api.SpaceFields{Name: "Theirs"}}))
		must(t, err)
		for _, query := range []string{"workspace:TWO", "space:Theirs", "duplicate:TWO-1"} {
			fields := api.WebhookFields{URL: "https://a.example", Query: &query}
			_, err := w.CreateWebhook(t.Context(), w.owner,
				valid(api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &w.workspace, WebhookFields: fields}}))
			assert.Equal(t, query, code(err), api.CodeInvalidBody)
			assert.NotContains(t, query, err.Error(), "credential")
		}
	})
}

// TestSecretAddresses: what is recorded of a webhook of a chat has the host of its URL alone, also when the format or
// the URL changes. No other receiver is sent it, and neither the audit log nor its download shows it.
func TestSecretAddresses(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.chatHook(t, api.FormatStandard, nil)
		h := w.chatHook(t, api.FormatMattermost, nil)
		for _, patch := range []api.WebhookPatch{{"url": "https://chat.example.com/hooks/2"}, {"enabled": false},
			{"url": "https://hooks.slack.com/services/hooks/3", "format": "standard"}, {"format": "slack"}} {
			v := valid(api.UpdateWebhook{WebhookID: h.ID, Patch: patch})
			must(t, second(w.UpdateWebhook(t.Context(), w.owner, v)))
		}
		admin := w.colleague(t, "admin@test.example", api.RoleOwner, api.RoleAdmin)
		var shown strings.Builder
		page, err := w.AuditLog(t.Context(), admin.Caller, api.AuditFilters{}, 50) // while the webhook has its URL
		must(t, err)
		must(t, json.NewEncoder(&shown).Encode(page))
		must(t, w.ExportAuditLog(t.Context(), admin.Caller, &shown))
		assert.NotContains(t, "the audit log", shown.String(), "/services/")
		assert.NotContains(t, "the audit log", shown.String(), "/hooks/2")
		assert.Contains(t, "the audit log", shown.String(), "https://hooks.slack.com/…")
		must(t, second(w.RotateSecret(t.Context(), w.owner, valid(api.RotateSecret{WebhookID: h.ID}))))
		must(t, second(w.TestWebhook(t.Context(), w.owner, valid(api.TestWebhook{WebhookID: h.ID}))))
		must(t, second(w.DeleteWebhook(t.Context(), w.owner, valid(api.DeleteWebhook{WebhookID: h.ID}))))
		w.sender.got = nil
		w.now = time.Now().Add(time.Second)
		w.deliver(t)
		assert.Equal(t, "messages to the other one", len(w.sender.got), 1)
		assert.Contains(t, "the message", string(w.sender.got[0].Body), "https://chat.example.com/…")
		recorded := 0
		db := w.database(t)
		must(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM events WHERE data LIKE '%whk_%'").Scan(&recorded))
		if recorded < 8 {
			t.Errorf("%d events of webhooks", recorded)
		}
		assert.Equal(t, "events with the secret", w.rows(t, db,
			" WHERE data LIKE '%/hooks/2%' OR data LIKE '%/services/%'", "events"), []int{0})
	})
}

// TestDiscordNamesItsMessage: the answer of a receiver names a message, and neither another path nor a parameter of its
// address. It may be as long as Discord's are.
func TestDiscordNamesItsMessage(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.chatHook(t, api.FormatDiscord, nil)
		w.now = time.Now().Add(time.Second)
		for _, id := range []string{"../../@me", "..", ".", "", "a/b", `a\u002f..`, "1?wait=0", "%2e%2e", "1\u0000"} {
			w.sender.answer = func(tracker.Message) (int64, string) { return 200, `{"embeds":[],"id":"` + id + `"}` }
			s := w.file(t, "The cart is empty", "")
			w.now = w.now.Add(time.Second)
			w.deliver(t)
			w.sender.got = nil
			w.label(t, s.ID, api.SlicePatch{"status": "resolved"})
			w.now = w.now.Add(time.Second)
			w.deliver(t)
			assert.Equal(t, id+": messages", len(w.sender.got), 1)
			got := w.sender.got[0]
			assert.Equal(t, id, got.Method+" "+got.URL, " https://chat.example.com/hooks/1?thread_id=7&wait=true")
		}
	})
}

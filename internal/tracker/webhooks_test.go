package tracker_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// fakeSender answers every message with the same outcome and keeps what it was given.
type fakeSender struct {
	why    api.AttemptError // none: taken
	status int64
	after  time.Duration // for which the receiver is to be left alone
	got    []tracker.Message
	answer func(tracker.Message) (status int64, body string) // in place of the outcome; nil for it
}

func (f *fakeSender) Address(url string) (string, error) { return url, nil }

func (f *fakeSender) Send(_ context.Context, m tracker.Message) tracker.SendResult {
	f.got = append(f.got, m)
	s := tracker.SendResult{Attempt: api.Attempt{At: api.At(m.At)}, RetryAfter: f.after}
	if f.answer != nil {
		status, body := f.answer(m)
		if s.Status, s.Response = &status, []byte(body); status >= 300 {
			s.Error = new(api.AttemptStatus)
		}
		return s
	}
	if f.why != "" {
		s.Error = &f.why
	}
	if f.status != 0 {
		s.Status = &f.status
	}
	return s
}

func (w *world) hook(t *testing.T) api.WebhookSecret {
	t.Helper()
	made, err := w.CreateWebhook(t.Context(), w.owner,
		valid(api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &w.workspace,
			WebhookFields: api.WebhookFields{URL: "https://hooks.example.com/", Enabled: true}}}))
	must(t, err)
	return made
}

// deliver carries out everything that is due.
func (w *world) deliver(t *testing.T) (n int) {
	t.Helper()
	for {
		claims, err := w.LeaseDeliveries(t.Context())
		must(t, err)
		if len(claims) == 0 {
			return n
		}
		for _, c := range claims {
			must(t, w.Deliver(t.Context(), c))
			n++
		}
	}
}

// TestScheduleOfRetries: ten tries over about three days, each after its delay, give or take a
// fifth; then the delivery has failed, and recover brings it back.
func TestScheduleOfRetries(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.sender.why = api.AttemptTimeout
		h := w.hook(t)
		w.file(t, "a slice", "")
		w.now = time.Now().Add(time.Second)
		if n := w.deliver(t); n != 1 {
			t.Fatalf("%d tries at first", n)
		}
		for i, delay := range []time.Duration{5 * time.Second, 5 * time.Minute,
			30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour,
			24 * time.Hour} {
			begin := w.now
			w.now = begin.Add(delay*8/10 - time.Millisecond)
			if n := w.deliver(t); n != 0 {
				t.Errorf("try %d came before its time", i+2)
			}
			w.now = begin.Add(delay*12/10 + time.Second)
			if n := w.deliver(t); n != 1 {
				t.Errorf("try %d: %d", i+2, n)
			}
		}
		list := func() api.Delivery {
			p, err := w.ListDeliveries(t.Context(), w.owner,
				valid(api.ListDeliveries{WebhookID: h.ID, Paging: api.Paging{Limit: 5}}))
			must(t, err)
			return p.Data[0]
		}
		if d := list(); d.Status != api.DeliveryFailed || d.AttemptCount != 10 || d.FinishedAt == nil ||
			d.NextAttemptAt != nil {
			t.Errorf("%+v", d)
		}
		w.now = w.now.Add(24 * time.Hour)
		if n := w.deliver(t); n != 0 {
			t.Errorf("%d tries of a failed delivery", n)
		}
		w.sender.why = ""
		r, err := w.RecoverDeliveries(t.Context(), w.owner,
			valid(api.RecoverDeliveries{WebhookID: h.ID, Body: api.RecoverFields{Since: h.CreatedAt}}))
		if err != nil || r.Failed != 1 || r.Missed != 0 {
			t.Errorf("%+v %v", r, err)
		}
		w.deliver(t)
		if d := list(); d.Status != api.DeliveryDelivered {
			t.Errorf("%+v", d)
		}
		ids := map[string]bool{}
		for _, m := range w.sender.got {
			ids[m.ID] = true
		}
		if len(ids) != 1 {
			t.Errorf("%d ids for one event", len(ids))
		}
	})
}

// TestFailingWebhookIsDisabled after five days without success, and not before; a success
// begins the count anew.
func TestFailingWebhookIsDisabled(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.hook(t)
		shown := func() api.Webhook {
			got, err := w.GetWebhook(t.Context(), w.owner, valid(api.GetWebhook{WebhookID: h.ID}))
			must(t, err)
			return got
		}
		pass := func(d time.Duration, why api.AttemptError) {
			t.Helper()
			w.now, w.sender.why = w.now.Add(d), why
			w.file(t, "an event", "")
			w.deliver(t)
		}
		w.now = time.Now().Add(time.Minute)
		pass(0, api.AttemptConnection)
		pass(4*24*time.Hour, "")
		pass(time.Hour, api.AttemptConnection)
		pass(4*24*time.Hour, api.AttemptConnection)
		if !shown().Enabled {
			t.Fatal("disabled after four days")
		}
		pass(25*time.Hour, api.AttemptConnection)
		if got := shown(); got.Enabled || *got.DisabledReason != api.WebhookFailing {
			t.Errorf("%+v", got)
		}
		p, err := w.ListEvents(t.Context(), w.owner, valid(api.ListEvents{WorkspaceID: w.workspace,
			Type: []api.EventType{api.EventWebhookDisabled}, Paging: api.Paging{Limit: 5}}))
		if err != nil || len(p.Data) != 1 || p.Data[0].Actor.Type != "system" {
			t.Errorf("%+v %v", p, err)
		}
		waits := func() int {
			p, err := w.ListDeliveries(t.Context(), w.owner,
				valid(api.ListDeliveries{WebhookID: h.ID, Status: []api.DeliveryStatus{api.DeliveryPending},
					Paging: api.Paging{Limit: 50}}))
			must(t, err)
			return len(p.Data)
		}
		before := waits()
		if _, err := w.EnableWebhook(t.Context(), w.owner, valid(api.EnableWebhook{WebhookID: h.ID})); err != nil {
			t.Fatal(err)
		}
		pass(72*time.Hour, "")
		if n := waits(); before == 0 || n != 0 {
			t.Errorf("%d waited and %d wait still", before, n)
		}
	})
}

// TestRecoveryDoesNotWait: a recovery sends the deliveries at once that wait for another attempt, which may be a day
// away.
func TestRecoveryDoesNotWait(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.hook(t)
		w.sender.why = api.AttemptTimeout
		w.file(t, "sent in vain", "")
		w.now = time.Now().Add(time.Second)
		w.deliver(t)
		w.sender.why = ""
		w.file(t, "not sent yet", "")
		r, err := w.RecoverDeliveries(t.Context(), w.owner,
			valid(api.RecoverDeliveries{WebhookID: h.ID, Body: api.RecoverFields{Since: h.CreatedAt}}))
		if err != nil || r.Failed != 1 || r.Missed != 0 {
			t.Errorf("%+v %v", r, err)
		}
		if w.deliver(t); len(w.sender.got) != 3 {
			t.Errorf("%d messages", len(w.sender.got))
		}
		p, err := w.ListDeliveries(t.Context(), w.owner,
			valid(api.ListDeliveries{WebhookID: h.ID, Status: []api.DeliveryStatus{api.DeliveryDelivered},
				Paging: api.Paging{Limit: 5}}))
		if err != nil || len(p.Data) != 2 {
			t.Errorf("%+v %v", p.Data, err)
		}
	})
}

// TestGoneReceiver: a receiver that answers 410 gets nothing more. The answered delivery has failed, others wait
// until somebody enables the webhook, and a recovery brings the failed one back.
func TestGoneReceiver(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.hook(t)
		w.sender.why, w.sender.status = api.AttemptStatus, 410
		w.file(t, "the first", "")
		w.now = time.Now().Add(time.Second)
		w.deliver(t)
		got, err := w.GetWebhook(t.Context(), w.owner, valid(api.GetWebhook{WebhookID: h.ID}))
		if err != nil || got.Enabled || *got.DisabledReason != api.WebhookGone {
			t.Fatalf("%+v %v", got, err)
		}
		list := func() api.Delivery {
			p, err := w.ListDeliveries(t.Context(), w.owner,
				valid(api.ListDeliveries{WebhookID: h.ID, Paging: api.Paging{Limit: 5}}))
			must(t, err)
			return p.Data[len(p.Data)-1]
		}
		if d := list(); d.Status != api.DeliveryFailed || d.AttemptCount != 1 || d.FinishedAt == nil ||
			d.NextAttemptAt != nil {
			t.Errorf("%+v", d)
		}
		w.sender.why, w.sender.status = "", 0
		must(t, second(w.EnableWebhook(t.Context(), w.owner, valid(api.EnableWebhook{WebhookID: h.ID}))))
		w.now = w.now.Add(time.Hour)
		if w.deliver(t); list().Status != api.DeliveryFailed {
			t.Errorf("it was sent again without being asked for: %+v", list())
		}
		must(t, second(w.RecoverDeliveries(t.Context(), w.owner,
			valid(api.RecoverDeliveries{WebhookID: h.ID, Body: api.RecoverFields{Since: h.CreatedAt}}))))
		if w.deliver(t); list().Status != api.DeliveryDelivered {
			t.Errorf("%+v", list())
		}
	})
}

// TestClaimsPassOver: a webhook has four deliveries under way at most, one while its receiver
// takes nothing; fresh ones go before retries; a lease ends by itself.
func TestClaimsPassOver(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		first, second := w.hook(t), w.hook(t)
		for range 6 {
			w.file(t, "a slice", "")
		}
		w.now = time.Now().Add(time.Second)
		claim := func() map[string]int {
			claims, err := w.LeaseDeliveries(t.Context())
			must(t, err)
			n := map[string]int{}
			for _, c := range claims {
				n[c.WebhookID]++
			}
			return n
		}
		if n := claim(); n[first.ID] != 4 || n[second.ID] != 4 {
			t.Errorf("%v", n)
		}
		if n := claim(); len(n) != 0 {
			t.Errorf("%v beyond the cap", n)
		}
		w.now = w.now.Add(61 * time.Second)
		if n := claim(); n[first.ID] != 4 || n[second.ID] != 4 {
			t.Errorf("%v after the leases' end", n)
		}
		w.now = w.now.Add(61 * time.Second)
		w.sender.why = api.AttemptTimeout
		claims, err := w.LeaseDeliveries(t.Context())
		must(t, err)
		must(t, w.Deliver(t.Context(), claims[0]))
		for _, c := range claims[1:] {
			if c.WebhookID != claims[0].WebhookID {
				must(t, w.Deliver(t.Context(), c))
			}
		}
		w.now = w.now.Add(10 * time.Minute) // retries are due
		w.file(t, "fresh", "")
		w.now = w.now.Add(time.Second)
		if n := claim(); n[first.ID] != 1 || n[second.ID] != 1 {
			t.Errorf("%v of receivers that take nothing", n)
		}
		// A delivery whose lease has gone to somebody else is not settled by its former holder.
		must(t, w.Deliver(t.Context(), claims[0]))
		d, err := w.GetDelivery(t.Context(), w.owner, valid(api.GetDelivery{DeliveryID: claims[0].ID}))
		if err != nil || d.AttemptCount != 1 {
			t.Errorf("%+v %v", d, err)
		}
	})
}

// TestFirstAttemptsGoBeforeRetries: deliveries without an attempt go before retries, whatever their age.
func TestFirstAttemptsGoBeforeRetries(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.sender.why = api.AttemptStatus
		w.hook(t)
		for range 5 {
			w.file(t, "old", "")
			w.now = time.Now().Add(time.Second)
			w.deliver(t)
		}
		w.now = w.now.Add(time.Hour)
		fresh := w.file(t, "fresh", "")
		w.now = w.now.Add(time.Second)
		claims, err := w.LeaseDeliveries(t.Context())
		must(t, err)
		if len(claims) != 1 {
			t.Fatalf("%d claims", len(claims))
		}
		must(t, w.Deliver(t.Context(), claims[0]))
		if last := w.sender.got[len(w.sender.got)-1]; !strings.Contains(string(last.Body), fresh.ID) {
			t.Errorf("sent %s", last.Body)
		}
	})
}

// TestRetention: events are read, and deliveries kept, for as long as the setting says.
func TestRetention(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.hook(t)
		w.file(t, "old", "")
		w.now = time.Now().Add(time.Second) // the delivery is due
		w.deliver(t)
		page, err := w.ListEvents(t.Context(), w.owner,
			valid(api.ListEvents{WorkspaceID: w.workspace, Paging: api.Paging{Limit: 5}}))
		must(t, err)
		after := page.Data[len(page.Data)-1].ID
		w.pass(t, tracker.DefaultEventRetention+24*time.Hour)
		if _, err := w.ListEvents(t.Context(), w.owner, valid(api.ListEvents{WorkspaceID: w.workspace,
			After: after, Paging: api.Paging{Limit: 5}})); code(err) != api.CodeEventsGone {
			t.Errorf("events after one that was deleted: %v, want %s", err, api.CodeEventsGone)
		}
		if p, err := w.ListEvents(t.Context(), w.owner, valid(api.ListEvents{WorkspaceID: w.workspace,
			After: api.Latest, Paging: api.Paging{Limit: 5}})); err != nil || len(p.Data) != 0 {
			t.Errorf("the latest events are %+v (%v), want none", p, err)
		}
		if p, err := w.ListDeliveries(t.Context(), w.owner,
			valid(api.ListDeliveries{WebhookID: h.ID, Paging: api.Paging{Limit: 5}})); err != nil || len(p.Data) != 0 {
			t.Errorf("the deliveries are %+v (%v), want none", p, err)
		}
	})
}

// TestExpiringKeysAreToldOf once, a week before, unless they were made for less.
func TestExpiringKeysAreToldOf(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.now = time.Now()
		mint := func(name string, life time.Duration) {
			at := api.At(w.now.Add(life))
			_, err := w.CreateKey(t.Context(), w.owner,
				valid(api.CreateKey{Body: api.KeyFields{Name: name, Type: api.WST,
					WorkspaceID: &w.workspace, Scopes: []api.Scope{api.SlicesRead}, ExpiresAt: &at}}))
			must(t, err)
		}
		mint("long", 30*24*time.Hour)
		mint("short", 24*time.Hour)
		told := func() (names []string) {
			p, err := w.ListEvents(t.Context(), w.owner,
				valid(api.ListEvents{WorkspaceID: w.workspace, Type: []api.EventType{api.EventKeyExpiring},
					Paging: api.Paging{Limit: 50}}))
			must(t, err)
			for _, e := range p.Data {
				names = append(names, e.Data.APIKey.Name)
			}
			return names
		}
		w.RunJobs(t.Context())
		if got := told(); len(got) != 0 {
			t.Errorf("%v", got)
		}
		for range 3 {
			w.now = w.now.Add(23*24*time.Hour + time.Hour)
			w.RunJobs(t.Context())
			w.now = w.now.Add(-23*24*time.Hour + time.Hour)
		}
		if got := told(); !slices.Equal(got, []string{"long"}) {
			t.Errorf("%v", got)
		}
	})
}

// TestDeletedWebhooks send nothing more and are purged with what they sent; the others stay.
func TestDeletedWebhooks(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		gone, stays := w.hook(t), w.hook(t)
		for range 3 {
			w.file(t, "a slice", "")
		}
		_, err := w.DeleteWebhook(t.Context(), w.owner, valid(api.DeleteWebhook{WebhookID: gone.ID}))
		must(t, err)
		w.now = time.Now().Add(time.Second)
		w.deliver(t)
		if len(w.sender.got) != 3 { // the deletion itself is no event that webhooks send
			t.Errorf("%d messages", len(w.sender.got))
		}
		if _, err := w.GetWebhook(t.Context(), w.owner,
			valid(api.GetWebhook{WebhookID: gone.ID})); code(err) != api.CodeNotFound {
			t.Errorf("%v", err)
		}
		w.pass(t, 2*time.Hour)
		rows := func(id string) int {
			all, err := w.store.Read(t.Context()).Deliveries(store.DeliveryFilter{WebhookID: id, Limit: 50})
			must(t, err)
			return len(all)
		}
		if rows(gone.ID) != 0 || rows(stays.ID) < 3 {
			t.Errorf("%d and %d deliveries", rows(gone.ID), rows(stays.ID))
		}
	})
}

// TestWaitingDeliveriesAreKept however short the log is: what still waits is tried to its end, and
// forgotten then.
func TestWaitingDeliveriesAreKept(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.with(t, func(o *tracker.Options) { o.EventRetention = 24 * time.Hour })
		w.sender.why = api.AttemptTimeout
		h := w.hook(t)
		w.file(t, "a slice", "")
		w.now = time.Now().Add(time.Second)
		tries := 0
		for range 50 {
			tries += w.deliver(t)
			w.now = w.now.Add(2 * time.Hour)
			w.RunJobs(t.Context())
		}
		left, err := w.ListDeliveries(t.Context(), w.owner,
			valid(api.ListDeliveries{WebhookID: h.ID, Paging: api.Paging{Limit: 5}}))
		must(t, err)
		if tries != 10 || len(left.Data) != 0 {
			t.Errorf("%d tries, then %d deliveries left", tries, len(left.Data))
		}
	})
}

// TestPingIsSentOnce under an Idempotency-Key, for as long as that stands for its answer.
func TestPingIsSentOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h, other := w.hook(t), w.hook(t)
		ping := func(webhookID string) (api.WebhookTest, error) {
			in := api.TestWebhook{WebhookID: webhookID}
			in.IdempotencyKey = "key"
			return w.TestWebhook(t.Context(), w.owner, valid(in))
		}
		first, err := ping(h.ID)
		must(t, err)
		again, err := ping(h.ID)
		if err != nil || again.EventID != first.EventID || len(w.sender.got) != 1 {
			t.Errorf("%+v %v, sent %d times", again, err, len(w.sender.got))
		}
		if _, err := ping(other.ID); code(err) != api.CodeIdempotencyKeyReused || len(w.sender.got) != 1 {
			t.Errorf("another request: %v, sent %d times", err, len(w.sender.got))
		}
		w.now = w.now.Add(25 * time.Hour)
		if later, err := ping(h.ID); err != nil || later.EventID == first.EventID || len(w.sender.got) != 2 {
			t.Errorf("a day later: %+v %v, sent %d times", later, err, len(w.sender.got))
		}
	})
}

// TestReceiverIsLeftAlone for as long as it asked, whatever else is changed of its webhook, until
// somebody enables that anew or gives it another receiver.
func TestReceiverIsLeftAlone(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			name    string
			patches []api.WebhookPatch
			tries   int
		}{
			{"described", []api.WebhookPatch{{"description": "x"}}, 0},
			{"paused", []api.WebhookPatch{{"enabled": false}}, 0},
			{"enabled", []api.WebhookPatch{{"enabled": false}, {"enabled": true}}, 1},
			{"moved", []api.WebhookPatch{{"url": "https://new.example.com/"}}, 1},
			{"rotated", nil, 0},
		} {
			w.sender.why, w.sender.after = api.AttemptTimeout, time.Hour
			h := w.hook(t)
			w.file(t, c.name, "")
			w.now = time.Now().Add(time.Second)
			if n := w.deliver(t); n != 1 {
				t.Errorf("%s: %d tries at first", c.name, n)
			}
			for _, p := range c.patches {
				_, err := w.UpdateWebhook(t.Context(), w.owner, valid(api.UpdateWebhook{WebhookID: h.ID, Patch: p}))
				must(t, err)
			}
			if c.name == "rotated" {
				_, err := w.RotateSecret(t.Context(), w.owner, valid(api.RotateSecret{WebhookID: h.ID}))
				must(t, err)
			}
			w.sender.after = 0
			w.file(t, c.name, "")
			w.now = w.now.Add(time.Second)
			if n := w.deliver(t); n != c.tries {
				t.Errorf("%s: %d tries", c.name, n)
			}
			_, err := w.DeleteWebhook(t.Context(), w.owner, valid(api.DeleteWebhook{WebhookID: h.ID}))
			must(t, err)
		}
	})
}

// TestWebhooksActForTheirMaker: a webhook sends what whom it acts for may read when it is sent, and nothing once that
// account is disabled.
func TestWebhooksActForTheirMaker(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u := w.user(t, "u@test.example")
		must(t, w.In(w.owner.Organization).PutMember(t.Context(), w.workspace, u.UserID, api.RoleAdmin))
		ofUser := api.NewWebhook{WorkspaceID: &w.workspace,
			WebhookFields: api.WebhookFields{URL: "https://hooks.example.com/",
				Enabled: true}}
		made, err := w.CreateWebhook(t.Context(), w.authenticate(t, u.Token), valid(api.CreateWebhook{Body: ofUser}))
		must(t, err)
		if made.Creator.UserID == nil || *made.Creator.UserID != u.UserID {
			t.Errorf("the webhook was made by %v, want %s", made.Creator.UserID, u.UserID)
		}
		weakened := w.hook(t)
		w.file(t, "a slice", "")
		narrow := w.authenticate(t, w.mint(t, []api.Scope{api.WebhooksManage}).Token)
		patch := api.WebhookPatch{"url": "https://hooks.example.com/narrow"}
		must(t, second(w.UpdateWebhook(t.Context(), narrow,
			valid(api.UpdateWebhook{WebhookID: weakened.ID, Patch: patch}))))
		must(t, w.Operator.DisableUser(t.Context(), u.UserID))
		w.now = w.now.Add(time.Second)
		w.deliver(t)
		for _, m := range w.sender.got {
			if strings.Contains(string(m.Body), "slice.created") {
				t.Errorf("a slice was sent to %s, without the right to it", m.URL)
			}
		}
	})
}

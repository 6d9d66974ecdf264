package tracker_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/mail"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
	"bugslice/internal/tracker"
)

// outbox is a mail server that keeps what it gets, and answers what a test wants.
type outbox struct {
	mu     sync.Mutex
	sent   []mail.Message
	answer func(m mail.Message) mail.Result // nil: every mail is taken
}

func (o *outbox) Describe() string { return "a test" }

func (o *outbox) Send(_ context.Context, m mail.Message, commit func() error) mail.Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	result := mail.Result{Outcome: mail.Sent}
	if o.answer != nil {
		result = o.answer(m)
	}
	if result.Outcome == mail.Sent || result.Outcome == mail.Unknown {
		if commit() != nil {
			return mail.Result{Outcome: mail.Abandoned}
		}
	}
	if result.Outcome == mail.Sent {
		o.sent = append(o.sent, m)
	}
	return result
}

// take returns what was sent since the last call.
func (o *outbox) take() []mail.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	sent := o.sent
	o.sent = nil
	return sent
}

// mailed is a world that sends mails.
type mailed struct {
	*inbox
	out  *outbox
	boss tracker.Session // an owner of the organisation
}

// mailing runs a test on both databases.
func mailing(t *testing.T, test func(t *testing.T, w *mailed)) {
	engines(t, func(t *testing.T, w *world) {
		out := &outbox{}
		w.with(t, func(o *tracker.Options) { o.Mail = out })
		w.now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
		test(t, &mailed{&inbox{w, w.member(t, "ada@test.example"), w.member(t, "ben@test.example")}, out,
			w.colleague(t, "boss@test.example", api.RoleOwner, api.RoleAdmin)})
	})
}

// after passes some time, and sends what is due then. It returns the mails as "to: subject".
func (w *mailed) after(t *testing.T, d time.Duration) (all []string) {
	t.Helper()
	for _, m := range w.sendAfter(t, d) {
		all = append(all, m.Email+": "+m.Subject)
	}
	slices.Sort(all)
	return all
}

// sendAfter tells users of what has happened, and returns what is sent after some time.
func (w *mailed) sendAfter(t *testing.T, d time.Duration) []mail.Message {
	t.Helper()
	must(t, w.Notify(t.Context()))
	w.now = w.now.Add(d)
	return w.send(t)
}

func (w *mailed) send(t *testing.T) []mail.Message {
	t.Helper()
	must(t, w.Notify(t.Context()))
	for {
		leased, err := w.LeaseMails(t.Context(), 20)
		must(t, err)
		if len(leased) == 0 {
			return w.out.take()
		}
		for _, m := range leased {
			must(t, second(w.SendMail(t.Context(), m)))
		}
	}
}

func (w *mailed) choose(t *testing.T, c access.Caller, patch api.MailPatch) {
	t.Helper()
	must(t, second(w.UpdateMailSettings(t.Context(), c, valid(api.UpdateMailSettings{Patch: patch}))))
}

// TestMailsAtOnce: a mention is mailed after two minutes, in the thread of its report, unless it was read meanwhile;
// what follows in these minutes is the same mail, and nobody is mailed of an own act.
func TestMailsAtOnce(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		s := w.fileBy(t, w.ada, "checkout fails", func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
		w.comment(t, w.ada, s.ID, "Look, @"+w.ben.Email+"\n\n- one\n- two")
		assert.Equal(t, "at once", w.after(t, time.Minute), []string(nil))
		sent := w.sendAfter(t, 2*time.Minute)
		assert.Equal(t, "mails", len(sent), 1)
		m := sent[0]
		assert.Equal(t, "to", m.Email, w.ben.Email)
		assert.Equal(t, "subject", m.Subject, "[ONE-1] checkout fails")
		assert.Equal(t, "thread", m.Thread, s.ID)
		text := m.Text()
		for _, part := range []string{"ONE-1 checkout fails\nhttp://test/ONE-1", "filed this report (you are assigned)",
			"commented (you are mentioned)", "> - one\n> - two", "Stop such mails: http://test/mail/stop/"} {
			assert.Contains(t, "text", text, part)
		}
		assert.Equal(t, "again", w.after(t, time.Hour), []string(nil))

		w.comment(t, w.ada, s.ID, "Really, @"+w.ben.Email)
		must(t, w.Notify(t.Context()))
		w.change(t, w.ben, api.NoticesUpdate{SliceID: &s.ID, State: api.ChangeRead})
		assert.Equal(t, "read meanwhile", w.after(t, 3*time.Minute), []string(nil))
	})
}

// TestMailBursts: of forty reports in ten minutes comes one bundle, and the next one ten minutes later.
func TestMailBursts(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		var all []string
		for i := range 40 {
			w.fileBy(t, w.ada, fmt.Sprint("report ", i), func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
			all = append(all, w.after(t, 15*time.Second)...)
		}
		assert.Equal(t, "mails in ten minutes", len(all), 1)
		rest := w.after(t, 10*time.Minute)
		assert.Equal(t, "mails after it", len(rest), 1)
		assert.Contains(t, "the bundle", rest[0], "and 29 more")
		w.fileBy(t, w.ada, "one", func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
		assert.Equal(t, "later", w.after(t, 11*time.Minute), []string{w.ben.Email + ": [ONE-41] one"})
	})
}

// TestMailDigest: what is for the digest comes once a day in the zone of its reader, as one mail; a choice holds for
// what waits.
func TestMailDigest(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		w.choose(t, w.ada, api.MailPatch{"timeZone": "Asia/Tokyo", "digestHour": 7}) // 22:00 UTC
		first, other := w.fileBy(t, w.ada, "first", nil), w.fileBy(t, w.ada, "other", nil)
		w.comment(t, w.ben, first.ID, "a")
		w.comment(t, w.ben, other.ID, "b")
		assert.Equal(t, "before", w.after(t, 9*time.Hour+59*time.Minute), []string(nil))
		assert.Equal(t, "the digest", w.after(t, 2*time.Minute), []string{w.ada.Email + ": Digest: ONE-1, ONE-2"})
		w.comment(t, w.ben, first.ID, "c")
		must(t, w.Notify(t.Context()))
		w.choose(t, w.ada, api.MailPatch{"participating": "now", "quietFrom": 6 * 60,
			"quietUntil": 9 * 60}) // until 00:00 UTC
		assert.Equal(t, "in quiet hours", w.after(t, 30*time.Minute), []string(nil))
		assert.Equal(t, "after them", w.after(t, 90*time.Minute), []string{w.ada.Email + ": [ONE-1] first"})
		w.comment(t, w.ben, first.ID, "d")
		must(t, w.Notify(t.Context()))
		w.choose(t, w.ada, api.MailPatch{"participating": "never"})
		assert.Equal(t, "never", w.after(t, 48*time.Hour), []string(nil))
	})
}

// TestMailRights: what a mail has is decided when it is sent: nothing of a report that its reader may not read any
// more or that is deleted, and in a workspace of links neither titles nor texts.
func TestMailRights(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		gone := w.fileBy(t, w.ada, "deleted", func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
		must(t, w.Notify(t.Context()))
		must(t, second(w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: gone.ID}))))
		assert.Equal(t, "deleted", w.after(t, 3*time.Minute), []string(nil))

		must(t, second(w.UpdateWorkspace(t.Context(), w.owner, valid(api.UpdateWorkspace{WorkspaceID: w.workspace,
			Patch: api.WorkspacePatch{"mailContent": "link"}}))))
		s := w.fileBy(t, w.ada, "topsecret title", func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
		w.comment(t, w.ada, s.ID, "topsecret text for @"+w.ben.Email)
		sent := w.sendAfter(t, 3*time.Minute)
		assert.Equal(t, "mails", len(sent), 1)
		all := fmt.Sprint(sent[0].Subject, sent[0].Text(), sent[0].HTML())
		if strings.Contains(all, "topsecret") || strings.Contains(all, "ada") || !strings.Contains(all,
			"http://test/ONE-2") {
			t.Errorf("link only: %s", all)
		}
		w.comment(t, w.ada, s.ID, "@"+w.ben.Email)
		must(t, w.Notify(t.Context()))
		must(t, w.RemoveMember(t.Context(), w.boss, w.workspace, w.ben.ID))
		assert.Equal(t, "a former member", w.after(t, 3*time.Minute), []string(nil))
	})
}

// TestMailFailures: a server that is away delays a mail and loses nothing; one that refuses an address stops it until
// somebody tries again; an unknown outcome is repeated once.
func TestMailFailures(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		assign := func(summary string) {
			w.fileBy(t, w.ada, summary, func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
		}
		result := mail.Result{Outcome: mail.Unreachable, Words: "no route to host"}
		w.out.answer = func(mail.Message) mail.Result { return result }
		owner := w.boss.Caller
		assign("away")
		for range 20 {
			assert.Equal(t, "away", w.after(t, 6*time.Hour), []string(nil))
		}
		state, err := w.GetMailState(t.Context(), owner, valid(api.GetMailState{}))
		must(t, err)
		assert.Equal(t, "waiting", state.Waiting, int64(1))
		assert.Equal(t, "in its words", state.LastError, "no route to host")
		w.out.answer = nil
		assert.Equal(t, "back", w.after(t, time.Minute), []string{w.ben.Email + ": [ONE-1] away"})

		result, w.out.answer = mail.Result{Outcome: mail.Unknown}, func(mail.Message) mail.Result { return result }
		assign("unknown")
		for range 40 {
			w.after(t, 3*time.Hour)
		}
		state, err = w.GetMailState(t.Context(), owner, valid(api.GetMailState{}))
		must(t, err)
		assert.Equal(t, "failed", len(state.Failed), 1)
		assert.Contains(t, "why", state.Failed[0].Words, "Nobody knows")
		assert.Equal(t, "attempts", w.MailAttempts(mail.Unknown), int64(2))
		w.out.answer = nil
		must(t, second(w.RetryMail(t.Context(), owner, valid(api.RetryMail{MailID: state.Failed[0].ID}))))
		assert.Equal(t, "once more", w.after(t, 0), []string{w.ben.Email + ": [ONE-2] unknown"})

		result, w.out.answer = mail.Result{Outcome: mail.Bounced,
			Words: "550 5.1.1 who?"}, func(mail.Message) mail.Result { return result }
		assign("bounced")
		w.after(t, 3*time.Minute)
		w.out.answer = nil
		assign("stopped")
		assert.Equal(t, "stopped", w.after(t, 3*time.Minute), []string(nil))
		state, err = w.GetMailState(t.Context(), owner, valid(api.GetMailState{}))
		must(t, err)
		assert.Equal(t, "stopped addresses", len(state.Stopped), 1)
		settings, err := w.GetMailSettings(t.Context(), w.ben, valid(api.GetMailSettings{}))
		must(t, err)
		assert.Equal(t, "its owner sees it", settings.Stopped.Words, "550 5.1.1 who?")
		must(t, second(w.ResumeMail(t.Context(), owner, valid(api.ResumeMail{UserID: w.ben.ID}))))
		assign("resumed")
		assert.Equal(t, "resumed", w.after(t, 3*time.Minute), []string{w.ben.Email + ": [ONE-5] resumed"})
	})
}

// TestMailNodes: of several nodes at once each mail is sent once, and a notice is in one mail.
func TestMailNodes(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		for i := range 4 {
			w.fileBy(t, w.ada, fmt.Sprint("report ", i), func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
		}
		must(t, w.Notify(t.Context()))
		w.now = w.now.Add(3 * time.Minute)
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				for range 5 {
					leased, err := w.LeaseMails(t.Context(), 2)
					if err != nil {
						t.Error(err)
					}
					for _, m := range leased {
						if _, err := w.SendMail(t.Context(), m); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		work.Wait()
		assert.Equal(t, "mails", len(w.out.take()), 4)
	})
}

var linkIn = regexp.MustCompile(`http://test/[a-z]+/(?:stop/)?[\w-]+`)

// link returns the first link of a mail with the beginning of a path.
func link(t *testing.T, m mail.Message, path string) string {
	t.Helper()
	for _, found := range linkIn.FindAllString(m.Text(), -1) {
		if secret, ok := strings.CutPrefix(found, "http://test"+path); ok {
			return secret
		}
	}
	t.Fatalf("no link %s in %s", path, m.Text())
	return ""
}

// TestMailStops: the address in a mail stops the mails of its kinds alone, whatever opens it before, and is undone
// exactly. One of other secrets, or that was altered, stops nothing.
func TestMailStops(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		s := w.fileBy(t, w.ada, "stop", func(n *api.NewSlice) { n.AssigneeID = &w.ben.ID })
		secret := link(t, w.sendAfter(t, 3*time.Minute)[0], "/mail/stop/")
		for range 5 {
			shown, err := w.MailStop(t.Context(), secret)
			must(t, err)
			assert.Equal(t, "kinds", shown.Kinds, []api.MailKind{api.MailAssigned})
		}
		ben := w.ben
		settings := func() api.MailFields {
			s, err := w.GetMailSettings(t.Context(), ben, valid(api.GetMailSettings{}))
			must(t, err)
			return s.MailFields
		}
		before := settings()
		assert.Equal(t, "opening it", before, mail.Defaults)
		stopped, err := w.StopMails(t.Context(), secret)
		must(t, err)
		w.comment(t, w.ada, s.ID, "hello")
		assert.Equal(t, "assigned", w.after(t, 3*time.Minute), []string(nil))
		w.comment(t, w.ada, s.ID, "@"+w.ben.Email)
		assert.Equal(t, "mentioned", len(w.after(t, 3*time.Minute)), 1)
		must(t, w.ResumeMails(t.Context(), stopped.Undo))
		assert.Equal(t, "undone", settings(), before)
		for _, wrong := range []string{"", "x", secret[:len(secret)-2] + "AA", stopped.Undo} {
			assert.Equal(t, "wrong", code(second(w.StopMails(t.Context(), wrong))), api.CodeNotFound)
		}
		assert.Equal(t, "no undo", code(w.ResumeMails(t.Context(), secret)), api.CodeNotFound)
	})
}

// TestForgottenPassword: whoever asks gets the same answer. The link is made when the mail is sent, works once, and
// is the same in a repeated mail. Where all sign in at a provider, the mail leads there and has no secret.
func TestForgottenPassword(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		client := tracker.Client{}
		for _, address := range []string{w.ben.Email, "nobody@test.example", "no address", ""} {
			must(t, w.ForgotPassword(t.Context(), client, address))
		}
		w.out.answer = func(mail.Message) mail.Result { return mail.Result{Outcome: mail.Unknown} }
		w.send(t)
		w.out.answer = nil
		sent := w.sendAfter(t, 2*time.Minute)
		assert.Equal(t, "mails", len(sent), 1)
		assert.Equal(t, "to", sent[0].Email, w.ben.Email)
		secret := link(t, sent[0], "/reset/")
		for range 3 {
			must(t, second(w.CheckResetLink(t.Context(), secret)))
		}
		must(t, second(w.ResetPassword(t.Context(), client, secret, "another password")))
		assert.Equal(t, "twice", code(second(w.ResetPassword(t.Context(), client, secret, "another password"))),
			api.CodeNotFound)
		for range 30 {
			must(t, w.ForgotPassword(t.Context(), tracker.Client{}, w.ben.Email))
			w.now = w.now.Add(time.Minute)
		}
		if n := len(w.send(t)); n > 3 {
			t.Errorf("%d mails in half an hour", n)
		}
		w.now = w.now.Add(2 * time.Hour)
		must(t, w.DisableAccount(t.Context(), w.boss, w.ada.ID))
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Identities().PutProvider(identities.Provider{OrgID: w.owner.Organization.ID, Name: "Acme",
				Issuer: "https://acme.example", PasswordsOff: true})
		}))
		for _, address := range []string{w.ben.Email, w.ada.Email, "nobody@test.example"} {
			must(t, w.ForgotPassword(t.Context(), tracker.Client{}, address))
		}
		told := w.send(t)
		assert.Equal(t, "mails where nobody has a password", len(told), 1)
		assert.Equal(t, "to", told[0].Email, w.ben.Email)
		assert.Equal(t, "subject", told[0].Subject, "Sign in at Acme")
		address := regexp.MustCompile(`http\S+`).FindAllString(told[0].Text(), -1)
		assert.Equal(t, "its links", address, []string{"http://test" + tracker.ProviderPath + w.owner.Organization.ID})
	})
}

// TestChangedEmail: an address is that of a user when its reader says so, once; the former one is told, and whether
// somebody has the address is not.
func TestChangedEmail(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		ben := w.ben
		ask := func(email string) []mail.Message {
			must(t, second(w.ChangeEmail(t.Context(), ben,
				valid(api.ChangeEmail{Body: api.EmailChange{Email: email}}))))
			return w.send(t)
		}
		assert.Equal(t, "of somebody else", len(ask(w.ada.Email)), 1) // to the present address
		sent := ask("new@test.example")
		slices.SortFunc(sent, func(a, b mail.Message) int { return strings.Compare(a.Email, b.Email) })
		assert.Equal(t, "mails", len(sent), 2)
		assert.Equal(t, "the present one is told", sent[0].Email, w.ben.Email)
		secret := link(t, sent[1], "/email/")
		for range 3 {
			must(t, second(w.WantedEmail(t.Context(), secret)))
		}
		must(t, w.ProveEmail(t.Context(), tracker.Client{}, secret))
		assert.Equal(t, "twice", code(w.ProveEmail(t.Context(), tracker.Client{}, secret)), api.CodeNotFound)
		assert.Equal(t, "the former one is told", w.after(t, 0),
			[]string{w.ben.Email + ": The e-mail address of your account has changed"})
		must(t, second(w.SignIn(t.Context(), tracker.Client{}, tracker.SignIn{Email: "new@test.example",
			Password: secretWords})))
	})
}

// TestMailedLinks: who has created a link sends it to the person for whom it is, and nobody else does.
func TestMailedLinks(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		owner, ben := w.boss.Caller, w.ben
		invited, err := w.InviteUser(t.Context(), w.boss, invitationTo("new@test.example", w.workspace))
		must(t, err)
		reset, err := w.CreateResetLink(t.Context(), w.boss, w.ben.ID)
		must(t, err)
		s := w.fileBy(t, w.ada, "shared", nil)
		shared, err := w.CreateShare(t.Context(), owner, valid(api.CreateShare{SliceID: s.ID}))
		must(t, err)
		links := []api.MailedLink{{Kind: api.LinkInvitation, Token: invited}, {Kind: api.LinkReset, Token: reset},
			{Kind: api.LinkShare, Token: strings.TrimPrefix(shared.URL, "http://test/s/"), Email: "guest@example.com"}}
		for _, l := range links {
			assert.Equal(t, string(l.Kind), code(second(w.MailLink(t.Context(), ben, valid(api.MailLink{Body: l})))),
				api.CodeNotFound)
			must(t, second(w.MailLink(t.Context(), owner, valid(api.MailLink{Body: l}))))
		}
		sent := w.send(t)
		assert.Equal(t, "mails", len(sent), 3)
		for i, l := range links {
			to := []string{"new@test.example", w.ben.Email, "guest@example.com"}[i]
			at := slices.IndexFunc(sent, func(m mail.Message) bool { return m.Email == to })
			if at < 0 || !strings.Contains(sent[at].Text(), l.Token) || !strings.Contains(sent[at].HTML(), l.Token) {
				t.Errorf("%s: no mail to %s with its link", l.Kind, to)
			}
		}
	})
}

package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/mail"
	"bugslice/internal/store"
	"bugslice/internal/store/mails"
	"bugslice/internal/store/notices"
)

// Bounds of a mail about several reports.
const (
	maxMailReports = 50
	maxMailEvents  = 10  // of a report
	shortQuote     = 280 // characters
)

// mailMessage returns the message of a mail as it is now: with what its reader may read now, and has not read meanwhile. It
// returns errMailNotWanted when nothing is left.
func (t *Tracker) mailMessage(ctx context.Context, m *mails.Mail) (out mail.Message, err error) {
	q := t.access.Read(ctx)
	out = mail.Message{ID: m.ID, Email: m.Address, At: m.CreatedAt.Time}
	var u store.User
	if m.UserID != nil {
		if u, err = q.User(*m.UserID); errors.Is(err,
			store.ErrNotFound) || err == nil && (u.DisabledAt != nil || u.ErasedAt != nil) {
			err = errMailNotWanted
		}
		if err != nil {
			return out, err
		}
		out.Name = u.Name
		if out.Email == "" {
			out.Email = u.Email
		}
	}
	switch m.Kind {
	case mailOfReport, mailOfBundle, mailOfDigest:
		return out, t.writeNotices(q, u, m, &out)
	case mailOfForgot:
		return out, t.writeForgot(ctx, m, &out)
	case mailOfInvitation, mailOfReset, mailOfShare, mailOfProof, mailOfReporter:
		return out, t.writeLink(q, u, m, &out)
	}
	t.writeTold(u, m, &out)
	return out, nil
}

// mailTime returns a time for a person who may be anywhere.
func mailTime(at time.Time) string { return at.UTC().Format("2 January 2006, 15:04") + " UTC" }

// writeTold writes the mails that tell of something without a link of their own.
func (t *Tracker) writeTold(u store.User, m *mails.Mail, out *mail.Message) {
	security := mail.Link{Text: "Change your password", URL: t.baseURL + "/settings/security"}
	switch m.Kind {
	case mailOfAsked:
		out.Subject = "Another e-mail address for your account"
		out.Lead = []string{"Somebody who is signed in to your account wants " + mail.Line(m.SubjectID) +
			" to be its e-mail address. It changes when a link is used that was sent there.",
			"Was it you? Then there is nothing to do here. If not, change your password: the other sessions end with it."}
		out.Links = []mail.Link{security}
	case mailOfChanged:
		out.Subject = "The e-mail address of your account has changed"
		out.Lead = []string{"The e-mail address of your account is " + mail.Line(m.SubjectID) + " now. No more mails are sent to this one.",
			"If it was not you, ask an admin of your organisation at once."}
	default:
		out.Subject = "A test of mails"
		out.Lead = []string{"The mail server takes the mails of this instance of Bugslice, and they arrive at " + u.Email + ".",
			"It was asked for at " + mailTime(m.CreatedAt.Time) + "."}
		out.Action = &mail.Link{Text: "Open the settings of mails", URL: t.baseURL + "/settings/mail"}
	}
}

// writeForgot writes the mail of a forgotten password.
func (t *Tracker) writeForgot(ctx context.Context, m *mails.Mail, out *mail.Message) error {
	u, secret, err := t.resetOfMail(ctx, m)
	out.Name = u.Name
	if errors.Is(err, errNoPasswords) {
		return t.writeProviderSignIn(ctx, u, out)
	}
	if err != nil {
		return err
	}
	t.writeReset(out, secret, "Somebody, perhaps you, has asked for another password for your account.")
	out.Notes = append(out.Notes, "If it was not you, ignore this mail: your password stays as it is.")
	return nil
}

// writeProviderSignIn writes the mail of a forgotten password of somebody who has none to use. Its link has no secret.
func (t *Tracker) writeProviderSignIn(ctx context.Context, u store.User, out *mail.Message) error {
	p, err := providerOf(t.access.Read(ctx), u.OrgID)
	if err != nil {
		return err
	}
	name := cmp.Or(mail.Line(p.Name), "your provider")
	out.Subject = "Sign in at " + name
	out.Lead = []string{"Somebody, perhaps you, has asked for another password for your account. " +
		"Your organisation signs in at " + name + ", and your account has no password here.",
		"If you do not know your password there, ask those who run it."}
	out.Action = &mail.Link{Text: "Sign in at " + name, URL: t.baseURL + ProviderPath + u.OrgID}
	out.Notes = []string{"If it was not you, ignore this mail: nothing has changed."}
	return nil
}

func (t *Tracker) writeReset(out *mail.Message, secret, lead string) {
	out.Subject = "Choose another password"
	out.Lead = []string{lead}
	out.Action = &mail.Link{Text: "Choose another password", URL: t.baseURL + "/reset/" + secret}
	out.Notes = []string{"The link works once, within 24 hours. Opening it changes nothing."}
}

// writeLink writes a mail with a link that somebody has created.
func (t *Tracker) writeLink(q access.Queries, u store.User, m *mails.Mail, out *mail.Message) error {
	secret, err := t.unseal(mailLinkPurpose, m.ID, m.Sealed)
	if err != nil {
		return err
	}
	switch m.Kind {
	case mailOfReset:
		t.writeReset(out, secret, "An admin of your organisation has made a link for you, by which you choose another password.")
		return nil
	case mailOfProof:
		if _, err := q.UserByEmail(m.Address); !errors.Is(err, store.ErrNotFound) { // somebody has it
			return errors.Join(err, errMailNotWanted)
		}
		out.Subject = "Is this your e-mail address?"
		out.Lead = []string{mail.Line(u.Name) + " wants to use this address for an account at " + t.baseURL + "."}
		out.Action = &mail.Link{Text: "Use this address", URL: t.baseURL + "/email/" + secret}
		out.Notes = []string{"The link works once, within 24 hours. Opening it changes nothing: a page asks first.",
			"If you know nothing of it, ignore this mail."}
		return nil
	case mailOfShare:
		return t.writeShare(q, m, secret, out)
	case mailOfReporter:
		return t.writeReporter(q, secret, out)
	}
	i, err := q.Invitation(m.SubjectID)
	if errors.Is(err, store.ErrNotFound) { // used or revoked
		return errMailNotWanted
	}
	if err != nil {
		return err
	}
	inviter, err := q.User(i.UserID)
	if err != nil {
		return err
	}
	o, err := q.Organization(i.OrgID)
	if err != nil {
		return err
	}
	out.Subject = mail.Line(inviter.Name) + " invites you to " + mail.Line(o.Name)
	out.Lead = []string{mail.Line(inviter.Name) + " invites you to the bug reports of " + mail.Line(o.Name) + ". You will sign in as " +
		i.Email + "."}
	out.Action = &mail.Link{Text: "See the invitation", URL: t.baseURL + "/invitations/" + secret}
	out.Notes = []string{"It works once, until " + mailTime(i.ExpiresAt.Time) + ".",
		"If you do not know who that is, ignore this mail: you get no others."}
	return nil
}

// writeShare writes the mail with the link of a share.
func (t *Tracker) writeShare(q access.Queries, m *mails.Mail, secret string, out *mail.Message) error {
	s, err := q.Share(m.SubjectID)
	if errors.Is(err, store.ErrNotFound) || err == nil && !access.ShareIsActive(s, t.clock()) {
		return errMailNotWanted
	}
	if err != nil {
		return err
	}
	w, err := q.Workspace(s.WorkspaceID)
	if err != nil {
		return err
	}
	reference := api.Reference(s.WorkspaceKey, s.Number)
	who := mail.Line(s.Creator.Name)
	out.Subject = who + " shares the report " + reference
	out.Lead = []string{who + " shares a report with you: " + reference + "."}
	if w.MailContent == api.FullContent {
		out.Subject = who + " shares " + reference + ": " + s.Summary
		out.Lead = []string{who + " shares a report with you: " + reference + " " + mail.Line(s.Summary)}
	}
	out.Action = &mail.Link{Text: "Read the report", URL: t.baseURL + "/s/" + secret}
	out.Notes = []string{"Whoever has the link can read the report, until " + mailTime(s.ExpiresAt.Time) + "."}
	return nil
}

// mailedReport is the notices of a report in a mail.
type mailedReport struct {
	slice    *api.SliceLink // nil for several
	notices  []api.Notice
	linkOnly bool
}

// writeNotices writes a mail of notices.
func (t *Tracker) writeNotices(q access.Queries, u store.User, m *mails.Mail, out *mail.Message) error {
	reports, err := t.mailedReports(q, u, m.ID)
	if err != nil {
		return err
	}
	if len(reports) == 0 {
		return errMailNotWanted
	}
	kinds := t.addItems(out, reports)
	s := stop{UserID: u.ID, Kinds: kinds}
	switch first := reports[0]; {
	case m.Kind == mailOfDigest:
		out.Title = fmt.Sprintf("News of %s", reportCount(len(reports)))
		out.Subject = fmt.Sprintf("Digest: %s", titles(reports))
		s.Kinds = nil
	case m.Kind == mailOfReport && len(reports) == 1 && first.slice != nil:
		out.Subject, out.Thread = "["+first.slice.Reference+"] "+first.slice.Summary, first.slice.ID
		if first.linkOnly {
			out.Subject = "[" + first.slice.Reference + "] Something has happened"
		}
		out.Action = &mail.Link{Text: "Open " + first.slice.Reference, URL: t.reportURL(first.slice)}
	default:
		out.Title = fmt.Sprintf("News of %s", reportCount(len(reports)))
		out.Subject = fmt.Sprintf("News of %s", titles(reports))
		out.Action = &mail.Link{Text: "Open the inbox", URL: t.baseURL + "/inbox"}
	}
	secret := t.sealStop(stopPurpose, s)
	out.Unsubscribe = t.baseURL + "/mail/stop/" + secret
	out.Links = []mail.Link{{Text: "Stop such mails", URL: out.Unsubscribe},
		{Text: "Choose which mails you get", URL: t.baseURL + "/settings/notifications"}}
	return nil
}

func (t *Tracker) reportURL(s *api.SliceLink) string { return t.baseURL + "/" + s.Reference }

func reportCount(n int) string {
	if n == 1 {
		return "a report"
	}
	return fmt.Sprintf("%d reports", n)
}

// titles names the first of some reports.
func titles(all []mailedReport) string {
	var names []string
	for _, r := range all[:min(len(all), 3)] {
		if r.slice != nil {
			names = append(names, r.slice.Reference)
		}
	}
	if more := len(all) - len(names); more > 0 && len(names) > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	if len(names) == 0 {
		return reportCount(int(all[0].notices[0].SliceCount))
	}
	return strings.Join(names, ", ")
}

// mailedReports returns the unread notices of a mail that its reader may read now, by report, in their order.
func (t *Tracker) mailedReports(q access.Queries, u store.User, mailID string) (all []mailedReport, err error) {
	ids, err := q.Mails().NoticesOf(mailID)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	f := notices.Filter{UserID: u.ID, Now: t.clock(), States: []api.NoticeState{api.NoticeUnread}}
	if f.Workspaces, err = q.WorkspaceIDsOf(u.ID, ""); err != nil {
		return nil, err
	}
	rows, err := q.Notices().Chosen(f, ids)
	if err != nil {
		return nil, err
	}
	shown, err := t.showNotices(q, rows)
	if err != nil {
		return nil, err
	}
	content := map[string]api.MailContent{}
	at := map[string]int{}
	for _, n := range shown {
		if _, ok := content[n.WorkspaceID]; !ok {
			w, err := q.Workspace(n.WorkspaceID)
			if err != nil {
				return nil, err
			}
			content[n.WorkspaceID] = w.MailContent
		}
		key := n.ID
		if n.Slice != nil {
			key = n.Slice.ID
		}
		i, ok := at[key]
		if !ok {
			i, at[key] = len(all), len(all)
			all = append(all, mailedReport{slice: n.Slice, linkOnly: content[n.WorkspaceID] != api.FullContent})
		}
		all[i].notices = append(all[i].notices, n)
	}
	return all, nil
}

// addItems adds the items of reports to a mail, and returns the kinds of their notices.
func (t *Tracker) addItems(out *mail.Message, reports []mailedReport) (kinds []api.MailKind) {
	for _, r := range reports {
		for _, n := range r.notices {
			if k := api.KindOf(n.Reason); !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	for _, r := range reports[:min(len(reports), maxMailReports)] {
		out.Items = append(out.Items, t.item(r, len(reports) == 1))
	}
	if more := len(reports) - maxMailReports; more > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("And %s more, which the inbox has.", reportCount(more)))
	}
	return kinds
}

// item returns what a mail says of a report: everything, or in a workspace whose texts are in no mails its reference alone.
func (t *Tracker) item(r mailedReport, alone bool) (i mail.Item) {
	i.URL = t.baseURL + "/inbox"
	if r.slice != nil {
		i.Title, i.URL = r.slice.Reference+" "+mail.Line(r.slice.Summary), t.reportURL(r.slice)
	}
	if r.linkOnly {
		i.Events = []mail.Event{{What: "Something has happened. The workspace shows in Bugslice alone what it is."}}
		if r.slice != nil {
			i.Title = r.slice.Reference
		}
		return i
	}
	for _, n := range r.notices[:min(len(r.notices), maxMailEvents)] {
		e := mail.Event{What: who(n) + " " + whatHappened(n), Why: why(n)}
		if c := n.Event.Comment; c != nil {
			e.Quote = mail.Quote(c.Body)
			if all := []rune(e.Quote); !alone && len(all) > shortQuote {
				e.Quote = strings.TrimSpace(string(all[:shortQuote])) + "…"
			}
		}
		i.Events = append(i.Events, e)
	}
	if more := len(r.notices) - maxMailEvents; more > 0 {
		i.Events = append(i.Events, mail.Event{What: fmt.Sprintf("And %d more.", more)})
	}
	return i
}

func who(n api.Notice) string {
	if name := mail.Line(text(n.Event.ActorName)); name != "" {
		return name
	}
	return "Somebody"
}

// statusNames are the statuses as texts have them.
var statusNames = map[string]string{"open": "open", "in_progress": "in progress", "resolved": "resolved",
	"closed":    "closed",
	"duplicate": "duplicate"}

// whatHappened says what an event did, after the name of who did it.
func whatHappened(n api.Notice) string {
	if n.Slice == nil && n.Event.Actor.Type == guestActor {
		return fmt.Sprintf("and others filed %d reports", n.SliceCount)
	}
	if n.Slice == nil {
		return fmt.Sprintf("changed %d reports", n.SliceCount)
	}
	switch n.Event.Type {
	case api.EventSliceCreated:
		return "filed this report"
	case api.EventSliceStatusChanged:
		for _, c := range n.Event.Changes {
			if c.Field != "status" || c.To == nil {
				continue
			}
			if status, ok := (*c.To).(string); ok {
				if name, ok := statusNames[status]; ok {
					status = name
				}
				return "changed the status to " + status
			}
		}
		return "changed the status"
	case api.EventSliceAssigned:
		return "changed the assignee"
	case api.EventSliceRestored:
		return "restored this report"
	case api.EventCommentCreated:
		return "commented"
	case api.EventCommentUpdated:
		return "edited a comment"
	}
	return "changed this report"
}

// why says for which reason somebody is told.
func why(n api.Notice) string {
	switch n.Reason {
	case api.ReasonMentioned:
		return "you are mentioned"
	case api.ReasonAssigned:
		return "you are assigned"
	case api.ReasonReported:
		return "you reported it"
	case api.ReasonCommented:
		return "you commented"
	case api.ReasonWatching:
		return "you watch it"
	case api.ReasonView:
		return "it matches " + cmp.Or(mail.Line(text(n.SubjectName)), "a view")
	}
	return "you watch " + cmp.Or(mail.Line(text(n.SubjectName)), "this")
}

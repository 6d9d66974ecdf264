package tracker

import (
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/mail"
	"bugslice/internal/store"
	"bugslice/internal/store/reporters"
	"bugslice/internal/token"
)

// reporterMailLifetime is the time in which the address of a page is sent.
const reporterMailLifetime = 7 * 24 * time.Hour

// reporterAddress returns the e-mail address to which the address of the page of a report is sent; empty for none: the visitor gave none,
// no mails are sent, or an address has got as many of them as it may in a day. Nobody has said that it is the visitor's own.
func (vs Visitors) reporterAddress(c access.Caller) string {
	source, _ := c.ReportingSource()
	if vs.t.mail == nil || !source.ReporterPage {
		return ""
	}
	email, err := ParseEmail(text(c.Visitor().Email))
	if err != nil || spend(vs.t.mailLimits.reporters, email) != nil {
		return ""
	}
	return email
}

// mailReporterPage lets the address of a page be sent to its reporter, unless a mail server has refused the reporter's address before.
func (vs Visitors) mailReporterPage(tx *access.Tx, page reporters.Page, secret, email string) error {
	if email == "" {
		return nil
	}
	stopped, err := tx.Queries.Mails().Stopped(email)
	if err != nil || stopped != nil {
		return err
	}
	m := vs.t.newMail(mailOfReporter, store.User{})
	m.Address, m.SubjectID = email, page.ID
	vs.t.sealLink(&m, secret, api.At(m.CreatedAt.Add(reporterMailLifetime)))
	tx.NotifyOnCommit()
	return tx.Mails().Insert(m, m.CreatedAt)
}

// writeReporter writes the mail with the address of the page of a report. It has nothing that the reporter has typed: whoever reports
// says to whom it goes, and nobody shall send texts to others through a source.
func (t *Tracker) writeReporter(q access.Queries, secret string, out *mail.Message) error {
	page, err := q.Reporters().ByHash(token.Hash(secret))
	if err == nil {
		var team string
		if team, err = teamOf(q, page); err == nil {
			out.Subject = "Your report to " + team
			out.Lead = []string{"You have reported a problem to " + team + ", at " + mailTime(page.CreatedAt.Time) + ".",
				"A page shows what becomes of it, and what the team answers. Only this mail has its address."}
			out.Action = &mail.Link{Text: "See your report", URL: t.reporterURL(secret)}
			out.Notes = []string{"Whoever has the address can read the page, answer there, and erase what was reported.",
				"If it was not you, ignore this mail: you get no others about it."}
			return nil
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		err = errMailNotWanted
	}
	return err
}

// teamOf returns the name of the workspace of the source of a page.
func teamOf(q access.Queries, page reporters.Page) (string, error) {
	source, err := q.Sources().Source(page.SourceID)
	if err != nil {
		return "", err
	}
	w, err := q.Workspace(source.WorkspaceID)
	return mail.Line(w.Name), err
}

package tracker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/schema"
	"bugslice/internal/store"
)

const (
	// MaxRecipientText is the maximum length of what a recipient writes, in characters.
	MaxRecipientText = 5000

	summaryLength = 200 // of a report
	askedLength   = 500 // of the metadata of a report
)

// OpenRecording returns the caller of a recording link. A link that does not work is refused in the same way whatever the reason, and
// more slowly after too many failures of a client. One that has taken all its reports opens: RecordingPage refuses it.
func (vs Visitors) OpenRecording(ctx context.Context, from Client, text string) (access.Caller, error) {
	c, err := vs.t.access.AuthenticateRecording(ctx, text)
	if errors.Is(err, access.ErrNoRecordingLink) {
		a, wait := vs.t.shareFailures.Reserve(network(from.Address))
		if wait > 0 {
			p := api.NewProblem(api.CodeRateLimited, "Too many links from this address did not work. Wait before the next one.")
			p.RetryAfter = wait
			return access.Caller{}, p
		}
		a.Fail()
	}
	c.Request = from.Request
	return c, err
}

// RecordingPage is what a recipient sees of a recording link.
type RecordingPage struct {
	Team      string // the name of the workspace
	By        string // the name of who asks; empty for a program
	Ask       string
	SiteURL   string // empty for none
	MaxBytes  int64  // of the file
	Left      int64  // reports that the link still takes
	ExpiresAt api.Time
}

// RecordingPage returns what the page of a link shows. It refuses a link that has taken all its reports.
func (vs Visitors) RecordingPage(_ context.Context, c access.Caller) (RecordingPage, error) {
	if err := c.Allow(api.OpGetRecordingPage); err != nil {
		return RecordingPage{}, err
	}
	l, ok := c.RecordingLink()
	if !ok || l.Reports >= l.MaxReports {
		return RecordingPage{}, access.ErrNoRecordingLink
	}
	out := RecordingPage{Team: l.Workspace, Ask: l.Ask, SiteURL: text(l.SiteURL), MaxBytes: vs.t.maxUpload, Left: l.MaxReports - l.Reports,
		ExpiresAt: l.ExpiresAt}
	if l.CreatedBy.UserID != nil {
		out.By = l.Creator.Name
	}
	return out, nil
}

// Recording is what a recipient sends.
type Recording struct {
	Text        string
	Name, Email string  // which nothing verifies; empty for none
	Once        string  // makes a repeated form harmless
	File        *Upload // a video or a picture; nil for none
}

// recordingRequest identifies what a recipient sends.
type recordingRequest struct {
	api.Idempotency
	Text, Name, Email string
}

// ArrivedRecording returns the name of the team that has what a recipient has sent before with this Once, lately; ok is false for
// another one. It is for the answer after the last report of a link, too.
func (vs Visitors) ArrivedRecording(ctx context.Context, c access.Caller, once string) (team string, ok bool, err error) {
	if err := c.Allow(api.OpGetRecordingPage); err != nil {
		return "", false, err
	}
	l, ok := c.RecordingLink()
	if !ok || once == "" {
		return "", false, nil
	}
	_, err = vs.t.access.Read(ctx).StoredResponse(store.IdempotencyKey{Principal: l.ID, Operation: api.OpCreateSlice, Key: once},
		vs.t.oldestResponse())
	if errors.Is(err, store.ErrNotFound) {
		return "", false, nil
	}
	return l.Workspace, err == nil, err
}

// SendRecording files what a recipient sends with its file in one transaction, and counts it. Until then nothing is counted, so that a
// file of a wrong kind can be sent again as another one.
func (vs Visitors) SendRecording(ctx context.Context, from Client, c access.Caller, r Recording) error {
	if err := c.Allow(api.OpCreateSlice); err != nil {
		return err
	}
	if err := r.complete(); err != nil {
		return err
	}
	c = c.AsRecipient(given(r.Name), given(r.Email))
	l, ok := c.RecordingLink()
	if !ok {
		return access.ErrNoRecordingLink
	}
	if l.Reports >= l.MaxReports {
		_, sent, err := vs.ArrivedRecording(ctx, c, r.Once)
		if err == nil && !sent {
			err = access.ErrNoRecordingLink
		}
		return err
	}
	if err := vs.spendAnswer(c, from); err != nil {
		return err
	}
	if err := vs.t.checkStorage(vs.t.access.Read(ctx), c, l.WorkspaceID); err != nil {
		return err
	}
	v, err := input.Check(api.CreateSlice{Body: api.NewSlice{SliceFields: r.fields(l.RecordingLink, from.UserAgent)}})
	if err != nil {
		return err
	}
	in, err := v.Value(c.Allow(api.OpCreateSlice))
	if err != nil {
		return err
	}
	sub, err := vs.t.prepareSubmission(ctx, c, l.WorkspaceID, in)
	if err != nil {
		return err
	}
	f, err := vs.storeRecording(ctx, c, sub, r.File)
	if err != nil {
		return err
	}
	request := recordingRequest{Text: r.Text, Name: r.Name, Email: r.Email}
	request.IdempotencyKey = r.Once
	_, err = access.Write(ctx, vs.t.access, c, api.OpCreateSlice, func(tx *access.Tx, c access.Caller) (none api.Nothing, _ error) {
		sub.referenced = false
		return idempotent(vs.t, tx, c, request, func() (api.Nothing, error) {
			return none, vs.fileRecording(tx, c, sub)
		})
	})
	if f != nil && (!sub.referenced || access.IsRefusal(err)) {
		vs.t.deleteFiles(ctx, f.Attachment)
	}
	return err
}

// fileRecording counts a report against its link, files it, and records that. It refuses one that the link does not take.
func (vs Visitors) fileRecording(tx *access.Tx, c access.Caller, sub *submission) error {
	l, _ := c.RecordingLink()
	taken, err := tx.Recordings().TakeReport(l.ID)
	if err == nil && !taken {
		err = access.ErrNoRecordingLink
	}
	if err == nil {
		_, err = vs.t.submit(tx, c, sub, api.CreateSlice{})
	}
	if err != nil {
		return err
	}
	l.Reports++
	return vs.t.recordLink(tx, c, l, api.EventLinkUsed)
}

// storeRecording stores the file of a recipient, which becomes one of the submission; nil for none. It refuses what is neither a video
// nor a picture.
func (vs Visitors) storeRecording(ctx context.Context, c access.Caller, sub *submission, up *Upload) (*upload, error) {
	if up == nil {
		return nil, nil
	}
	if up.Memory == nil {
		up.Memory = vs.t.Reserve(c, func() {})
	}
	f, err := vs.t.storeUpload(ctx, c, &api.CreateAttachment{}, *up, sub.redactor)
	if err != nil {
		return nil, err
	}
	if f.Kind != api.KindVideo && f.Kind != api.KindScreenshot {
		vs.t.deleteFiles(ctx, f.Attachment)
		return nil, api.InvalidMember("/file", "not_allowed", "choose a video or a picture")
	}
	f.WorkspaceID = sub.workspaceID
	sub.counts.Add(f.counts)
	sub.sets = append(sub.sets, f.Attachment)
	return f, nil
}

// complete makes texts of one line what the recipient says of itself. It refuses a text that is empty or too long, and an address that
// is none.
func (r *Recording) complete() error {
	r.Text = strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(r.Text), "\x00", ""), "\uFFFD")
	r.Text = strings.ReplaceAll(r.Text, "\r\n", "\n")
	switch n := utf8.RuneCountInString(r.Text); {
	case n == 0 || strings.TrimSpace(schema.WithoutHidden(r.Text)) == "":
		return api.InvalidMember("/text", "required", "write what happened")
	case n > MaxRecipientText:
		return api.InvalidMember("/text", "too_long", fmt.Sprintf("write at most %d characters", MaxRecipientText))
	}
	r.Name = truncate(strings.TrimSpace(schema.WithoutHidden(strings.ToValidUTF8(r.Name, ""))), visitorNameLength)
	if r.Email = strings.TrimSpace(r.Email); r.Email != "" {
		if _, err := ParseEmail(r.Email); err != nil {
			return api.InvalidMember("/email", "not_an_address", "is no e-mail address; leave it empty, or correct it")
		}
	}
	return nil
}

// fields returns the report of a recording: its first line is the summary, and the whole text the description when it is longer. It is
// assigned to the member who has asked for it, who is told of it so.
func (r *Recording) fields(l api.RecordingLink, userAgent string) api.SliceFields {
	first, rest, _ := strings.Cut(r.Text, "\n")
	first = strings.TrimSpace(schema.WithoutHidden(first))
	f := api.SliceFields{Summary: truncate(first, summaryLength), SourceURL: l.SiteURL, AssigneeID: l.CreatedBy.UserID,
		Metadata: map[string]string{"asked for": truncate(strings.TrimSpace(l.Ask), askedLength)}}
	if f.Summary == "" {
		f.Summary = "Recording"
	}
	if f.Summary != first {
		f.Summary = truncate(first, summaryLength-1) + "…"
	}
	if f.Summary != first || rest != "" {
		f.Description = &r.Text
	}
	f.Environment.UserAgent = given(truncate(userAgent, 1000))
	return f
}

func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

package tracker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/ratelimit"
	"bugslice/internal/store/sources"
)

const (
	// MaxReporterAnswer is the maximum length of an answer of a reporter, in characters.
	MaxReporterAnswer = 5000

	answersPerHour     = 10 // on a page
	maxAnswers         = 100
	answersOfAddress   = 30 // in an hour, on all pages
	maxFilesOfReporter = 40 // with those of the report
)

// ReporterAnswer is what a reporter writes on the page of a report.
type ReporterAnswer struct {
	Text string
	Once string // makes a repeated form harmless
}

// reporterRequest identifies an answer by what is sent.
type reporterRequest struct {
	api.Idempotency
	Text string
}

// spendAnswer counts an answer or a file against what a client address may send in an hour.
func (vs Visitors) spendAnswer(c access.Caller, from Client) error {
	key := c.Request.ClientAddress
	if from.Address.IsValid() {
		key = ratelimit.ClientKey(from.Address)
	}
	ok, wait := vs.t.answers.Take(ratelimit.Charge{Key: key, Limit: answersOfAddress, Per: time.Hour})
	if ok {
		return nil
	}
	p := api.NewProblem(api.CodeRateLimited, "Too many answers came from your network. Try again later.")
	p.RetryAfter = wait
	return p
}

// reporterOf returns the credential of the page of a report.
func reporterOf(c access.Caller) (access.ReporterCredential, error) {
	r, ok := c.Credential.(access.ReporterCredential)
	if !ok {
		return r, access.ErrNoReporterPage
	}
	return r, nil
}

// Answer adds a comment of the reporter to the slice of the page. It mentions nobody.
func (vs Visitors) Answer(ctx context.Context, from Client, c access.Caller, a ReporterAnswer) error {
	if err := c.Allow(api.OpAnswerAsReporter); err != nil {
		return err
	}
	page, err := reporterOf(c)
	if err != nil {
		return err
	}
	a.Text = strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(a.Text), "\x00", ""), "\uFFFD")
	switch n := utf8.RuneCountInString(a.Text); {
	case n == 0:
		return api.InvalidMember("/text", "required", "write something first")
	case n > MaxReporterAnswer:
		return api.InvalidMember("/text", "too_long", fmt.Sprintf("an answer has at most %d characters", MaxReporterAnswer))
	}
	if err := vs.spendAnswer(c, from); err != nil {
		return err
	}
	r, err := vs.t.redactorForSlice(ctx, c, page.Page.SliceID)
	if err != nil {
		return hidden(err)
	}
	fields := api.CommentFields{Body: a.Text}
	if err := redactFields(r, &fields, nil); err != nil {
		return err
	}
	in := reporterRequest{Text: a.Text}
	if a.Once != "" {
		in.IdempotencyKey = page.Page.ID + "-" + truncate(a.Once, 100)
	}
	return hidden(access.Change(ctx, vs.t.access, c, api.OpAnswerAsReporter, func(tx *access.Tx, c access.Caller) error {
		s, err := c.LockSlice(tx, page.Page.SliceID)
		if err != nil {
			return err
		}
		_, err = idempotent(vs.t, tx, c, in, func() (none api.Nothing, _ error) {
			if err := vs.checkAnswers(tx, page); err != nil {
				return none, err
			}
			if err := vs.t.checkStorage(tx.Queries, c, s.WorkspaceID); err != nil {
				return none, err
			}
			comment, err := vs.t.insertComment(tx, c, s, fields)
			if err == nil {
				err = tx.Reporters().MarkAnswer(comment.ID, page.Page.ID)
			}
			return none, err
		})
		return err
	}))
}

// hidden refuses a slice that is gone like a page that is.
func hidden(err error) error {
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Code == api.CodeNotFound {
		return access.ErrNoReporterPage
	}
	return err
}

// checkAnswers refuses an answer when a page has as many as it may.
func (vs Visitors) checkAnswers(tx *access.Tx, r access.ReporterCredential) error {
	all, lately, err := tx.Queries.Reporters().CountAnswers(r.Page, api.At(vs.t.now().Add(-time.Hour)))
	switch {
	case err != nil:
		return err
	case all >= maxAnswers:
		return api.NewProblem(api.CodeForbidden, fmt.Sprintf("This report has %d answers of yours, and takes no more.", maxAnswers))
	case lately >= answersPerHour:
		p := api.NewProblem(api.CodeRateLimited, "You have written many answers in the last hour. Wait before the next one.")
		p.RetryAfter = time.Hour
		return p
	}
	return nil
}

// AttachToPage adds a file to the report of a page, within the number of files and the bytes that a report of its source may
// have, and within the bytes of its day.
func (vs Visitors) AttachToPage(ctx context.Context, from Client, c access.Caller, once string, up Upload) error {
	if err := c.Allow(api.OpCreateAttachment); err != nil {
		return err
	}
	r, err := reporterOf(c)
	if err != nil {
		return err
	}
	if err := vs.spendAnswer(c, from); err != nil {
		return err
	}
	q := vs.t.access.Read(ctx)
	files, err := q.Reporters().Files(r.Page, maxFilesOfReporter)
	if err != nil {
		return err
	}
	left := r.Source.MaxReportBytes
	for _, f := range files {
		left -= f.Size
	}
	if len(files) >= maxFilesOfReporter || left <= 0 {
		return api.NewProblem(api.CodeTooLarge, "This report takes no more files.")
	}
	body := &countedReader{r: up.Body, left: left}
	up.Body = body
	in := api.CreateAttachment{SliceID: r.Page.SliceID, Occurrence: int(r.Page.Occurrence), Name: up.Name}
	if once != "" {
		in.IdempotencyKey = r.Page.ID + "-" + truncate(once, 100)
	}
	v, err := input.Check(in)
	if err != nil {
		return err
	}
	if _, err = vs.t.CreateAttachment(ctx, c, v, up); err != nil {
		return hidden(err)
	}
	return vs.takeBytes(ctx, r.Source, body.read)
}

// takeBytes counts bytes against those of the day of a source. What was stored stays.
func (vs Visitors) takeBytes(ctx context.Context, source sources.Source, n int64) error {
	return access.SystemChange(ctx, vs.t.authority, func(tx *access.Tx) error {
		_, err := tx.Sources().TakeBytes(&source, vs.t.clock(), n)
		return err
	})
}

// countedReader reads at most left bytes, and refuses what is longer.
type countedReader struct {
	r          io.Reader
	left, read int64
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.read += int64(n)
	if c.left -= int64(n); c.left < 0 {
		return 0, api.NewProblem(api.CodeTooLarge, "The files of the report would be larger than its team takes.")
	}
	return n, err
}

package tracker

import (
	"context"
	"encoding/base32"
	"errors"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/reporters"
	"bugslice/internal/token"
)

const (
	reporterPurpose = "pages of reporters"
	reporterLetters = 32 // of an address: 160 bits

	maxReporterComments = 50  // of a page
	maxReporterFiles    = 100 // of a page
)

// reporterSecrets returns the secrets of the page of a report that a browser has named, by each key of the instance, the newest
// first. Who sends the same report again gets the same address; nobody else can compute it.
func (vs Visitors) reporterSecrets(sourceID, name string) (all []string) {
	for _, digest := range vs.t.secrets.Digests(reporterPurpose, sourceID+" "+name) {
		all = append(all, strings.ToLower(base32.StdEncoding.EncodeToString(digest)[:reporterLetters]))
	}
	return all
}

// PageURL returns the address of the page of a report that a browser has named, which the source has received; empty when
// there is none.
func (vs Visitors) PageURL(ctx context.Context, sourceID, name string) (string, error) {
	q := vs.t.access.Read(ctx)
	for _, secret := range vs.reporterSecrets(sourceID, name) {
		_, err := q.Reporters().ByHash(token.Hash(secret))
		if err == nil {
			return vs.t.reporterURL(secret), nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
	}
	return "", nil
}

func (t *Tracker) reporterURL(secret string) string { return t.baseURL + "/r/" + secret }

// reportNamed is the name that a browser gave a report, and the address to which that of its page is sent; empty for none.
type reportNamed struct{ name, email string }

// addReporterPage stores the page of the report of a visitor, and lets its address be mailed, when the source has such pages.
func (vs Visitors) addReporterPage(tx *access.Tx, c access.Caller, sub *submission, named reportNamed, page reporters.Page) error {
	source, _ := c.ReportingSource()
	if !source.ReporterPage || named.name == "" {
		return nil
	}
	secret := vs.reporterSecrets(source.ID, named.name)[0]
	page.ID, page.Hash, page.SourceID, page.CreatedAt = vs.t.newID(id.ReporterPage), token.Hash(secret), source.ID, vs.t.clock()
	page.Summary, page.Description = sub.fields.Summary, text(sub.fields.Description)
	page.Name = text(c.Visitor().Name)
	return errors.Join(tx.Reporters().Insert(page), vs.mailReporterPage(tx, page, secret, named.email))
}

// OpenPage returns the caller of the address of the page of a report. An address without one is refused in the same way
// whatever the reason, and more slowly after too many failures of a client.
func (vs Visitors) OpenPage(ctx context.Context, from Client, secret string) (access.Caller, error) {
	c, err := vs.t.access.AuthenticateReporter(ctx, secret)
	if errors.Is(err, access.ErrNoReporterPage) {
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

// ReporterState says in plain words how far a report is.
type ReporterState string

// The states.
const (
	ReporterReceived ReporterState = "received"
	ReporterSeen     ReporterState = "seen"
	ReporterInWork   ReporterState = "in work"
	ReporterSolved   ReporterState = "solved"
	ReporterClosed   ReporterState = "closed"
)

// ReporterFile is a file of a ReporterPage.
type ReporterFile = reporters.File

// ReporterPage is a report as its reporter sees it.
type ReporterPage struct {
	Team                 string // the name of the workspace
	State                ReporterState
	Waiting              bool // for a decision
	TakesAnswers         bool
	Summary, Description string // as they were filed
	CreatedAt            api.Time
	Comments             []reporters.Comment // the newest ones, the oldest first
	More                 bool                // whether there are earlier comments
	Files                []reporters.File
}

// Page returns the report of the address of its page.
func (vs Visitors) Page(ctx context.Context, c access.Caller) (out ReporterPage, err error) {
	if err := c.Allow(api.OpGetReporterPage); err != nil {
		return out, err
	}
	r, ok := c.Credential.(access.ReporterCredential)
	if !ok {
		return out, access.ErrNoReporterPage
	}
	q := vs.t.access.Read(ctx)
	w, err := q.Workspace(c.WorkspaceID)
	if err != nil {
		return out, err
	}
	out = ReporterPage{Team: w.Name, State: ReporterReceived, Waiting: r.Waiting, TakesAnswers: r.TakesAnswers(), Summary: r.Page.Summary,
		Description: r.Page.Description, CreatedAt: r.Page.CreatedAt}
	if r.Waiting {
		return out, vs.addWaitingFiles(q, r, &out)
	}
	if out.State, err = stateForReporter(q, r.Page.SliceID); err != nil {
		return out, err
	}
	if out.Files, err = q.Reporters().Files(r.Page, maxReporterFiles); err != nil {
		return out, err
	}
	return out, addReporterComments(q, r.Page, &out)
}

// addReporterComments adds the newest comments that the reporter sees, within the bytes of a page. Mentions of members become
// words that name nobody.
func addReporterComments(q access.Queries, p reporters.Page, out *ReporterPage) error {
	all, err := q.Reporters().Comments(p, maxReporterComments+1)
	bytes := 0
	for i, m := range all {
		if bytes += len(m.Body); i == maxReporterComments || i > 0 && bytes > maxCommentBytes {
			out.More = true
			break
		}
		if !m.Own {
			m.Body = store.ReplaceMentions(m.Body, func(string) string { return "team" })
		}
		out.Comments = append([]reporters.Comment{m}, out.Comments...)
	}
	return err
}

// addWaitingFiles adds the files of a report that waits.
func (vs Visitors) addWaitingFiles(q access.Queries, r access.ReporterCredential, out *ReporterPage) error {
	u, err := q.Sources().SubmissionOfSlice(r.Source.ID, r.Page.SliceID)
	if err != nil {
		return access.OrNotFound(err, "page")
	}
	files, err := q.Sources().Files(u.ID)
	for _, f := range files {
		a, err := attachmentOf(f)
		if err != nil {
			return err
		}
		out.Files = append(out.Files, reporters.File{ID: f.Blob, Kind: string(a.Kind), Name: a.Name, Size: a.Size})
	}
	return err
}

// stateForReporter returns the state of a slice, and of a duplicate that of its original.
func stateForReporter(q access.Queries, sliceID string) (ReporterState, error) {
	s, err := q.Slice(sliceID)
	if err == nil && s.DuplicateOfID != nil {
		if s, err = q.Slice(*s.DuplicateOfID); errors.Is(err, store.ErrNotFound) || err == nil && s.DeletedAt != nil {
			return ReporterClosed, nil
		}
	}
	switch {
	case err != nil:
		return "", access.OrNotFound(err, "page")
	case s.Status == api.InProgress:
		return ReporterInWork, nil
	case isFinished(s.Status) && (s.Resolution == nil || *s.Resolution == api.Fixed) && s.Status == api.Resolved,
		s.Status == api.Closed && s.Resolution != nil && *s.Resolution == api.Fixed:
		return ReporterSolved, nil
	case isFinished(s.Status):
		return ReporterClosed, nil
	case s.AssigneeID != nil:
		return ReporterSeen, nil
	}
	return ReporterReceived, nil
}

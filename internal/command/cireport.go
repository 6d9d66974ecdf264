package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/ci/failing"
	"bugslice/internal/ci/finding"
	"bugslice/internal/ci/summary"
	"bugslice/internal/command/profile"
)

// ciLabel is on every report of ci report, by which the reports of tests that pass again are found.
const ciLabel = "ci"

// ciRun is one run of ci report.
type ciRun struct {
	*ciFlags
	s      *session
	api    *client.Client
	found  *finding.Finding
	before map[string]api.Slice // the newest slice of each fingerprint, an open one first
	filed  map[string]bool      // ids of slices that failures of this run have
	people map[string]string

	reported map[string]string // the slice that reports the failure of a test, by its identity
	where    *string           // the workspace, unless it is that of the key
	page     summary.Summary
	kept     finding.Finding // what could not be sent
	away     error           // why the server is not called any more
	faults   bool
}

// report looks the failures up and files them, and resolves what passes again.
func (r *ciRun) report(ctx context.Context) {
	if err := r.connect(ctx); err != nil {
		r.fail(err)
	}
	if err := r.lookUp(ctx); err != nil {
		r.fail(err)
	}
	for i := range r.found.Failures {
		r.reportFailure(ctx, &r.found.Failures[i])
	}
	for _, t := range r.found.Flaky {
		r.page.Entries = append(r.page.Entries, summary.Entry{Kind: summary.Flaky, Title: t.Name,
			Note: "it passed when it ran again"})
	}
	if err := r.reportPasses(ctx); err != nil {
		r.fail(err)
	}
	r.noteUndecided()
	switch {
	case len(r.found.Failures) == 0 || r.s.dryRun:
	case r.file == "none":
		r.note("Nothing is filed: --file none was given.")
	case !r.mayFile(r.found.Job):
		r.note("Nothing is filed for a pull request; --file all files its new failures, too.")
	}
}

// noteUndecided says why passes resolve nothing, when that is not decided by the flags or by the branch.
func (r *ciRun) noteUndecided() {
	j := r.found.Job
	if len(r.found.Passed) == 0 || !r.mayFile(j) || r.mayResolve(j) || j.PullRequest != "" {
		return
	}
	const resolves = "No report is resolved by the tests that passed: "
	switch {
	case j.DefaultBranch == "":
		r.note(resolves + "the default branch is not known. --default-branch names it, and --resolve resolves on any branch.")
	case j.Branch == "":
		r.note(resolves + "the branch of the job is not known. --branch names it, and --resolve resolves on any branch.")
	}
}

func (r *ciRun) note(format string, args ...any) {
	r.page.Notes = append(r.page.Notes, fmt.Sprintf(format, args...))
}

// connect makes the client, and finds the workspace when one is named.
func (r *ciRun) connect(ctx context.Context) (err error) {
	if r.api, err = r.s.client(); err != nil {
		return err
	}
	if strings.HasPrefix(r.s.credentials.Token, "svc_wst_") {
		return nil
	}
	w, err := r.s.workspace(ctx)
	if err == nil {
		r.where = &w.ID
	}
	return err
}

// fail records that the server cannot be used. Nothing more is sent then.
func (r *ciRun) fail(err error) {
	if r.away == nil {
		r.away = err
	}
}

// isRefusal reports whether the server refused this one request for good. Every other failure, such as that of an
// unknown key, is of all requests.
func isRefusal(err error) bool {
	p, ok := errors.AsType[*api.Problem](err)
	return ok && p.Code != "" && (p.Status == http.StatusUnprocessableEntity || p.Status == http.StatusBadRequest ||
		p.Status == http.StatusConflict || p.Status == http.StatusRequestEntityTooLarge || p.Status == http.StatusNotFound)
}

// lookUp finds the reports of the failures, 50 fingerprints in a request.
func (r *ciRun) lookUp(ctx context.Context) error {
	r.before = map[string]api.Slice{}
	if r.away != nil {
		return nil
	}
	var all []string
	for _, f := range r.found.Failures {
		all = append(append(all, f.Fingerprint), f.Others...)
	}
	for len(all) > 0 {
		n := min(len(all), 50)
		in := r.list()
		in.Fingerprint = all[:n]
		all = all[n:]
		for slice, err := range client.All(ctx, r.api, in) {
			if err != nil {
				return err
			}
			print := deref(slice.Fingerprint)
			if known, ok := r.before[print]; !ok || isFinished(known) && !isFinished(slice) {
				r.before[print] = slice
			}
		}
	}
	return nil
}

// list returns the input of a list of the workspace.
func (r *ciRun) list() api.ListSlices {
	in := api.ListSlices{Paging: api.Paging{Limit: 100}}
	in.WorkspaceID = deref(r.where)
	return in
}

func isFinished(s api.Slice) bool { return s.Status == api.Resolved || s.Status == api.Closed }

// isFixed reports whether a slice is resolved as fixed, and not closed yet.
func isFixed(s api.Slice) bool { return s.Status == api.Resolved && deref(s.Resolution) == api.Fixed }

// newest returns the slice of a failure, by the fingerprint under which it is filed: that of the cause, or that of one
// of its tests, which has an open report from a run in which it was the only one.
func (r *ciRun) newest(f *finding.Failure) (slice api.Slice, fingerprint string, ok bool) {
	slice, ok = r.before[f.Fingerprint]
	if ok && !isFinished(slice) {
		return slice, f.Fingerprint, true
	}
	for _, other := range f.Others {
		if found, has := r.before[other]; has && !isFinished(found) {
			return found, other, true
		}
	}
	return slice, f.Fingerprint, ok
}

// reportFailure files a failure unless its job or its report forbids it, and adds it to the summary.
func (r *ciRun) reportFailure(ctx context.Context, f *finding.Failure) {
	before, fingerprint, known := r.newest(f)
	e := summary.Entry{Kind: r.kind(before, known), Title: f.Title, Owner: f.Owner}
	for _, t := range f.Tests {
		e.Tests = append(e.Tests, t.Name)
	}
	if known {
		r.describe(ctx, &e, before)
	}
	if r.away == nil && r.files(e.Kind) {
		filed, err := r.fileFailure(ctx, f, fingerprint)
		switch {
		case err == nil:
			before, e.Kind = filed.Slice, kindOf(filed, e.Kind)
			r.describe(ctx, &e, filed.Slice)
		case isRefusal(err):
			r.fault("%s is not reported: %s", f.Title, err)
		default:
			r.fail(err)
		}
	}
	for _, t := range f.Tests {
		r.reported[t.ID] = before.ID
	}
	if r.away != nil {
		if r.kept.Failures = append(r.kept.Failures, *f); !known {
			e.Kind = summary.Unknown
		}
	}
	r.page.Entries = append(r.page.Entries, e)
}

func (r *ciRun) fault(format string, args ...any) {
	r.faults = true
	r.page.Faults = append(r.page.Faults, fmt.Sprintf(format, args...))
}

// kind returns what a failure is, by the newest slice of its cause.
func (r *ciRun) kind(before api.Slice, known bool) summary.Kind {
	switch {
	case !known:
		return summary.New
	case !isFinished(before):
		return summary.Known
	case !isFixed(before):
		if r.reopenClosed && mayReopen(r.found.Job) {
			return summary.Regressed
		}
		return summary.Closed
	case mayReopen(r.found.Job):
		return summary.Regressed
	}
	return summary.Elsewhere
}

// files reports whether a failure of a kind is filed.
func (r *ciRun) files(kind summary.Kind) bool {
	return !r.s.dryRun && r.mayFile(r.found.Job) && kind != summary.Closed && kind != summary.Elsewhere
}

// kindOf returns what a failure is, by the answer to its filing.
func kindOf(filed api.FiledSlice, expected summary.Kind) summary.Kind {
	switch {
	case filed.Kept:
		return summary.Closed
	case !filed.Existing():
		return summary.New
	case expected == summary.Regressed:
		return expected
	}
	return summary.Known
}

// describe adds the report to an entry.
func (r *ciRun) describe(ctx context.Context, e *summary.Entry, slice api.Slice) {
	e.Reference, e.URL, e.Since = slice.Reference, slice.URL, slice.CreatedAt.Time
	if slice.AssigneeID != nil {
		e.Assignee = r.person(ctx, slice)
	}
	if n := slice.OccurrenceCount; n > 1 {
		e.Note = fmt.Sprintf("seen %d times", n)
	}
	if e.Kind == summary.Closed {
		e.Note = statusText(slice)
	}
	if n := failing.Count(slice.Metadata, failing.Flaky); n > 0 {
		e.Note += fmt.Sprintf(", flaky %d times", n)
	}
	e.Note = strings.TrimPrefix(e.Note, ", ")
}

// person returns the name of the assignee of a slice. A key without the scope workspaces:read does not learn it.
func (r *ciRun) person(ctx context.Context, slice api.Slice) string {
	if r.people == nil {
		r.people = map[string]string{}
		members, err := r.s.members(ctx, slice.WorkspaceID)
		if err == nil {
			for _, m := range members {
				r.people[m.UserID] = m.Name
			}
		}
	}
	if name := r.people[*slice.AssigneeID]; name != "" {
		return name
	}
	return "a member"
}

// write adds the summary to its file, or prints it.
func (r *ciRun) write() error {
	text := r.page.Markdown()
	name := r.summary
	if name == "" {
		name = r.s.variables["GITHUB_STEP_SUMMARY"]
	}
	if name == "" || r.s.dryRun {
		return r.s.out.Lines(r.s.out.Out, text)
	}
	file, err := os.OpenFile(r.s.env.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text + "\n")
	return errors.Join(err, file.Close())
}

// exit returns the failure that --fail-on and --strict ask for.
func (r *ciRun) exit() error {
	if r.away != nil && r.strict {
		return failureOf(r.away)
	}
	if r.faults && r.strict {
		return &Failure{codeFailed, errors.New("the results or their reports have faults, which the summary names"), ""}
	}
	for _, e := range r.page.Entries {
		isNew := e.Kind == summary.New || e.Kind == summary.Regressed
		if r.failOn == "new" && isNew {
			return &Failure{codeFailed, errors.New("there are new failures"), ""}
		}
	}
	if r.failOn == "any" && len(r.found.Failures) > 0 {
		return &Failure{codeFailed, errors.New("tests failed"), ""}
	}
	return nil
}

// keep writes what could not be sent, and says why. A file that was sent as a whole is removed.
func (r *ciRun) keep() error {
	name := r.ciFlags.kept
	if r.resume != "" {
		name = r.resume
	}
	path := r.s.env.path(name)
	if r.away == nil {
		if r.resume != "" && !r.s.dryRun {
			return os.Remove(path)
		}
		return nil
	}
	why := failureOf(r.away).Error()
	r.s.tell("bugslice: the server cannot be used: %s", why)
	if r.s.dryRun {
		return nil
	}
	if errors.Is(r.away, profile.ErrNotSignedIn) && r.resume == "" { // such as a pull request from a fork
		r.note("Nothing is filed: no key is set.")
		return nil
	}
	if r.resume == "" && !r.mayFile(r.found.Job) {
		return nil
	}
	if err := writeKept(path, &r.kept); err != nil {
		return err
	}
	r.note("The server could not be used. The reports are kept; bugslice ci report --resume %s sends them.", name)
	r.s.tell("The reports are in %s; bugslice ci report --resume %s sends them.", name, name)
	return nil
}

const maxRepeats = 40 // of a change that is based on an ETag

// change changes a slice as it is stored, and again when somebody else has changed it meanwhile. edit returns nil when
// nothing is to change.
func (r *ciRun) change(ctx context.Context, slice api.Slice, edit func(api.Slice) api.SlicePatch) (api.Slice, error) {
	for try := 1; ; try++ {
		patch := edit(slice)
		if patch == nil {
			return slice, nil
		}
		changed, err := r.api.UpdateSlice(ctx, api.UpdateSlice{SliceID: slice.ID, IfMatch: slice.ETag(), Patch: patch})
		p, refused := errors.AsType[*api.Problem](err)
		if err == nil || !refused || p.Code != api.CodePrecondition || try == maxRepeats {
			return changed, err
		}
		if err := wait(ctx, try); err != nil {
			return slice, err
		}
		if slice, err = r.api.GetSlice(ctx, api.GetSlice{SliceID: slice.ID}); err != nil {
			return slice, err
		}
	}
}

// runID names the run of a job, for what is counted once in it.
func runID(f *finding.Finding) string {
	id := strings.TrimSpace(f.Job.Run)
	if id == "" {
		id = f.At.UTC().Format(time.RFC3339)
	}
	return truncated(id, 100)
}

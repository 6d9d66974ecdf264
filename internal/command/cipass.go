package command

import (
	"context"
	"fmt"
	"slices"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/ci/failing"
	"bugslice/internal/ci/summary"
)

// keepLabel is on reports that no job resolves.
const keepLabel = "ci-keep"

const maxOpen = 2000 // open reports that are read

// reportPasses takes the tests that passed out of the open reports, and resolves a report without any. Flaky passes are
// counted.
func (r *ciRun) reportPasses(ctx context.Context) error {
	resolves := r.mayResolve(r.found.Job)
	if r.away != nil || !r.mayFile(r.found.Job) || !resolves && len(r.found.Flaky) == 0 {
		return nil
	}
	open, err := r.openReports(ctx)
	if err != nil {
		return err
	}
	p := passes{passed: map[string]bool{}, flaky: map[string]bool{}}
	if resolves {
		for _, id := range r.found.Passed {
			p.passed[id] = true
		}
	}
	for _, t := range r.found.Flaky {
		p.flaky[t.ID] = true
	}
	for _, slice := range open {
		if r.resume != "" && slice.LastSeenAt.After(r.found.At) {
			continue // it was seen after these results
		}
		if err := r.pass(ctx, slice, p); isRefusal(err) {
			r.fault("%s is not changed: %s", slice.Reference, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// passes are the tests that passed, at once or when they ran again.
type passes struct{ passed, flaky map[string]bool }

// openReports returns the open reports of jobs.
func (r *ciRun) openReports(ctx context.Context) (open []api.Slice, err error) {
	in := r.list()
	in.Label, in.Status = []string{ciLabel}, []api.Status{api.Open, api.InProgress}
	for slice, err := range client.All(ctx, r.api, in) {
		if err != nil {
			return nil, err
		}
		if len(open) == maxOpen {
			r.note("Only the newest %d open reports were compared with the tests that passed.", maxOpen)
			break
		}
		open = append(open, slice)
	}
	return open, nil
}

// pass counts the passes of the tests of a report, and resolves it when none of its tests fails any more.
func (r *ciRun) pass(ctx context.Context, slice api.Slice, p passes) error {
	resolved := false
	edit := func(now api.Slice) api.SlicePatch {
		var patch api.SlicePatch
		patch, resolved = r.afterPasses(now, p)
		return patch
	}
	changed := slice
	if r.s.dryRun {
		edit(slice)
	} else {
		var err error
		if changed, err = r.change(ctx, slice, edit); err != nil {
			return err
		}
	}
	if !resolved {
		return nil
	}
	e := summary.Entry{Kind: summary.Fixed, Title: slice.Summary}
	r.describe(ctx, &e, changed)
	r.page.Entries = append(r.page.Entries, e)
	if r.s.dryRun {
		return nil
	}
	_, err := client.Call(ctx, r.api, api.CreateComment{SliceID: slice.ID, Body: api.CommentFields{Body: r.fixedComment()},
		Idempotency: api.Idempotency{IdempotencyKey: r.found.Key(fmt.Sprint(slice.ID, changed.Version))}})
	return err
}

// afterPasses returns the patch of a report after some passes, nil for none, and whether it resolves the report.
func (r *ciRun) afterPasses(now api.Slice, p passes) (patch api.SlicePatch, resolves bool) {
	if isFinished(now) {
		return nil, false
	}
	set := failing.Of(now.Metadata)
	flaky := 0
	for id := range set {
		if p.flaky[id] {
			flaky++
		}
	}
	changed := false
	if !slices.Contains(now.Labels, flakyLabel) && !slices.Contains(now.Labels, keepLabel) {
		changed = set.Pass(func(id string) bool { return p.passed[id] }, r.resolveAfter)
	}
	if !changed && flaky == 0 {
		return nil, false
	}
	metadata := set.Patch(now.Metadata)
	if flaky > 0 {
		metadata[failing.Flaky] = fmt.Sprint(failing.Count(now.Metadata, failing.Flaky) + flaky)
	}
	patch = api.SlicePatch{"metadata": metadata}
	if len(set) > 0 {
		return patch, false
	}
	patch["status"], patch["resolution"] = api.Resolved, api.Fixed
	if commit := r.found.Job.Commit; commit != "" {
		metadata[failing.FixedBy] = commit
	}
	return patch, true
}

// fixedComment returns the comment on a report that is resolved.
func (r *ciRun) fixedComment() string {
	j := r.found.Job
	text := "The tests passed again"
	if j.Commit != "" {
		text += " with commit " + summary.Code(j.Commit)
	}
	if j.Name != "" {
		text += " in the job " + summary.Code(j.Name)
	}
	if j.URL != "" {
		text += ": <" + j.URL + ">"
	}
	return text + "."
}

package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/ci/failing"
	"bugslice/internal/ci/finding"
	"bugslice/internal/ci/results"
)

// flakyAfter is how often a bug comes back before its report is labelled, and not resolved by a job any more.
const (
	flakyAfter = 3
	flakyLabel = "flaky"
)

// wait waits before a change is tried again, a random time that grows.
func wait(ctx context.Context, try int) error {
	timer := time.NewTimer(rand.N(time.Duration(min(try, 20)) * 50 * time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fileFailure files a failure with its files.
func (r *ciRun) fileFailure(ctx context.Context, f *finding.Failure, fingerprint string) (api.FiledSlice, error) {
	reopen := mayReopen(r.found.Job)
	filed, err := client.Call(ctx, r.api, api.CreateSlice{
		Idempotency: api.Idempotency{IdempotencyKey: r.found.Key(fingerprint)},
		Reopen:      reopen, KeepClosed: !r.reopenClosed || !reopen, Body: r.body(f, fingerprint)})
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Code == api.CodeIdempotencyKeyReused {
		r.note("%s was reported by this job before.", f.Title)
		return api.FiledSlice{Slice: r.before[fingerprint]}, nil
	}
	if err != nil || filed.Kept {
		return filed, err
	}
	r.filed[filed.ID] = true
	if err := r.mark(ctx, f, filed.Slice, fingerprint); err != nil {
		return filed, err
	}
	r.attach(ctx, f, filed)
	return filed, nil
}

// body returns the report of a failure.
func (r *ciRun) body(f *finding.Failure, fingerprint string) api.NewSlice {
	j := r.found.Job
	body := api.NewSlice{WorkspaceID: r.where, Fingerprint: &fingerprint, Evidence: f.Evidence, AssigneeEmail: given(f.Email)}
	body.Summary, body.Description = f.Title, given(f.Description)
	body.Environment, body.Metadata = j.Environment(), j.Metadata()
	body.Labels = []string{ciLabel}
	for _, label := range r.labels {
		if !slices.Contains(body.Labels, label) {
			body.Labels = append(body.Labels, label)
		}
	}
	for name, value := range setOf(f).Metadata() {
		body.Metadata[name] = value
	}
	if f.Owner != "" {
		body.Metadata["ci.owner"] = truncated(f.Owner, 200)
	}
	return body
}

func setOf(f *finding.Failure) failing.Set {
	set := failing.Set{}
	for _, t := range f.Tests {
		set.Add(t.ID)
	}
	return set
}

// mark keeps in the report which tests fail. A report that was resolved counts that its bug came back, once in a run;
// the third time it is labelled as flaky.
func (r *ciRun) mark(ctx context.Context, f *finding.Failure, filed api.Slice, fingerprint string) error {
	before, ok := r.before[fingerprint]
	isBack := ok && before.ID == filed.ID && isFinished(before)
	_, err := r.change(ctx, filed, func(now api.Slice) api.SlicePatch {
		set := failing.Of(now.Metadata)
		for _, t := range f.Tests {
			set.Add(t.ID)
		}
		metadata := set.Patch(now.Metadata)
		patch := api.SlicePatch{}
		if isBack && now.Metadata[failing.ReopenedIn] != runID(r.found) {
			n := failing.Count(now.Metadata, failing.Reopened) + 1
			metadata[failing.Reopened], metadata[failing.ReopenedIn] = fmt.Sprint(n), runID(r.found)
			if n >= flakyAfter && !slices.Contains(now.Labels, flakyLabel) {
				patch["labels"] = append(slices.Clone(now.Labels), flakyLabel)
			}
		}
		if len(metadata) == 0 {
			return nil
		}
		patch["metadata"] = metadata
		return patch
	})
	return err
}

// attach adds the files of a failure to its occurrence, and the evidence when the server keeps none of a later
// occurrence. Then it deletes large files of occurrences between the first and this one. A file that cannot be stored is
// a fault, and the report stays.
func (r *ciRun) attach(ctx context.Context, f *finding.Failure, filed api.FiledSlice) {
	files := f.Files
	if f.Evidence != nil && slices.ContainsFunc(filed.Repairs, func(p api.Repair) bool {
		return p.Pointer == "/evidence" && p.Code == api.RepairMember
	}) {
		more, err := evidenceFiles(f.Evidence)
		if err != nil {
			r.fault("the evidence of %s is not stored: %s", filed.Reference, err)
		}
		files = append(slices.Clone(files), more...)
	}
	occurrence := filed.OccurrenceCount
	if len(files) == 0 {
		return
	}
	var creator api.Reporter
	for _, file := range files {
		stored, err := r.upload(ctx, filed.ID, occurrence, file)
		if p, ok := errors.AsType[*api.Problem](err); ok && p.Code == api.CodeIdempotencyKeyReused {
			continue // it is stored already
		}
		if err != nil {
			r.fault("%s of %s is not stored: %s", file.Name, filed.Reference, err)
			continue
		}
		creator = stored.Creator
	}
	if creator.ID != nil && occurrence > 2 {
		if err := r.prune(ctx, filed.ID, occurrence, *creator.ID); err != nil {
			r.fault("files of former occurrences of %s are not deleted: %s", filed.Reference, err)
		}
	}
}

// upload stores a file.
func (r *ciRun) upload(ctx context.Context, slice string, occurrence int64, file finding.File) (api.Attachment, error) {
	var content io.Reader = bytes.NewReader(file.Content)
	if file.Path != "" {
		opened, err := r.open(file.Path)
		if err != nil {
			return api.Attachment{}, err
		}
		defer opened.Close()
		content = opened
	}
	in := api.CreateAttachment{SliceID: slice, Name: file.Name, Occurrence: int(occurrence),
		Idempotency: api.Idempotency{IdempotencyKey: r.found.Key(fmt.Sprint(slice, occurrence, file.Name, file.Path))}}
	upload := client.Upload{Content: content}
	if file.Name == finding.OutputName && occurrence > 1 {
		in.Name = fmt.Sprintf("output-%d.txt", occurrence)
	}
	switch kind := evidenceKinds[file.Name]; {
	case kind != "":
		in.Kind, upload.ContentType = kind, "application/json"
	case file.Picture:
		in.Kind = api.KindScreenshot
	}
	return r.api.CreateAttachment(ctx, in, upload)
}

// open opens a file below the folder of the command. A kept file may have been written by a stranger's job, so it names
// no other file, also not by a link.
func (r *ciRun) open(path string) (*os.File, error) {
	folder, err := r.s.env.folder()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	below, err := filepath.Rel(folder, path)
	if err != nil {
		return nil, err
	}
	if info, err := root.Stat(below); err != nil || !info.Mode().IsRegular() || results.IsHidden(below) { // a pipe would block
		return nil, cmp.Or(err, fmt.Errorf("%s is no file that is sent", below))
	}
	return root.Open(below)
}

// evidenceKinds are the kinds of evidence by the names of their files.
var evidenceKinds = map[string]api.AttachmentKind{"trace-console.json": api.KindConsole, "trace.har": api.KindNetwork,
	"trace-actions.json": api.KindActions, "trace-replay.json": api.KindReplay}

// evidenceFiles returns evidence as files.
func evidenceFiles(e *api.Evidence) (files []finding.File, err error) {
	for name, rows := range map[string]any{"trace-console.json": e.Console, "trace-actions.json": e.Actions,
		"trace-replay.json": e.Replay} {
		text, err := json.Marshal(rows)
		if err != nil {
			return nil, err
		}
		if len(text) > len("null") {
			files = append(files, finding.File{Name: name, Content: text})
		}
	}
	if len(e.Network) > 0 {
		files = append(files, finding.File{Name: "trace.har", Content: e.Network})
	}
	return files, nil
}

// largeFile is the size from which files are stored of the first and of the newest occurrence alone.
const largeFile = 1 << 20

// prune deletes the large files of a creator that belong to occurrences between the first and the newest one.
func (r *ciRun) prune(ctx context.Context, slice string, newest int64, creator string) error {
	for a, err := range client.All(ctx, r.api, api.ListAttachments{SliceID: slice, Paging: api.Paging{Limit: 100}}) {
		if err != nil {
			return err
		}
		if a.Occurrence <= 1 || a.Occurrence >= newest || a.Size < largeFile || deref(a.Creator.ID) != creator {
			continue
		}
		if err := r.api.DeleteAttachment(ctx, api.DeleteAttachment{AttachmentID: a.ID}); err != nil {
			return err
		}
	}
	return nil
}

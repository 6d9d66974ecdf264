package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// CollectAge is the age from which CollectFiles deletes a blob that is unknown to the database.
const CollectAge = 7 * 24 * time.Hour

// Tally is a number of files with their bytes and the time of the oldest.
type Tally struct {
	Files  int        `json:"files"`
	Bytes  int64      `json:"bytes"`
	Oldest *time.Time `json:"oldest"`
}

func (y *Tally) add(e blob.Entry) {
	y.Files++
	y.Bytes += e.Size
	if at := e.Modified.UTC(); y.Oldest == nil || at.Before(*y.Oldest) {
		y.Oldest = &at
	}
}

// FileReport compares the storage of files with the database.
type FileReport struct {
	Named       Tally    `json:"named"`        // a record refers to them
	Recorded    Tally    `json:"unreferenced"` // serve deletes them when they are due
	Young       Tally    `json:"unknown"`      // unknown to the database
	Old         Tally    `json:"unknownOld"`   // unknown to the database, and older than CollectAge
	Removed     Tally    `json:"removed"`
	Missing     int      `json:"missing"`   // files that a record refers to and that the storage does not have
	Attachments []string `json:"missingOf"` // the first maxMissingReported of those records
}

const maxMissingReported = 20

// fileCollector is one run of CollectFiles.
type fileCollector struct {
	*Tracker
	remove bool
	report FileReport
	found  map[string]bool // the keys in the storage that records refer to
}

// CollectFiles compares the files in the storage with the database. With remove it deletes files older than CollectAge
// that are unknown to the database; it refuses that in a copy of the database and while a backup is in progress.
func (o *Operator) CollectFiles(ctx context.Context, remove bool) (FileReport, error) {
	f := &fileCollector{Tracker: o.t, remove: remove, report: FileReport{Attachments: []string{}},
		found: map[string]bool{}}
	var batch []blob.Entry
	err := f.blobs.List(ctx, func(e blob.Entry) error {
		if batch = append(batch, e); len(batch) < jobBatch {
			return nil
		}
		full := batch
		batch = nil
		return f.collect(ctx, full)
	})
	if err = errors.Join(err, f.collect(ctx, batch)); err != nil {
		return f.report, err
	}
	return f.report, f.findMissing(ctx)
}

// collect adds a batch of files to the report, and with remove deletes those that CollectFiles deletes.
func (f *fileCollector) collect(ctx context.Context, batch []blob.Entry) error {
	if len(batch) == 0 {
		return nil
	}
	old, err := f.classify(ctx, batch)
	if err != nil || !f.remove || len(old) == 0 {
		return err
	}
	if err := f.checkCollectAllowed(ctx); err != nil {
		return err
	}
	for _, e := range old {
		if err := f.blobs.Delete(ctx, e.Key); err != nil {
			return err
		}
		f.report.Removed.add(e)
	}
	return nil
}

// classify adds files to the report, and returns those that are unknown to the database and older than CollectAge.
func (f *fileCollector) classify(ctx context.Context, batch []blob.Entry) ([]blob.Entry, error) {
	states, err := f.access.Read(ctx).BlobStates(convert(batch, func(e blob.Entry) string { return e.Key }))
	if err != nil {
		return nil, err
	}
	oldest := f.now().Add(-CollectAge)
	var old []blob.Entry
	for _, e := range batch {
		switch state := states[e.Key]; {
		case state == store.BlobReferenced:
			f.report.Named.add(e)
			f.found[e.Key] = true
		case state == store.BlobUnreferenced:
			f.report.Recorded.add(e)
		case e.Modified.Before(oldest):
			f.report.Old.add(e)
			old = append(old, e)
		default:
			f.report.Young.add(e)
		}
	}
	return old, nil
}

// checkCollectAllowed refuses the deletion of files in a copy of the database and while a backup is in progress.
func (t *Tracker) checkCollectAllowed(ctx context.Context) error {
	if _, _, err := t.checkFence(ctx); err != nil {
		return err
	}
	if reason := t.RemovalSuspended(); reason != "" {
		return errors.New("nothing was removed: " + reason + ". If this database alone should own the files, run " +
			adoptCommand)
	}
	backup, err := t.access.Read(ctx).JobLeased(store.BackupJob, t.clock())
	if err == nil && backup {
		err = errors.New("nothing was removed: a backup is in progress, or has just ended, and may need the files; " +
			"try again in ten minutes")
	}
	return err
}

// findMissing reports the files that records refer to and that the storage does not have.
func (f *fileCollector) findMissing(ctx context.Context) error {
	for afterID := ""; ; {
		attachments, err := f.access.Read(ctx).ReferencedBlobs(afterID, jobBatch)
		if err != nil || len(attachments) == 0 {
			return err
		}
		for _, a := range attachments {
			missing, err := f.countMissing(ctx, a)
			if err != nil {
				return err
			}
			if f.report.Missing += missing; missing > 0 && len(f.report.Attachments) < maxMissingReported {
				f.report.Attachments = append(f.report.Attachments, a.AttachmentID)
			}
		}
		afterID = attachments[len(attachments)-1].AttachmentID
	}
}

// countMissing counts the files of a record that the storage does not have. Files that were written or deleted since
// the storage was listed are not missing.
func (f *fileCollector) countMissing(ctx context.Context, a store.AttachmentBlobs) (n int, err error) {
	keys := []string{a.Blob}
	if a.Thumbnail != nil {
		keys = append(keys, *a.Thumbnail)
	}
	for _, key := range keys {
		if f.found[key] {
			continue
		}
		exists, err := f.blobExists(ctx, key)
		if err != nil {
			return n, err
		}
		if !exists {
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	_, err = f.access.Read(ctx).Attachment(a.AttachmentID)
	if errors.Is(err, store.ErrNotFound) { // deleted with its files meanwhile
		return 0, nil
	}
	return n, err
}

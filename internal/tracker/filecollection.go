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

// CollectFiles compares the files in the storage with the database. With remove it deletes files older than CollectAge
// that are unknown to the database; it refuses that in a copy of the database and while a backup is in progress.
func (o *Operator) CollectFiles(ctx context.Context, remove bool) (FileReport, error) {
	t := o.t
	report := FileReport{Attachments: []string{}}
	found := map[string]bool{} // the keys in the storage that records refer to
	var batch []blob.Entry
	flush := func() error {
		defer func() { batch = batch[:0] }()
		return t.collectBatch(ctx, batch, remove, &report, found)
	}
	err := t.blobs.List(ctx, func(e blob.Entry) error {
		if batch = append(batch, e); len(batch) < jobBatch {
			return nil
		}
		return flush()
	})
	if err = errors.Join(err, flush()); err != nil {
		return report, err
	}
	return report, t.findMissing(ctx, found, &report)
}

// collectBatch adds a batch of files to a report, and with remove deletes those that CollectFiles deletes.
func (t *Tracker) collectBatch(ctx context.Context, batch []blob.Entry, remove bool, report *FileReport, found map[string]bool) error {
	if len(batch) == 0 {
		return nil
	}
	old, err := t.classify(ctx, batch, report, found)
	if err != nil || !remove || len(old) == 0 {
		return err
	}
	if err := t.checkCollectAllowed(ctx); err != nil {
		return err
	}
	for _, e := range old {
		if err := t.blobs.Delete(ctx, e.Key); err != nil {
			return err
		}
		report.Removed.add(e)
	}
	return nil
}

// classify adds files to a report, and returns those that are unknown to the database and older than CollectAge.
func (t *Tracker) classify(ctx context.Context, batch []blob.Entry, report *FileReport, found map[string]bool) ([]blob.Entry, error) {
	keys := convert(batch, func(e blob.Entry) string { return e.Key })
	states, err := t.store.Read(ctx).BlobStates(keys)
	if err != nil {
		return nil, err
	}
	oldest := t.now().Add(-CollectAge)
	var old []blob.Entry
	for _, e := range batch {
		switch state := states[e.Key]; {
		case state == store.BlobReferenced:
			report.Named.add(e)
			found[e.Key] = true
		case state == store.BlobUnreferenced:
			report.Recorded.add(e)
		case e.Modified.Before(oldest):
			report.Old.add(e)
			old = append(old, e)
		default:
			report.Young.add(e)
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
		return errors.New("nothing was removed: " + reason + ". If this database alone should own the files, run " + adoptCommand)
	}
	backup, err := t.store.Read(ctx).JobLeased(store.BackupJob, t.clock())
	if err == nil && backup {
		err = errors.New("nothing was removed: a backup is in progress, or has just ended, and may need the files; " +
			"try again in ten minutes")
	}
	return err
}

// findMissing reports the files that records refer to and that the storage does not have.
func (t *Tracker) findMissing(ctx context.Context, found map[string]bool, report *FileReport) error {
	for after := ""; ; {
		files, err := t.store.Read(ctx).ReferencedBlobs(after, jobBatch)
		if err != nil || len(files) == 0 {
			return err
		}
		for _, f := range files {
			after = f.AttachmentID
			missing, err := t.countMissing(ctx, f, found)
			if err != nil {
				return err
			}
			if report.Missing += missing; missing > 0 && len(report.Attachments) < maxMissingReported {
				report.Attachments = append(report.Attachments, f.AttachmentID)
			}
		}
	}
}

// countMissing counts the files of a record that the storage does not have. Files that were written or deleted since
// the storage was listed are not missing.
func (t *Tracker) countMissing(ctx context.Context, f store.AttachmentBlobs, found map[string]bool) (n int, err error) {
	keys := []string{f.Blob}
	if f.Thumbnail != nil {
		keys = append(keys, *f.Thumbnail)
	}
	for _, key := range keys {
		if found[key] {
			continue
		}
		r, err := t.blobs.Open(ctx, key)
		if err == nil {
			err = r.Close()
		} else if errors.Is(err, blob.ErrNotFound) {
			err = nil
			n++
		}
		if err != nil {
			return n, err
		}
	}
	if n > 0 {
		if _, err := t.store.Read(ctx).Attachment(f.AttachmentID); errors.Is(err, store.ErrNotFound) {
			return 0, nil
		} else if err != nil {
			return n, err
		}
	}
	return n, nil
}

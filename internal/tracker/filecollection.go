package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// CollectAge is how old a file must be that nothing in the database knows of before it is removed.
const CollectAge = 7 * 24 * time.Hour

// Tally counts files.
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

// FileReport holds the storage of files against the database.
type FileReport struct {
	Named       Tally    `json:"named"`        // by a record
	Recorded    Tally    `json:"unreferenced"` // and removed by serve when they are due
	Young       Tally    `json:"unknown"`      // nothing in the database knows of them
	Old         Tally    `json:"unknownOld"`   // likewise, and older than CollectAge
	Removed     Tally    `json:"removed"`
	Missing     int      `json:"missing"`   // files that a record names and that are not there
	Attachments []string `json:"missingOf"` // some of those records
}

const maxMissingReported = 20

// CollectFiles lists the storage and holds it against the database. With remove it removes files older
// than CollectAge of which the database knows nothing; it refuses to for a copy of the database, and
// while a backup is under way.
func (o *Operator) CollectFiles(ctx context.Context, remove bool) (FileReport, error) {
	t := o.t
	report := FileReport{Attachments: []string{}}
	found := map[string]bool{} // the named ones
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

func (t *Tracker) collectBatch(ctx context.Context, batch []blob.Entry, remove bool, report *FileReport, found map[string]bool) error {
	if len(batch) == 0 {
		return nil
	}
	keys := make([]string, len(batch))
	for i, e := range batch {
		keys[i] = e.Key
	}
	named, recorded, err := t.store.Read(ctx).FindBlobs(keys)
	if err != nil {
		return err
	}
	before := t.now().Add(-CollectAge)
	var old []blob.Entry
	for _, e := range batch {
		switch {
		case named[e.Key]:
			report.Named.add(e)
			found[e.Key] = true
		case recorded[e.Key]:
			report.Recorded.add(e)
		case e.Modified.Before(before):
			report.Old.add(e)
			old = append(old, e)
		default:
			report.Young.add(e)
		}
	}
	if !remove || len(old) == 0 {
		return nil
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

// checkCollectAllowed refuses the removal of files for a copy of the database and while a backup is under way.
func (t *Tracker) checkCollectAllowed(ctx context.Context) error {
	if _, _, err := t.checkFence(ctx); err != nil {
		return err
	}
	if why := t.RemovalSuspended(); why != "" {
		return errors.New("nothing was removed: " + why + ". If this database alone should own the files, run " + adoptCommand)
	}
	held, err := t.store.Read(ctx).JobLeased(store.BackupJob, t.clock())
	if err == nil && held {
		err = errors.New("nothing was removed: a backup is under way, or has just ended, and may need the files; try again in ten minutes")
	}
	return err
}

// findMissing counts the files that records name and that are not in the storage.
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

// countMissing counts the files of a record that are not there. Those written or deleted since the storage
// was listed are not missing.
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

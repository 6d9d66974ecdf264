package tracker

import (
	"context"
	"maps"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// exportDownloads are the exports that users download from this node. The progress of a download is kept for a minute
// after its end.
type exportDownloads struct {
	mu  sync.Mutex
	all map[exportKey]*ExportDownload
}

const exportRetention = time.Minute

// exportKey names a download. Only its user reads its progress.
type exportKey struct{ userID, workspaceID, id string }

// ExportDownload is an export that a user downloads.
type ExportDownload struct {
	Check func() error // returns an error once the user has lost the right to the export

	mu       sync.Mutex
	progress api.ExportProgress
	cancel   context.CancelFunc
	done     <-chan struct{} // closed when the export is cancelled, or its request has ended
	endedAt  time.Time       // zero while it runs
}

// add records a download. One without an id, or with that of a download in progress, has no progress.
func (e *exportDownloads) add(k exportKey, d *ExportDownload) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.all, func(_ exportKey, old *ExportDownload) bool { return old.endedFor(exportRetention) })
	if former := e.all[k]; k.id != "" && (former == nil || former.endedFor(0)) {
		e.all[k] = d
	}
}

func (e *exportDownloads) find(k exportKey) *ExportDownload {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[k]
}

// Set stores how far the download is.
func (d *ExportDownload) Set(p store.ExportProgress) {
	d.mu.Lock()
	d.progress = api.ExportProgress{State: d.progress.State, Slices: p.Slices, AllSlices: p.AllSlices, Files: p.Files,
		AllFiles: p.AllFiles}
	d.mu.Unlock()
}

// End stores that the download has ended, with an error unless it is complete.
func (d *ExportDownload) End(err error) {
	d.cancel()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endedAt = time.Now()
	if d.progress.State = api.ExportComplete; err != nil {
		d.progress.State = api.ExportFailed
	}
}

// endedFor reports whether the download has ended, at least for a while, or its request has ended before it began.
func (d *ExportDownload) endedFor(a time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.endedAt.IsZero() {
		return time.Since(d.endedAt) >= a
	}
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

package api

// ExportWorkspace returns a workspace as a zip file. The user chooses the id, by which the progress of the download
// is found; without one it has no progress.
type ExportWorkspace struct {
	Returns[Bytes]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	ExportID    string `query:"exportId"`
}

// ExportState reports whether the download of an export is still being written.
type ExportState string

// The states of downloads.
const (
	ExportRunning  ExportState = "running"
	ExportComplete ExportState = "complete"
	ExportFailed   ExportState = "failed" // or cancelled
)

// ExportProgress is the state of the download of an export, and how far it is.
type ExportProgress struct {
	State     ExportState `json:"state"`
	Slices    int64       `json:"slices"`
	AllSlices int64       `json:"allSlices"`
	Files     int64       `json:"files"`
	AllFiles  int64       `json:"allFiles"`
}

// GetExportProgress returns the progress of an export that the caller downloads from this node.
type GetExportProgress struct {
	Returns[ExportProgress]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	ExportID    string `query:"exportId"`
}

// CancelExport ends an export that the caller downloads from this node.
type CancelExport struct {
	Returns[Nothing]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	ExportID    string `query:"exportId"`
}

// WorkspaceUsage is what a workspace stores, and whether it is going to be deleted.
type WorkspaceUsage struct {
	StoredBytes int64 `json:"storedBytes"`
	QuotaBytes  int64 `json:"quotaBytes"` // 0 for no limit
	DeleteAt    *Time `json:"deleteAt"`   // nil for a workspace that stays
}

// GetUsage returns the usage of a workspace.
type GetUsage struct {
	Returns[WorkspaceUsage]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
}

// ScheduleDeletion deletes a workspace in 30 days, unless that is cancelled. Until then it works as before.
type ScheduleDeletion struct {
	Returns[Nothing]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	Body        NamedConfirmation
}

// CancelDeletion keeps a workspace that was going to be deleted.
type CancelDeletion struct {
	Returns[Nothing]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
}

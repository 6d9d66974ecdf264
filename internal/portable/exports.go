package portable

import (
	"archive/zip"
	"context"
	"io"

	"bugslice/internal/tracker"
)

// Exports are the exports that admins of workspaces download.
type Exports struct {
	instance Instance
	tracker  *tracker.Tracker
}

// Exports returns the exports of the instance.
func (in Instance) Exports(t *tracker.Tracker) Exports { return Exports{in, t} }

// OpenExport returns a function that writes a workspace to a zip file, as Export does. It ends with an error when the caller loses the
// right to it. The caller must be an admin of the workspace.
func (e Exports) OpenExport(ctx context.Context, s tracker.Session, workspaceID string) (func(io.Writer) error, error) {
	check, err := e.tracker.BeginExport(ctx, s, workspaceID)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		z := zip.NewWriter(guardedWriter{w, check})
		_, err := e.instance.Export(ctx, workspaceID, z, func(int) func(int) { return func(int) {} })
		if err != nil {
			return err
		}
		return z.Close()
	}, nil
}

// guardedWriter writes while a check succeeds.
type guardedWriter struct {
	io.Writer
	check func() error
}

func (w guardedWriter) Write(p []byte) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

package portable

import (
	"archive/zip"
	"cmp"
	"context"
	"io"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// Exports are the exports that admins of workspaces download.
type Exports struct {
	instance Instance
	tracker  *tracker.Tracker
}

// Exports returns the exports of the instance.
func (in Instance) Exports(t *tracker.Tracker) Exports { return Exports{in, t} }

// OpenExport returns a function that writes a workspace to a zip file, as Export does. It ends with an error when the
// caller loses the right to it, or cancels it by the id. The caller must be an admin of the workspace.
func (e Exports) OpenExport(ctx context.Context, c access.Caller, v input.Valid[api.ExportWorkspace]) (
	func(io.Writer) error, error,
) {
	in, err := v.Value(c.Allow(api.OpExportWorkspace))
	if err != nil {
		return nil, err
	}
	ctx, d, err := e.tracker.BeginExport(ctx, c, v)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		z := zip.NewWriter(guardedWriter{w, func() error { return cmp.Or(ctx.Err(), d.Check()) }})
		_, err := e.instance.Export(ctx, in.WorkspaceID, z, d.Set)
		if err == nil {
			err = z.Close()
		}
		d.End(err)
		return err
	}, nil
}

// guardedWriter writes until check returns an error.
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

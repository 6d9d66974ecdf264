package cli

import (
	"archive/zip"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/portable"
	"bugslice/internal/store"
)

func newExport(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var workspace, output string
	cmd := env.command("export", "Export a workspace with all its evidence to a file", func(ctx context.Context) error {
		return flags.withFiles(ctx, env, func(in *instance) error {
			to, id, err := in.workspace(ctx, workspace)
			if err != nil {
				return err
			}
			if err := to.RecordExport(ctx, id); err != nil {
				return err
			}
			files := newProgress(s.Err, "files", 0)
			progress := func(p store.ExportProgress) {
				files.total = int(p.AllFiles)
				if n := int(p.Files) - files.done; n > 0 {
					files.add(n)
				}
			}
			var m portable.Manifest
			size, err := writeAtomically(ctx, output, func(z *zip.Writer) (err error) {
				m, err = in.portable().Export(ctx, id, z, progress)
				return err
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Out, "Wrote %s: %s, %s, %s, %s.\n", output, count(m.Records["slices"], "slice"),
				count(m.Records["comments"], "comment"), count(m.Blobs, "file"), count(size, "byte"))
			return err
		})
	}, "workspace", "output")
	cmd.Example = "  bugslice admin export --workspace Web --output web.zip"
	flags.register(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "id or name of the workspace")
	cmd.Flags().StringVar(&output, "output", "", "file to write; it must not exist")
	return cmd
}

// portable returns the instance as it is exported and backed up.
func (in *instance) portable() portable.Instance {
	return portable.Instance{Store: in.store, Blobs: in.blobs, Version: tree.Version(Version)}
}

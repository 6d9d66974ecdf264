package cli

import (
	"archive/zip"
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/internal/portable"
)

func newExport(env environment, s Streams) *cobra.Command {
	var p instanceFlags
	var workspace, output string
	cmd := &cobra.Command{Use: "export", Short: "Export a workspace with all its evidence to a file", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env, "workspace", "output"); err != nil {
				return err
			}
			return p.withFiles(cmd.Context(), env, func(in *instance) error {
				_, id, err := in.workspace(cmd.Context(), workspace)
				if err != nil {
					return err
				}
				var m portable.Manifest
				size, err := writeAtomically(cmd.Context(), output, func(z *zip.Writer) error {
					progress := func(files int) func(int) { return newProgress(s.Err, "files", files).add }
					m, err = in.portable().Export(cmd.Context(), id, z, progress)
					return err
				})
				if err == nil {
					_, err = fmt.Fprintf(s.Out, "Wrote %s: %d slices, %d comments, %d files, %d bytes.\n",
						output, m.Records["slices"], m.Records["comments"], m.Blobs, size)
				}
				return err
			})
		}}
	p.register(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "id or name of the workspace to export")
	cmd.Flags().StringVar(&output, "output", "", "file to write; it must not exist")
	return cmd
}

// portable returns the instance as it is exported and backed up.
func (in *instance) portable() portable.Instance {
	return portable.Instance{Store: in.store, Blobs: in.blobs, Version: version()}
}

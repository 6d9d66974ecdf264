package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/internal/apidoc"
	"bugslice/internal/command/tree"
)

// Version is that of a build of a release, which main sets; empty for another build.
var Version string

func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: tree.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.Out, "bugslice "+tree.Version(Version))
			return err
		}}
}

func newOpenAPI(s Streams) *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the OpenAPI document of the API", Args: tree.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			doc, err := apidoc.OpenAPI("")
			if err == nil {
				_, err = s.Out.Write(doc)
			}
			return err
		}}
}

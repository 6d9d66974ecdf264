package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"bugslice/internal/apidoc"
)

// Version is that of a build of a release, which main sets; empty for another build.
var Version string

func version() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.Out, "bugslice "+version())
			return err
		}}
}

func newOpenAPI(s Streams) *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the OpenAPI document of the API", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			doc, err := apidoc.OpenAPI("")
			if err == nil {
				_, err = s.Out.Write(doc)
			}
			return err
		}}
}

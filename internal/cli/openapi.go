package cli

import (
	"github.com/spf13/cobra"

	"bugslice/internal/apidoc"
)

func newOpenAPI(s Streams) *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the OpenAPI document of the API", Args: noArgs, RunE: func(*cobra.Command, []string) error {
		doc, err := apidoc.OpenAPI()
		if err == nil {
			_, err = s.Out.Write(doc)
		}
		return err
	}}
}

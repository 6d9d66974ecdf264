package cli

import (
	"github.com/spf13/cobra"

	"bugslice/internal/httpapi"
)

func newOpenAPI(s Streams) *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the OpenAPI document of the API", Args: noArgs, RunE: func(*cobra.Command, []string) error {
		doc, err := httpapi.Document()
		if err == nil {
			_, err = s.Out.Write(doc)
		}
		return err
	}}
}

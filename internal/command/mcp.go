package command

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/internal/mcp"
)

func newMCP(s *session) *cobra.Command {
	var o mcp.Options
	var cmd *cobra.Command
	cmd = s.command("mcp", "Serve the tools of agents on standard input and output (MCP)", tree.NoArgs,
		func(ctx context.Context, _ []string) error {
			o.Version = cmd.Root().Version
			return serveMCP(ctx, s, o)
		})
	cmd.Long = "Serve the tools of agents on standard input and output, by the Model Context Protocol: an agent starts this " +
		"command. It calls the server of the profile with its key, and has only the tools that the scopes of the key allow. " +
		"Agents that speak HTTP need no command: they connect to /mcp of the server."
	cmd.Example = "  claude mcp add bugslice -- bugslice mcp --read-only"
	s.serverFlags(cmd)
	cmd.Flags().BoolVar(&o.ReadOnly, "read-only", false, "leave out the tools that change something")
	cmd.Flags().BoolVar(&o.WithholdGuests, "withhold-guests", false,
		"withhold text and evidence of reporters without an account")
	return cmd
}

// serveMCP answers the messages of an agent until it closes standard input.
func serveMCP(ctx context.Context, s *session, o mcp.Options) (err error) {
	if o.Client, err = s.client(); err != nil {
		return err
	}
	if o.Scopes, err = scopesOf(ctx, s); err != nil {
		return err
	}
	if s.env.Streams.In == nil {
		return tree.Usagef("there is no standard input; an agent starts this command")
	}
	transport := &sdk.IOTransport{Reader: io.NopCloser(s.env.Streams.In), Writer: unclosed{s.out.Out}}
	err = mcp.NewServer(o).Run(ctx, transport)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// scopesOf returns the scopes of the key. A key that may not read its own has all tools, and the server refuses them.
func scopesOf(ctx context.Context, s *session) ([]api.Scope, error) {
	me, err := s.whoAmI(ctx)
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Code == api.CodeScope {
		return api.AllScopes(), nil
	}
	return me.Key.Scopes, err
}

// unclosed is standard output, which stays open.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

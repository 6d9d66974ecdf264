package cli

import (
	"context"

	"github.com/spf13/cobra"

	"bugslice/api"
)

// listing is a command that lists what the organisations have.
type listing[T any] struct {
	short   string
	columns []any
	read    func(context.Context, *instance, api.OrganizationRef) ([]T, error)
	cells   func(T) []any
}

// command returns the command, which prints a table or JSON.
func (l listing[T]) command(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var org string
	var asJSON bool
	cmd := env.command("list", l.short, func(ctx context.Context) error {
		return flags.withExisting(ctx, env, func(in *instance) error {
			items, err := l.items(ctx, in, org)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.Out, items)
			}
			rows := [][]any{l.columns}
			for _, item := range items {
				rows = append(rows, l.cells(item))
			}
			return printTable(s.Out, rows...)
		})
	})
	flags.register(cmd)
	cmd.Flags().StringVar(&org, "org", "", "id or name of an organisation; lists only what it has")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

// items reads the items of the organisation with this id or name, or of all organisations when it is empty.
func (l listing[T]) items(ctx context.Context, in *instance, org string) ([]T, error) {
	organizations, err := in.organizations(ctx, org)
	if err != nil {
		return nil, err
	}
	items := []T{}
	for _, o := range organizations {
		more, err := l.read(ctx, in, o)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	return items, nil
}

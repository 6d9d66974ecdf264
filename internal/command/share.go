package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newShare(s *session) *cobra.Command {
	list := listing[api.Share]{use: "list REFERENCE", short: "List the links of a report", args: argument("report"),
		none: "The report is not shared.",
		read: func(ctx context.Context, args []string, limit int) ([]api.Share, error) {
			reference, err := sliceID(ctx, s, args[0])
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListShares{SliceID: reference}, limit)
		},
		columns: func(s *session) []output.Column[api.Share] {
			return []output.Column[api.Share]{
				{Title: "Id", Cell: func(r api.Share) output.Cell {
					return output.Cell{Text: r.ID,
						Style: output.Cyan}
				}},
				{Title: "Shows", Flexible: true, Cell: func(r api.Share) output.Cell { return text(sharedParts(r)) }},
				{Title: "Expires", Cell: func(r api.Share) output.Cell { return s.ago(&r.ExpiresAt) }},
				{Title: "Opened", Cell: func(r api.Share) output.Cell { return text(fmt.Sprint(r.Openings)) }},
			}
		}}
	return s.group("share", "Share reports by links with people without an account", list.command(s),
		newShareCreate(s), newShareRevoke(s))
}

func sharedParts(r api.Share) string {
	parts := []string{"report"}
	for _, p := range r.Parts {
		parts = append(parts, string(p))
	}
	return strings.Join(parts, ",")
}

func newShareCreate(s *session) *cobra.Command {
	var parts []string
	var days int
	var format output.Format
	cmd := s.changing(s.command("create REFERENCE", "Share a report, and print the link once", argument("report"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			reference, err := sliceID(ctx, s, args[0])
			if err != nil {
				return err
			}
			in := api.CreateShare{SliceID: reference}
			for _, p := range parts {
				if !slices.Contains(api.SharePart("").Values(), p) {
					return tree.Usagef("--show must be some of %s, not %q", strings.Join(api.SharePart("").Values(),
						", "), p)
				}
				in.Body.Parts = append(in.Body.Parts, api.SharePart(p))
			}
			at := api.At(time.Now().Add(time.Duration(days) * 24 * time.Hour))
			in.Body.ExpiresAt = &at
			share, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			return printRecord(ctx, s, &format, share, share.URL)
		}))
	cmd.Flags().StringSliceVar(&parts, "show", nil, "`part` that the link shows, too: "+
		""+strings.Join(api.SharePart("").Values(), ", "))
	cmd.Flags().IntVar(&days, "days", 7, "days for which the link works, up to 365")
	output.Register[api.NewShare](&format, cmd)
	return cmd
}

func newShareRevoke(s *session) *cobra.Command {
	return s.changing(s.command("revoke SHARE", "Revoke a link, at once", argument("id of a share"),
		func(ctx context.Context, args []string) error {
			_, done, err := change(ctx, s, api.RevokeShare{ShareID: args[0]})
			if err != nil || !done {
				return err
			}
			return s.out.Line(s.out.Out, "Revoked the link %s.", args[0])
		}))
}

package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newLink(s *session) *cobra.Command {
	list := listing[api.RecordingLink]{use: "list", short: "List the recording links that you may revoke", args: tree.NoArgs,
		none: "There are no recording links.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.RecordingLink, error) {
			w, err := s.findWorkspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListRecordingLinks{WorkspaceID: deref(w).ID}, limit)
		},
		columns: func(s *session) []output.Column[api.RecordingLink] {
			return []output.Column[api.RecordingLink]{
				{Title: "Id", Cell: func(l api.RecordingLink) output.Cell { return output.Cell{Text: l.ID, Style: output.Cyan} }},
				{Title: "Asks for", Flexible: true, Cell: func(l api.RecordingLink) output.Cell { return text(l.Ask) }},
				{Title: "Reports", Cell: func(l api.RecordingLink) output.Cell {
					return text(fmt.Sprintf("%d of %d", l.Reports, l.MaxReports))
				}},
				{Title: "Expires", Cell: func(l api.RecordingLink) output.Cell { return s.ago(&l.ExpiresAt) }},
			}
		}}
	return s.group("link", "Ask people without an account for recordings, by links", list.command(s), newLinkCreate(s),
		newLinkRevoke(s))
}

func newLinkCreate(s *session) *cobra.Command {
	var site string
	var reports int64
	var days int
	var format output.Format
	cmd := s.changing(s.command("create TEXT", "Ask for a recording, and print the link once",
		argument("what the recipient should show"), func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			w, err := s.workspace(ctx)
			if err != nil {
				return err
			}
			at := api.At(time.Now().Add(time.Duration(days) * 24 * time.Hour))
			in := api.CreateRecordingLink{Body: api.NewRecordingLink{WorkspaceID: &w.ID, ExpiresAt: &at,
				RecordingLinkFields: api.RecordingLinkFields{Ask: args[0], SiteURL: given(site), MaxReports: reports}}}
			link, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			return printRecord(ctx, s, &format, link, link.URL)
		}))
	cmd.Flags().StringVar(&site, "site", "", "`address` of the site on which it happens, which the page of the link opens")
	cmd.Flags().Int64Var(&reports, "reports", 1, "how many reports the link takes, up to 20")
	cmd.Flags().IntVar(&days, "days", 7, "days for which the link works, up to 30")
	output.Register[api.CreatedRecordingLink](&format, cmd)
	return cmd
}

func newLinkRevoke(s *session) *cobra.Command {
	return s.changing(s.command("revoke LINK", "Revoke a recording link, at once", argument("id of a recording link"),
		func(ctx context.Context, args []string) error {
			_, done, err := change(ctx, s, api.RevokeRecordingLink{RecordingLinkID: args[0]})
			if err != nil || !done {
				return err
			}
			return s.out.Line(s.out.Out, "Revoked the recording link %s.", args[0])
		}))
}

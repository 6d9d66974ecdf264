package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
)

// hit is a record that a search found.
type hit struct{ kind, name, text string }

func newSearch(s *session) *cobra.Command {
	var format output.Format
	cmd := s.command("search TEXT…", "Find reports, members, workspaces and views by the beginnings of words",
		arguments("text"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			w, err := s.findWorkspace(ctx)
			if err != nil {
				return err
			}
			found, err := call(ctx, s, api.Search{Q: strings.Join(args, " "), WorkspaceID: deref(w).ID})
			if err != nil {
				return err
			}
			if format.IsSet() {
				return format.Print(ctx, s.out, found)
			}
			return s.printHits(hits(found))
		})
	cmd.Long = cmd.Short + ". It is quick and finds little; bugslice slice list searches all texts of reports."
	s.serverFlags(cmd)
	output.Register[api.SearchResults](&format, cmd)
	return cmd
}

func hits(found api.SearchResults) (all []hit) {
	for _, r := range found.Slices {
		all = append(all, hit{"report", r.Reference, r.Summary + " (" + strings.ReplaceAll(string(r.Status), "_",
			" ") + ")"})
	}
	for _, m := range found.Members {
		all = append(all, hit{"member", m.Name, deref(m.Email)})
	}
	for _, w := range found.Workspaces {
		all = append(all, hit{"workspace", w.Key, w.Name})
	}
	for _, v := range found.Views {
		all = append(all, hit{"view", v.Name, v.Query})
	}
	return all
}

func (s *session) printHits(all []hit) error {
	if len(all) == 0 {
		if s.out.Terminal {
			s.tell("Nothing begins with these words. bugslice slice list searches all texts of reports.")
		}
		return nil
	}
	return output.Table(s.out, all, []output.Column[hit]{
		{Title: "Kind", Cell: func(h hit) output.Cell { return output.Cell{Text: h.kind, Style: output.Dim} }},
		{Title: "Name", Cell: func(h hit) output.Cell { return output.Cell{Text: h.name, Style: output.Cyan} }},
		{Title: "Text", Flexible: true, Cell: func(h hit) output.Cell { return text(h.text) }},
	})
}

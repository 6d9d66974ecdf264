package command

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
)

// hit is a record that a search found.
type hit struct {
	kind, name, text string
	why              string // it was found, unless the text says it
}

func newSearch(s *session) *cobra.Command {
	var format output.Format
	cmd := s.command("search TEXT…", "Find reports, members, workspaces and views by words",
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
	cmd.Long = cmd.Short + ", of summaries and names also by the beginnings of words. At most " +
		strconv.Itoa(api.MaxFoundSlices) + " reports are found, each with the text that has the words; bugslice slice " +
		"list finds all."
	s.serverFlags(cmd)
	output.Register[api.SearchResults](&format, cmd)
	return cmd
}

func hits(found api.SearchResults) (all []hit) {
	for _, r := range found.Slices {
		h := hit{kind: "report", name: r.Reference,
			text: r.Summary + " (" + strings.ReplaceAll(string(r.Status), "_", " ") + ")"}
		for _, m := range r.Matches {
			if h.why == "" && m.In != api.MatchSummary && m.In != api.MatchReference {
				h.why = string(m.In) + ": " + m.Text
			}
		}
		all = append(all, h)
	}
	for _, m := range found.Members {
		all = append(all, hit{kind: "member", name: m.Name, text: deref(m.Email)})
	}
	for _, w := range found.Workspaces {
		all = append(all, hit{kind: "workspace", name: w.Key, text: w.Name})
	}
	for _, v := range found.Views {
		all = append(all, hit{kind: "view", name: v.Name, text: v.Query})
	}
	return all
}

func (s *session) printHits(all []hit) error {
	if len(all) == 0 {
		if s.out.Terminal {
			s.tell("Nothing has these words. bugslice slice list 'WORD*' finds the beginnings of words in all texts of reports.")
		}
		return nil
	}
	return output.Table(s.out, all, []output.Column[hit]{
		{Title: "Kind", Cell: func(h hit) output.Cell { return output.Cell{Text: h.kind, Style: output.Dim} }},
		{Title: "Name", Cell: func(h hit) output.Cell { return output.Cell{Text: h.name, Style: output.Cyan} }},
		{Title: "Text", Flexible: true, Cell: func(h hit) output.Cell { return text(h.text) }},
		{Title: "Found in", Optional: true, Cell: func(h hit) output.Cell { return text(h.why) }},
	})
}

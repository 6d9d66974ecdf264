package command

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
)

// printPairs prints names with their values: aligned on a terminal, and otherwise separated by tabs. Empty values are
// left out.
func (s *session) printPairs(pairs [][2]string) error {
	width := 0
	for _, p := range pairs {
		if p[1] != "" {
			width = max(width, len(p[0]))
		}
	}
	return s.out.Page(func(w io.Writer) error {
		for _, p := range pairs {
			value, between := output.OneLine(p[1]), "\t"
			if value == "" {
				continue
			}
			name := p[0]
			if s.out.Terminal {
				between = strings.Repeat(" ", width-len(name)+2)
				name = s.out.Styled(output.Dim, name)
			}
			if _, err := io.WriteString(w, name+between+value+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

// listing is a command that lists records.
type listing[T any] struct {
	use, short string
	args       cobra.PositionalArgs
	columns    func(*session) []output.Column[T]
	read       func(ctx context.Context, args []string, limit int) ([]T, error)
	none       string // what is said when there are none
}

// command returns the command, with the flags --limit, --json, --jq and --template.
func (l listing[T]) command(s *session) *cobra.Command {
	var format output.Format
	var limit int
	cmd := s.command(l.use, l.short, l.args, func(ctx context.Context, args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		records, err := l.read(ctx, args, limit)
		if err != nil {
			return err
		}
		if format.IsSet() {
			return format.Print(ctx, s.out, records)
		}
		if len(records) == 0 && s.out.Terminal {
			s.tell("%s", l.none)
			return nil
		}
		return output.Table(s.out, records, l.columns(s))
	})
	output.Register[T](&format, cmd)
	cmd.Flags().IntVarP(&limit, "limit", "L", api.DefaultLimit, "how many are listed at most; 0 for all")
	return cmd
}

// printRecord prints one record: in the format of the flags, or as a line with what people need of it.
func printRecord(ctx context.Context, s *session, format *output.Format, record any, line string) error {
	if format.IsSet() {
		return format.Print(ctx, s.out, record)
	}
	return s.out.Line(s.out.Out, "%s", line)
}

// text is a cell of a table without a style.
func text(t string) output.Cell { return output.Cell{Text: t} }

// ago is a cell of a table with a time.
func (s *session) ago(at *api.Time) output.Cell {
	if at == nil {
		return output.Cell{Text: "-", Style: output.Dim}
	}
	return output.Cell{Text: s.out.Time(at.Time), Style: output.Dim}
}

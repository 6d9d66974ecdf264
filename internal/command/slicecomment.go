package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// bodyFlags are the flags of a command that takes a text in Markdown.
type bodyFlags struct {
	body, file string
	editor     bool
	given      bool
	read       *string // what was read of the file, which several reports may get
}

func (f *bodyFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.body, "body", "b", "", "`text` in Markdown; - reads standard input")
	flags.StringVarP(&f.file, "body-file", "F", "", "read the text from a `file`; - reads standard input")
	flags.BoolVarP(&f.editor, "editor", "e", false, "write the text in the editor")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) {
		f.given = cmd.Flags().Changed("body") || cmd.Flags().Changed("body-file")
	}
}

// text returns the text of the flags; ok is false when they give none.
func (f *bodyFlags) text(ctx context.Context, s *session) (text string, ok bool, err error) {
	if !f.given {
		return "", false, nil
	}
	if f.body != "" && f.file != "" {
		return "", false, tree.Usagef("--body and --body-file exclude each other; choose one")
	}
	name := f.file
	if f.body == "-" {
		name = "-"
	}
	if name == "" {
		return f.body, true, nil
	}
	if f.read == nil {
		content, err := s.readInput(ctx, name)
		if err != nil {
			return "", false, err
		}
		f.read = new(string(content))
	}
	return *f.read, true, nil
}

func newSliceComment(s *session) *cobra.Command {
	var body bodyFlags
	var format output.Format
	cmd := s.changing(s.command("comment [REFERENCE]", "Comment on a report", atMostOne, func(ctx context.Context,
		args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		reference, err := s.reference(ctx, args)
		if err != nil {
			return err
		}
		text, ok, err := body.text(ctx, s)
		if err == nil && (!ok || body.editor) {
			text, err = s.edit(ctx, text, "--body is required: the text of the comment; - reads standard input")
		}
		if err != nil {
			return err
		}
		in := api.CreateComment{SliceID: reference, Body: api.CommentFields{Body: text}}
		comment, done, err := change(ctx, s, in)
		if err != nil || !done {
			return err
		}
		return printRecord(ctx, s, &format, comment, "Commented on "+reference+".")
	}))
	cmd.Example = "  bugslice slice comment WEB-161 --body 'Seen in Firefox, too.'\n  git log -1 | bugslice " +
		"slice comment WEB-161 --body -"
	body.register(cmd)
	output.Register[api.Comment](&format, cmd)
	return cmd
}

func newSliceReact(s *session) *cobra.Command {
	var remove bool
	var format output.Format
	kinds := strings.Join(api.ReactionKind("").Values(), ", ")
	cmd := s.changing(s.command("react COMMENT KIND", "React to a comment", arguments("comment"), func(ctx context.Context,
		args []string) error {
		if len(args) != 2 {
			return tree.Usagef("a comment and one kind of reaction are required: %s", kinds)
		}
		if err := format.Check(); err != nil {
			return err
		}
		in := api.SetReaction{CommentID: args[0], Body: api.ReactionSetting{Kind: api.ReactionKind(args[1]), Remove: remove}}
		comment, done, err := change(ctx, s, in)
		if err != nil || !done {
			return err
		}
		return printRecord(ctx, s, &format, comment, "Reactions to the comment: "+reactionText(comment))
	}))
	cmd.Long = "React to a comment, by its id. The kinds are " + kinds + "; -- stands before -1."
	cmd.Example = "  bugslice slice react cmt_01ja8m2c9tf3qb6h0v5r4x7kyz eyes\n" +
		"  bugslice slice react --remove -- cmt_01ja8m2c9tf3qb6h0v5r4x7kyz -1"
	cmd.Flags().BoolVar(&remove, "remove", false, "take the reaction back")
	output.Register[api.Comment](&format, cmd)
	return cmd
}

// reactionText returns the reactions to a comment in words: +1 ×2, eyes ×1.
func reactionText(c api.Comment) string {
	all := make([]string, len(c.Reactions))
	for i, r := range c.Reactions {
		all[i] = fmt.Sprintf("%s ×%d", r.Kind, r.Count)
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// commentsOf returns the comments of a report, oldest first.
func (s *session) commentsOf(ctx context.Context, slice api.Slice) ([]api.Comment, error) {
	if slice.CommentCount == 0 {
		return nil, nil
	}
	return all(ctx, s, api.ListComments{SliceID: slice.ID}, 0)
}

func (s *session) printComments(ctx context.Context, reference string) error {
	comments, err := all(ctx, s, api.ListComments{SliceID: reference}, 0)
	if err != nil {
		return err
	}
	return s.out.Page(func(w io.Writer) error {
		for i, c := range comments {
			if i > 0 {
				_, _ = fmt.Fprintln(w)
			}
			if _, err := io.WriteString(w, s.commentText(c)); err != nil {
				return err
			}
		}
		return nil
	})
}

// commentText returns a comment with its author and time.
func (s *session) commentText(c api.Comment) string {
	heading := s.out.Styled(output.Bold, output.OneLine(c.Author.Name))
	if c.Author.Type == "service" {
		heading += " (service)"
	}
	if c.Via != nil && c.Via.Name != c.Author.Name {
		heading += " via " + output.OneLine(c.Via.Name)
	}
	body := output.Safe(c.Body)
	if s.out.Terminal {
		body = s.out.Markdown(c.Body)
	}
	text := heading + " " + s.out.Styled(output.Dim, s.out.Time(c.CreatedAt.Time)) + "\n" + strings.TrimRight(body, "\n") + "\n"
	if len(c.Reactions) > 0 {
		text += s.out.Styled(output.Dim, reactionText(c)) + "\n"
	}
	return text
}

package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// createFlags are the flags of slice create.
type createFlags struct {
	fieldFlags
	body                              bodyFlags
	files                             fileFlags
	labels                            []string
	metadata                          map[string]string
	fingerprint                       string
	browser, os, release, commit, ref string
	web                               bool
	format                            output.Format
}

func newSliceCreate(s *session) *cobra.Command {
	var f createFlags
	cmd := s.changing(s.command("create", "File a report", tree.NoArgs, func(ctx context.Context, _ []string) error {
		if err := f.format.Check(); err != nil {
			return err
		}
		if err := requireUploads(s.env, f.files.uploads()); err != nil {
			return err
		}
		in, err := f.input(ctx, s)
		if err != nil {
			return err
		}
		return f.file(ctx, s, in)
	}))
	cmd.Aliases = []string{"new"}
	cmd.Long = "File a report. On a terminal the editor opens when there is no summary: its first line is the " +
		"summary, the text after an " +
		"empty line the description. Secrets are removed from everything before it is stored."
	cmd.Example = "  bugslice slice create --summary 'Checkout fails with a discount' --body - < steps.md\n" +
		"  bugslice slice create -s 'Cart is empty' --label cart --screenshot cart.png --har shop.har --console " +
		"browser.log"
	f.body.register(cmd)
	f.register(cmd)
	f.files.register(cmd)
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.labels, "label", "l", nil, "add a `label`; repeatable")
	flags.StringToStringVar(&f.metadata, "meta", nil, "add a pair of metadata, `NAME=VALUE`; repeatable")
	flags.Lookup("meta").DefValue = "" // the help shows no empty list
	flags.StringVar(&f.fingerprint, "fingerprint", "", "`text` that identifies the bug: while a report has it, "+
		"this one counts as seen again")
	flags.StringVar(&f.browser, "browser", "", "`browser` in which the bug was seen")
	flags.StringVar(&f.os, "os", "", "operating `system` on which the bug was seen")
	flags.StringVar(&f.release, "release", "", "`release` in which the bug was seen")
	flags.StringVar(&f.commit, "commit", "", "`commit` in which the bug was seen")
	flags.StringVar(&f.ref, "branch", "", "`branch` in which the bug was seen")
	flags.BoolVar(&f.web, "web", false, "open the report in the browser afterwards")
	output.Register[api.FiledSlice](&f.format, cmd)
	return cmd
}

// input returns the report of the flags, and of the editor.
func (f *createFlags) input(ctx context.Context, s *session) (in api.CreateSlice, err error) {
	in.Hints = true
	body := &in.Body
	if body.Summary, body.Description, err = f.texts(ctx, s); err != nil {
		return in, err
	}
	where, err := s.workspace(ctx)
	if err != nil {
		return in, err
	}
	body.WorkspaceID, body.Labels, body.Metadata = &where.ID, f.labels, f.metadata
	body.Environment = api.Environment{Browser: given(f.browser), OS: given(f.os), Release: given(f.release),
		Commit: given(f.commit),
		Branch: given(f.ref)}
	body.Fingerprint = given(f.fingerprint)
	priority, _ := f.optional("priority")
	severity, _ := f.optional("severity")
	body.Priority, body.Severity = (*api.Priority)(priority), (*api.Severity)(severity)
	body.SourceURL, _ = f.optional("url")
	body.ExternalID, _ = f.optional("external-id")
	if name, _ := f.optional("space"); name != nil {
		id, err := s.spaceID(ctx, where.ID, *name)
		if err != nil {
			return in, err
		}
		body.SpaceID = &id
	}
	if user, _ := f.optional("assignee"); user != nil {
		id, err := s.userID(ctx, where.ID, *user)
		if err != nil {
			return in, err
		}
		body.AssigneeID = &id
	}
	return in, nil
}

// given returns a text; nil when it is empty.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// texts returns the summary and the description.
func (f *createFlags) texts(ctx context.Context, s *session) (summary string, description *string, err error) {
	text, ok, err := f.body.text(ctx, s)
	if err != nil {
		return "", nil, err
	}
	if ok {
		description = &text
	}
	if v := f.get("summary"); v != nil {
		summary = *v
	}
	if summary != "" && !f.body.editor {
		return summary, description, nil
	}
	written, err := s.edit(ctx, summary+"\n\n"+text, "--summary is required: one line that says what is wrong")
	if err != nil {
		return "", nil, err
	}
	summary, rest, _ := strings.Cut(strings.TrimSpace(written), "\n")
	return strings.TrimSpace(summary), given(strings.TrimSpace(rest)), nil
}

// sharedWords returns the words that a similar report shares, for the end of a line.
func sharedWords(similar api.Similar) string {
	var all []string
	for _, m := range similar.Matches {
		all = append(all, m.Words...)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
}

// file files the report, and attaches its files. The report stays when a file cannot be stored.
func (f *createFlags) file(ctx context.Context, s *session, in api.CreateSlice) error {
	filed, done, err := change(ctx, s, in)
	if errors.Is(err, context.Canceled) {
		return &Failure{codeInterrupted, errors.New("interrupted while the report was sent"),
			"bugslice slice list shows whether it is filed"}
	}
	if err != nil {
		return err
	}
	if !done {
		_, err = s.attach(ctx, "REFERENCE", f.files.uploads())
		return err
	}
	verb := "Filed"
	if filed.Existing() {
		verb = fmt.Sprintf("Counted as seen again (%d times):", filed.OccurrenceCount)
	}
	s.tell("%s %s.", verb, filed.Reference)
	for i, similar := range filed.Similar {
		if i < 3 {
			s.tell("Similar: %s %s (%s)%s", similar.Reference, similar.Summary, similar.Status, sharedWords(similar))
		}
	}
	attached, err := s.attach(ctx, filed.Reference, f.files.uploads())
	if failure, ok := errors.AsType[*Failure](err); ok {
		return &Failure{failure.Code, fmt.Errorf("%s is filed, but %w", filed.Reference, failure.Err), failure.Next}
	}
	filed.AttachmentCount = max(filed.AttachmentCount, int64(len(attached)))
	if f.web {
		return s.browse(ctx, filed.URL)
	}
	return printRecord(ctx, s, &f.format, filed, filed.URL)
}

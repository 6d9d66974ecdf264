package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/command/output"
)

// upload is a file that is attached to a report.
type upload struct {
	file string
	kind api.AttachmentKind // empty for one that the service detects
}

// fileFlags are the flags with files that are attached.
type fileFlags struct {
	attach, screenshots []string
	har, console        string
}

func (f *fileFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.attach, "attach", nil, "attach a `file`; repeatable")
	flags.StringSliceVar(&f.screenshots, "screenshot", nil, "attach a `picture` of the bug; repeatable")
	flags.StringVar(&f.har, "har", "", "attach the requests in a `file` (HAR)")
	flags.StringVar(&f.console, "console", "", "attach the messages in a `file`: JSON lines or a plain log")
}

func (f *fileFlags) uploads() (all []upload) {
	for _, name := range f.screenshots {
		all = append(all, upload{name, api.KindScreenshot})
	}
	if f.har != "" {
		all = append(all, upload{f.har, api.KindNetwork})
	}
	if f.console != "" {
		all = append(all, upload{f.console, api.KindConsole})
	}
	for _, name := range f.attach {
		all = append(all, upload{name, ""})
	}
	return all
}

func newSliceAttach(s *session) *cobra.Command {
	var f fileFlags
	var format output.Format
	cmd := s.changing(s.command("attach REFERENCE [FILE…]", "Attach files to a report", arguments("report"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			f.attach = append(f.attach, args[1:]...)
			uploads := f.uploads()
			if err := requireUploads(s.env, uploads); err != nil {
				return err
			}
			reference, err := sliceID(ctx, s, args[0])
			if err != nil {
				return err
			}
			stored, err := s.attach(ctx, reference, uploads)
			if err != nil {
				return err
			}
			if format.IsSet() {
				return format.Print(ctx, s.out, stored)
			}
			return nil
		}))
	cmd.Example = "  bugslice slice attach WEB-161 server.log\n  bugslice slice attach WEB-161 --har shop.har " +
		"--screenshot cart.png"
	f.register(cmd)
	output.Register[api.Attachment](&format, cmd)
	return cmd
}

// requireUploads refuses files that do not exist, before anything is requested.
func requireUploads(e Environment, uploads []upload) error {
	names := make([]string, len(uploads))
	for i, u := range uploads {
		names[i] = u.file
	}
	return requireFiles(e, names...)
}

// attach uploads files to a report and says what is stored. After a failure it says what is not, and how to go on.
func (s *session) attach(ctx context.Context, reference string, uploads []upload) (stored []api.Attachment, err error) {
	stored = []api.Attachment{}
	for i, u := range uploads {
		attachment, err := s.uploadFile(ctx, reference, u)
		if s.dryRun && err == nil {
			continue
		}
		if err == nil {
			stored = append(stored, attachment)
			s.tell("%s: stored %s (%s, %s).", reference, attachment.Name, attachment.Kind, output.Size(attachment.Size))
			for _, r := range attachment.Repairs {
				s.tell("  %s: %s (%d times)", r.Pointer, r.Detail, r.Count)
			}
			continue
		}
		f, _ := errors.AsType[*Failure](failureOf(err))
		return stored, &Failure{f.Code, fmt.Errorf("%s is not stored: %w", u.file, f.Err),
			strings.TrimPrefix(f.Next+"; then go on: "+resume(reference, uploads[i:]), "; ")}
	}
	return stored, nil
}

// resume returns the command that attaches the files that are not stored.
func resume(reference string, uploads []upload) string {
	line := "bugslice slice attach " + reference
	flags := map[api.AttachmentKind]string{api.KindScreenshot: "--screenshot ", api.KindNetwork: "--har ",
		api.KindConsole: "--console "}
	for _, u := range uploads {
		name := u.file
		if strings.ContainsAny(name, " '\"$`\\") {
			name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
		}
		line += " " + flags[u.kind] + name
	}
	return line
}

func (s *session) uploadFile(ctx context.Context, reference string, u upload) (stored api.Attachment, err error) {
	c, err := s.client()
	if err != nil {
		return stored, err
	}
	name := filepath.Base(u.file)
	var content io.Reader
	if u.kind == api.KindConsole {
		text, err := consoleFile(s.env, u.file)
		if err != nil {
			return stored, err
		}
		content, name = bytes.NewReader(text), strings.TrimSuffix(name, filepath.Ext(name))+".json"
	} else {
		f, err := os.Open(s.env.path(u.file))
		if err != nil {
			return stored, err
		}
		defer f.Close()
		content = f
	}
	in := api.CreateAttachment{SliceID: reference, Kind: u.kind, Name: name}
	if s.dryRun {
		return stored, s.printRequest(in)
	}
	contentType := ""
	if u.kind == api.KindConsole || u.kind == api.KindNetwork {
		contentType = "application/json"
	}
	stored, err = c.CreateAttachment(ctx, in, client.Upload{Content: content, ContentType: contentType,
		Progress: progress(s, name)})
	return stored, inFlags(s, err)
}

// progress returns a function that shows the progress of an upload, and says when it begins again.
func progress(s *session, name string) func(sent, total int64) {
	show, before := s.out.Progress(name), int64(0)
	return func(sent, total int64) {
		if sent < before {
			if output.IsTerminal(s.out.Err) {
				fmt.Fprintln(s.out.Err) // after the bar
			}
			s.tell("%s was not stored: the connection or the server failed after %s of %s. It is sent again from its "+
				"beginning.", name, output.Size(before), output.Size(total))
			show = s.out.Progress(name)
		}
		before = sent
		show(sent, total)
	}
}

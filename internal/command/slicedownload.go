package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// downloadFlags are the flags of slice download.
type downloadFlags struct {
	folder                 string
	har, replay, overwrite bool
	occurrence             int
}

func newSliceDownload(s *session) *cobra.Command {
	var f downloadFlags
	const short = "Download the files of a report, its requests and its replay"
	cmd := s.command("download [REFERENCE [NAME…]]", short, nil,
		func(ctx context.Context, args []string) error {
			reference, err := s.reference(ctx, args[:min(len(args), 1)])
			if err != nil {
				return err
			}
			return f.download(ctx, s, reference, args[min(len(args), 1):])
		})
	cmd.Long = "Download the files of a report: all of them, or those with these names or ids. --har and " +
		"--replay download the captured " +
		"requests and the recording instead. A file that exists is not overwritten."
	cmd.Example = "  bugslice slice download WEB-161 --dir evidence\n  bugslice slice download WEB-161 --har"
	flags := cmd.Flags()
	flags.StringVarP(&f.folder, "dir", "D", ".", "`folder` for the files, which is made when it does not exist")
	flags.BoolVar(&f.har, "har", false, "download the requests as REFERENCE.har")
	flags.BoolVar(&f.replay, "replay", false, "download the replay as REFERENCE.replay.json")
	flags.IntVar(&f.occurrence, "occurrence", 0, "of the report of the bug with this `number`; the newest by default")
	flags.BoolVar(&f.overwrite, "clobber", false, "overwrite files")
	return cmd
}

func (f *downloadFlags) download(ctx context.Context, s *session, reference string, names []string) error {
	if err := os.MkdirAll(s.env.path(f.folder), 0o755); err != nil {
		return err
	}
	if f.har || f.replay {
		if f.har {
			in := api.GetArchive{SliceID: reference, Occurrence: f.occurrence}
			if err := f.save(ctx, s, in, reference+".har"); err != nil {
				return err
			}
		}
		if f.replay {
			return f.save(ctx, s, api.GetReplay{SliceID: reference, Occurrence: f.occurrence}, reference+".replay.json")
		}
		return nil
	}
	files, err := all(ctx, s, api.ListAttachments{SliceID: reference, Occurrence: f.occurrence}, 0)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(files, func(a api.Attachment) bool { return a.Name == name || a.ID == name }) {
			return &Failure{codeNotFound, errors.New(reference + " has no file " + name), "it has " + fileNames(files)}
		}
	}
	taken := map[string]bool{}
	for _, a := range files {
		if len(names) > 0 && !slices.Contains(names, a.Name) && !slices.Contains(names, a.ID) {
			continue
		}
		name := fileName(a.Name)
		if taken[name] {
			name = fileName(a.ID + "-" + filepath.Base(a.Name))
		}
		taken[name] = true
		if err := f.save(ctx, s, api.GetAttachment{AttachmentID: a.ID}, name); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		s.tell("%s has no files. --har and --replay download evidence that was sent with the report.", reference)
	}
	return nil
}

// fileName returns the name of a file within the folder, for any text of the server: it is not hidden, and no option
// of other commands.
func fileName(text string) string {
	name := output.OneLine(filepath.Base(text))
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || name == string(filepath.Separator) {
		name = "_" + strings.Trim(name, string(filepath.Separator))
	}
	return name
}

func fileNames(files []api.Attachment) string {
	names := make([]string, len(files))
	for i, a := range files {
		names[i] = a.Name
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// save downloads into a file that is complete or does not exist, and prints its path.
func (f *downloadFlags) save(ctx context.Context, s *session, in api.AnyInput, name string) error {
	file := filepath.Join(s.env.path(f.folder), name)
	if _, err := os.Lstat(file); err == nil && !f.overwrite {
		return tree.Usagef("%s exists; --clobber overwrites it, --dir chooses another folder", file)
	}
	c, err := s.client()
	if err != nil {
		return err
	}
	d, err := c.Open(ctx, in)
	if err != nil {
		return err
	}
	partial, err := os.CreateTemp(filepath.Dir(file), ".download-*")
	if err != nil {
		return errors.Join(err, d.Close())
	}
	defer os.Remove(partial.Name())
	err = d.Save(partial, s.out.Progress(name))
	if err := errors.Join(err, partial.Chmod(0o644), partial.Close()); err != nil {
		return err
	}
	if err := os.Rename(partial.Name(), file); err != nil {
		return err
	}
	return s.out.Line(s.out.Out, "%s", filepath.Join(f.folder, name))
}

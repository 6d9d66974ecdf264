package finding

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bugslice/internal/ci/cause"
	"bugslice/internal/ci/job"
	"bugslice/internal/ci/owners"
	"bugslice/internal/ci/results"
	"bugslice/internal/ci/trace"
)

// Source is where the evidence of failures is.
type Source struct {
	Job         job.Job
	Root        *os.Root     // of files that may be sent; nil for none
	Owners      *owners.File // nil without one
	Emails      map[string]string
	MaxFailures int
	Budget      int64 // bytes of evidence and files; 0 for none
}

// collector collects the evidence of the failures of a job.
type collector struct {
	Source
	files map[*results.Suite]string // the file of results of each suite
	left  int64                     // of the budget
	notes []string
}

const maxFiles = 10 // of a failure

// OutputName is the name of the file with the output of a failure.
const OutputName = "output.txt"

// failure returns a cause as a failure with the evidence of its first test that has some.
func (c *collector) failure(of *cause.Cause) Failure {
	f := Failure{Fingerprint: of.Fingerprint, Title: title(of), Description: description(of), Scope: of.Scope}
	for _, t := range of.Tests {
		f.Tests = append(f.Tests, Test{cause.TestID(t.Suite, t.Case), nameOf(t.Suite, t.Case)})
		if of.Scope == cause.Place && len(f.Others) < maxListed && !slices.Contains(f.Others, t.Fingerprint) {
			f.Others = append(f.Others, t.Fingerprint)
		}
	}
	c.addOwner(&f, of)
	if c.Budget == 0 {
		return f
	}
	c.addOutput(&f, of)
	if c.Root == nil {
		return f
	}
	for _, t := range of.Tests {
		for _, a := range t.Case.Attachments {
			c.addAttachment(&f, c.files[t.Suite], a)
		}
		if len(f.Files) > 1 || f.Evidence != nil {
			break
		}
	}
	return f
}

// addOutput adds the stack and the output of the first test as a file: each occurrence of a report has its own.
func (c *collector) addOutput(f *Failure, of *cause.Cause) {
	first := of.Tests[0].Case
	text := of.Failure.Message + "\n\n"
	if of.Failure.Stack != of.Failure.Message {
		text += of.Failure.Stack + "\n"
	}
	if first.Output != "" {
		text += "\nOutput:\n\n" + first.Output + "\n"
	}
	c.add(f, File{Name: OutputName, Content: []byte(strings.ReplaceAll(text, "\x00", "\ufffd"))}, int64(len(text)))
}

// add adds a file when the budget allows it.
func (c *collector) add(f *Failure, file File, size int64) {
	switch {
	case size == 0:
	case size > c.left:
		c.note("%s is not sent: the files of a job have at most %d MiB.", file.Name, c.Budget>>20)
	case len(f.Files) == maxFiles:
		c.note("%s is not sent: a failure has at most %d files.", file.Name, maxFiles)
	default:
		c.left -= size
		f.Files = append(f.Files, file)
	}
}

func (c *collector) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(c.notes, note) && len(c.notes) < 100 {
		c.notes = append(c.notes, note)
	}
}

// addAttachment adds the files of an attachment, and a trace as evidence.
func (c *collector) addAttachment(f *Failure, file string, a results.Attachment) {
	paths, err := results.Locate(c.Root, file, a)
	if err != nil {
		c.note("%s is not sent: %s.", inQuotes(a.Path), inQuotes(err.Error()))
		return
	}
	for _, path := range paths {
		if strings.EqualFold(filepath.Ext(path), ".zip") {
			if c.addTrace(f, path) {
				continue
			}
		}
		info, err := c.Root.Stat(path)
		if err != nil {
			c.note("%s is not sent: %s.", inQuotes(path), inQuotes(err.Error()))
			continue
		}
		absolute := filepath.Join(c.Root.Name(), path)
		if slices.ContainsFunc(f.Files, func(known File) bool { return known.Path == absolute }) {
			continue
		}
		c.add(f, File{Name: filepath.Base(path), Path: absolute, Picture: isPicture(path)}, info.Size())
	}
}

// inQuotes returns a text of others within a sentence of a note.
func inQuotes(text string) string { return fmt.Sprintf("%q", text) }

func isPicture(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".webp", ".gif":
		return true
	}
	return false
}

// addTrace adds a trace of Playwright as evidence and pictures. It reports whether the file is one.
func (c *collector) addTrace(f *Failure, path string) bool {
	file, err := c.Root.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return false
	}
	read, err := trace.Read(file, size)
	if err != nil {
		return false
	}
	if f.Evidence != nil {
		return true // of another try
	}
	text, err := json.Marshal(read.Evidence)
	if err != nil || int64(len(text)) > c.left {
		c.note("The trace %s is not sent: the files of a job have at most %d MiB.", inQuotes(path), c.Budget>>20)
		return true
	}
	c.left -= int64(len(text))
	f.Evidence = &read.Evidence
	for _, p := range read.Pictures {
		c.add(f, File{Name: p.Name, Content: p.Content, Picture: true}, int64(len(p.Content)))
	}
	for _, left := range read.LeftOut {
		c.note("Of the trace %s is left out: %s.", inQuotes(path), inQuotes(left))
	}
	return true
}

// addOwner adds the owner of the first test whose file has one, and the e-mail address of that owner.
func (c *collector) addOwner(f *Failure, of *cause.Cause) {
	if c.Owners == nil || c.Root == nil {
		return
	}
	for _, t := range of.Tests {
		path := c.belowRoot(t.Case.File, t.Suite.File)
		if path == "" {
			continue
		}
		for _, owner := range c.Owners.Owners(path) {
			if f.Owner == "" {
				f.Owner = owner.Name
			}
			email := c.Emails[strings.ToLower(owner.Name)]
			if owner.Kind == owners.Email {
				email = owner.Name
			}
			if email != "" {
				f.Owner, f.Email = owner.Name, email
				return
			}
		}
		if f.Owner != "" {
			return
		}
	}
}

// belowRoot returns the first of some files as a path of the repository; empty when none is below its root.
func (c *collector) belowRoot(files ...string) string {
	for _, file := range files {
		if file == "" {
			continue
		}
		if filepath.IsAbs(file) {
			below, err := filepath.Rel(c.Root.Name(), file)
			if err != nil {
				continue
			}
			file = below
		}
		if filepath.IsLocal(file) {
			return filepath.ToSlash(filepath.Clean(file))
		}
	}
	return ""
}

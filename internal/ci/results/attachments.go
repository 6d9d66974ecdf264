package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	attached     = regexp.MustCompile(`\[\[ATTACHMENT\|([^\]\r\n]+)\]\]`)
	attachedName = regexp.MustCompile(`(?i)^(?:testrail_)?(?:attachments?|screenshot|video)[-_ ]?\d*$`)
)

// attachedIn returns the attachments that an output names: [[ATTACHMENT|path]], as of Playwright and Jenkins.
func attachedIn(output string) []Attachment {
	var found []Attachment
	for _, m := range attached.FindAllStringSubmatch(output, -1) {
		found = append(found, Attachment{Path: strings.TrimSpace(m[1])})
	}
	return found
}

// attachedBy returns the attachments that properties name.
func attachedBy(properties []Property) []Attachment {
	var found []Attachment
	for _, p := range properties {
		if path := strings.TrimSpace(p.Value); attachedName.MatchString(p.Name) && path != "" && !strings.Contains(path, "://") {
			found = append(found, Attachment{Name: p.Name, Path: path})
		}
	}
	return found
}

// ErrOutside is the refusal of an attachment that is not below the folder whose files may be sent.
var ErrOutside = errors.New("the attachment is not below the folder whose files are sent")

// OpenAttachment opens a file that a test names. Its path counts from the file of results, as Playwright's does, or
// from the root. The code under test writes such paths, so a file that is not below the root is refused, by its path
// and by links. It returns the path below the root.
func OpenAttachment(root *os.Root, file string, a Attachment) (*os.File, string, error) {
	base, err := filepath.Abs(root.Name())
	if err != nil {
		return nil, "", err
	}
	results, err := filepath.Abs(file)
	if err != nil {
		return nil, "", err
	}
	path := filepath.FromSlash(a.Path)
	candidates := []string{path}
	if !filepath.IsAbs(path) {
		candidates = []string{filepath.Join(filepath.Dir(results), path), filepath.Join(base, path)}
	}
	refusal := ErrOutside
	for _, candidate := range candidates {
		below, err := filepath.Rel(base, candidate)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		f, err := openRegular(root, below)
		if err == nil {
			return f, below, nil
		}
		refusal = err
	}
	return nil, "", refusal
}

func openRegular(root *os.Root, path string) (*os.File, error) {
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a device or a pipe would block
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return root.Open(path)
}

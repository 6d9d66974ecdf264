package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
		path := strings.TrimSpace(p.Value)
		if attachedName.MatchString(p.Name) && path != "" && !strings.Contains(path, "://") {
			found = append(found, Attachment{Name: p.Name, Path: path})
		}
	}
	return found
}

// ErrOutside is the refusal of an attachment that is not below the folder whose files may be sent.
var ErrOutside = errors.New("the attachment is not below the folder whose files are sent")

// maxFolder is the number of files that are taken from a folder.
const maxFolder = 100

// Locate returns the files of an attachment, as paths below the root. The path of an attachment counts from the file of
// results, as Playwright's does, or from the root. The code under test writes such paths, so what is not a regular file
// below the root is refused: by its path, and where links lead out of the root. So are hidden files.
func Locate(root *os.Root, file string, a Attachment) ([]string, error) {
	base, err := filepath.Abs(root.Name())
	if err != nil {
		return nil, err
	}
	results, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	path := filepath.FromSlash(a.Path)
	candidates := []string{path}
	if !filepath.IsAbs(path) {
		candidates = []string{filepath.Join(filepath.Dir(results), path), filepath.Join(base, path)}
	}
	refusal := ErrOutside
	for _, candidate := range candidates {
		below, err := filepath.Rel(base, candidate)
		if err != nil || !filepath.IsLocal(below) || IsHidden(below) {
			continue
		}
		files, err := regular(root, below, a.Folder)
		if err == nil {
			return files, nil
		}
		refusal = err
	}
	return nil, refusal
}

// IsHidden reports whether a path has a part that begins with a dot: .git and .env have what nobody means to send.
func IsHidden(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "."
	})
}

// regular returns a path of a regular file, or the regular files of a folder. It follows no link within the folder.
func regular(root *os.Root, path string, folder bool) ([]string, error) {
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return []string{path}, nil
	case !folder || !info.IsDir(): // a device or a pipe would block
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	var files []string
	err = fs.WalkDir(root.FS(), filepath.ToSlash(path), func(below string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case len(files) == maxFolder:
			return fs.SkipAll
		case entry.Type().IsRegular() && !IsHidden(below):
			files = append(files, filepath.FromSlash(below))
		}
		return nil
	})
	return files, err
}

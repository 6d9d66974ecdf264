package results

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Find returns the files that fit any of some patterns, each once, in their order. A pattern is a path, in which *, ?
// and […] stand for parts of a name, and ** for any folders but .git and node_modules. A pattern that no file fits is
// an error: a job whose results are missing must not look like one without failures.
func Find(patterns []string) ([]string, error) {
	var all []string
	for _, pattern := range patterns {
		found, err := fitting(filepath.ToSlash(pattern))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", pattern, err)
		case len(found) == 0:
			return nil, fmt.Errorf("there is no file that fits %s", pattern)
		}
		for _, file := range found {
			if file = filepath.FromSlash(file); !slices.Contains(all, file) {
				all = append(all, file)
			}
		}
	}
	return all, nil
}

// fitting returns the files that fit a pattern.
func fitting(pattern string) ([]string, error) {
	if info, err := os.Stat(pattern); err == nil && info.Mode().IsRegular() { // its name may have a [
		return []string{pattern}, nil
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	parts := strings.Split(path.Clean(pattern), "/")
	fixed := 0
	for fixed < len(parts)-1 && !strings.ContainsAny(parts[fixed], `*?[\`) {
		fixed++
	}
	top := strings.Join(parts[:fixed], "/")
	if top == "" && strings.HasPrefix(pattern, "/") {
		top = "/"
	}
	tooDeep := func(folder string) bool {
		return !slices.Contains(parts, "**") && strings.Count(folder, "/")+2 > len(parts)-fixed
	}
	var found []string
	folder := os.DirFS(filepath.FromSlash(cmp.Or(top, ".")))
	err := fs.WalkDir(folder, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // it is missing, or of another user
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() && file != "." && tooDeep(file):
			return fs.SkipDir
		case entry.Type().IsRegular() && fits(parts[fixed:], strings.Split(file, "/")):
			found = append(found, path.Join(top, file))
		}
		return nil
	})
	return found, err
}

// fits reports whether a path fits a pattern, both as the names between slashes.
func fits(pattern, names []string) bool {
	switch {
	case len(pattern) == 0:
		return len(names) == 0
	case pattern[0] == "**" && len(pattern) == 1:
		return len(names) > 0
	case pattern[0] == "**":
		return fits(pattern[1:], names) || len(names) > 1 && fits(pattern, names[1:])
	case len(names) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], names[0])
	return ok && err == nil && fits(pattern[1:], names[1:])
}

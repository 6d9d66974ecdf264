// Package owners reads a CODEOWNERS file of GitHub or of GitLab and tells who owns a path.
//
//	file, err := owners.Load(".", owners.GitHub)
//	for _, o := range file.Owners("web/cart/total_test.go") { … }
//
// The last rule that fits a path wins, in GitLab the last one of each section. A line that is none does not hide the
// others: it is in Faults with its number, as on the pages of both.
package owners

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Dialect says whose rules a file follows. They differ in their patterns; GitLab has sections and exclusions.
type Dialect int

// The dialects.
const (
	GitHub Dialect = iota
	GitLab
)

// places are where a repository has the file, in the order in which it is looked for.
var places = map[Dialect][]string{
	GitHub: {".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"},
	GitLab: {"CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"},
}

// Limits of a file. GitHub reads one of the same size.
const (
	maxSize  = 3 << 20
	maxRules = 20_000
)

// Kind says what an owner is.
type Kind string

// The kinds.
const (
	Email Kind = "email"
	User  Kind = "user" // in GitLab also a group
	Team  Kind = "team" // of an organisation, or a group within another one
	Role  Kind = "role" // of a project of GitLab, such as maintainer
)

// Owner is an owner of a path.
type Owner struct {
	Kind Kind
	Name string // without @
}

// Fault says what is wrong with a line.
type Fault struct {
	Line   int // from 1
	Detail string
}

func (f Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Detail) }

// File is a CODEOWNERS file.
type File struct {
	Path   string // in the repository
	Faults []Fault

	sections []*section
}

// section is a part of a file in which the last rule that fits wins.
type section struct {
	name     string
	defaults []Owner // of rules that name no owner
	rules    []rule
}

type rule struct {
	paths    *regexp.Regexp
	owners   []Owner
	excludes bool
}

// Load reads the file of a repository, which is nil where there is none. It reads no file outside of the repository.
func Load(dir string, dialect Dialect) (*File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	for _, place := range places[dialect] {
		opened, err := root.Open(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		file, err := Parse(opened, dialect)
		if err := errors.Join(err, opened.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		file.Path = place
		return file, nil
	}
	return nil, nil
}

// Parse reads a file. It fails for one that cannot be read, has more than 3 MiB, which GitHub ignores, or has more than
// 20,000 rules.
func Parse(r io.Reader, dialect Dialect) (*File, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > maxSize:
		return nil, fmt.Errorf("it has more than %d MiB", maxSize>>20)
	}
	file := &File{sections: []*section{{}}}
	current, n, rules := file.sections[0], 0, 0
	for line := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		n++
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			continue
		}
		if rules++; rules > maxRules {
			return nil, fmt.Errorf("it has more than %d rules", maxRules)
		}
		var faults []string
		if heading := heading.FindStringSubmatch(text); heading != nil && dialect == GitLab {
			current = file.section(heading[1])
			var defaults []Owner
			if defaults, faults = parseOwners(heading[2], dialect); len(defaults) > 0 {
				current.defaults = defaults
			}
		} else {
			faults = current.add(text, dialect)
		}
		for _, fault := range faults {
			file.Faults = append(file.Faults, Fault{n, fault})
		}
	}
	return file, nil
}

// heading matches the first line of a section: its name, how many have to approve, and its owners.
var heading = regexp.MustCompile(`^\^?\[([^\]]+)\](?:\[\d+\])?(?:\s+(.*))?$`)

// section returns the section of a name, whose case does not matter. Those of one name are one section.
func (f *File) section(name string) *section {
	name = strings.TrimSpace(name)
	i := slices.IndexFunc(f.sections, func(s *section) bool { return strings.EqualFold(s.name, name) })
	if i < 0 {
		f.sections, i = append(f.sections, &section{name: name}), len(f.sections)
	}
	return f.sections[i]
}

// add adds the rule of a line, and returns what is wrong with it.
func (s *section) add(line string, dialect Dialect) []string {
	pattern, rest := cutPattern(line)
	r := rule{}
	if r.excludes = dialect == GitLab && strings.HasPrefix(pattern, "!"); r.excludes {
		pattern = pattern[1:]
	}
	var err error
	if r.paths, err = compile(pattern, dialect); err != nil {
		return []string{err.Error()}
	}
	named, faults := parseOwners(rest, dialect)
	if len(faults) > 0 && dialect == GitHub { // which skips such a line
		return faults
	}
	if r.owners = named; len(named) == 0 {
		r.owners = s.defaults
	}
	s.rules = append(s.rules, r)
	return faults
}

// cutPattern cuts a line behind its pattern, which ends at a blank without a backslash.
func cutPattern(line string) (pattern, rest string) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case ' ', '\t':
			return line[:i], line[i:]
		}
	}
	return line, ""
}

var (
	email = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s.]+$`)
	name  = regexp.MustCompile(`^@([\w.-]+)$`)
	team  = regexp.MustCompile(`^@([\w.-]+(?:/[\w.-]+)+)$`)
	role  = regexp.MustCompile(`^@@(developer|maintainer|owner)s?$`)
)

// parseOwners reads owners up to a comment. A word that is none is a fault.
func parseOwners(text string, dialect Dialect) (owners []Owner, faults []string) {
	for _, word := range strings.Fields(text) {
		if word[0] == '#' {
			break
		}
		if found := role.FindStringSubmatch(word); found != nil && dialect == GitLab {
			owners = append(owners, Owner{Role, found[1]})
		} else if found := team.FindStringSubmatch(word); found != nil {
			owners = append(owners, Owner{Team, found[1]})
		} else if found := name.FindStringSubmatch(word); found != nil {
			owners = append(owners, Owner{User, found[1]})
		} else if email.MatchString(word) {
			owners = append(owners, Owner{Email, word})
		} else {
			faults = append(faults,
				fmt.Sprintf("%q is no owner: an owner is @user, @organisation/team or an e-mail address", word))
		}
	}
	return owners, faults
}

// Owners returns the owners of a path of the repository, each once, in the order of the file.
func (f *File) Owners(file string) (owners []Owner) {
	file = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(file, `\`, "/")), "/")
	for _, s := range f.sections {
		for _, o := range s.owners(file) {
			if !slices.Contains(owners, o) {
				owners = append(owners, o)
			}
		}
	}
	return owners
}

// owners returns the owners by the last rule that fits; none for a path that any rule excludes.
func (s *section) owners(file string) (owners []Owner) {
	for _, r := range s.rules {
		switch {
		case !r.paths.MatchString(file):
		case r.excludes:
			return nil
		default:
			owners = r.owners
		}
	}
	return owners
}

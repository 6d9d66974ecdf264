package owners

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// notOfGitHub matches what is part of .gitignore, and of no pattern of GitHub.
var notOfGitHub = regexp.MustCompile(`^!|^\\#|[\[\]]`)

// compile returns the expression of the paths that a pattern fits.
//
// A pattern of GitHub is one of .gitignore: without a slash within it, it fits at any depth, and a directory fits with
// all that is below it. A pattern of GitLab fits at any depth unless it begins with a slash, and a directory only when
// the pattern ends with one. In both, * and ? stay within a directory, and ** does not.
func compile(pattern string, dialect Dialect) (*regexp.Regexp, error) {
	if dialect == GitHub && notOfGitHub.MatchString(pattern) {
		return nil, fmt.Errorf("%q is no pattern of GitHub, which has no !, no [ ] and no \\#", pattern)
	}
	if strings.Contains(pattern, "***") {
		return nil, fmt.Errorf("%q has three asterisks that follow each other", pattern)
	}
	inner := strings.Trim(pattern, "/")
	if inner == "" {
		return nil, errors.New("a pattern needs more than a slash")
	}
	anchored := strings.HasPrefix(pattern, "/") || dialect == GitHub && strings.Contains(inner, "/")
	var expression strings.Builder
	expression.WriteString(`^`)
	if !anchored {
		expression.WriteString(`(?:.+/)?`)
	}
	parts := strings.Split(inner, "/")
	for i, part := range parts {
		last := i == len(parts)-1
		switch {
		case part == "**" && last:
			expression.WriteString(`.+`)
		case part == "**":
			expression.WriteString(`(?:.+/)?`)
		case last:
			expression.WriteString(segment(part))
		default:
			expression.WriteString(segment(part) + `/`)
		}
	}
	switch isDirectory := strings.HasSuffix(pattern, "/"); {
	case isDirectory:
		expression.WriteString(`/.+`)
	case dialect == GitHub && (parts[len(parts)-1] != "*" || !anchored):
		expression.WriteString(`(?:/.+)?`)
	}
	return regexp.Compile(expression.String() + `$`)
}

// segment returns the expression of a name in a path.
func segment(pattern string) string {
	var expression strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case r == '\\' && !escaped:
			escaped = true
			continue
		case r == '*' && !escaped:
			expression.WriteString(`[^/]*`)
		case r == '?' && !escaped:
			expression.WriteString(`[^/]`)
		default:
			expression.WriteString(regexp.QuoteMeta(string(r)))
		}
		escaped = false
	}
	return expression.String()
}

// Package decide knows what is a secret: tokens by their formats, names by their meanings, and the value of a name by
// one table. It reads no syntax.
//
// Rules are data, in the files of the folder rules: each has an identifier, examples and counterexamples. A Set is
// the rules that apply: the built-in ones, without those that are switched off, and those of a workspace.
//
//   - Set.Token says whether a token of a known format begins at a place of a text.
//   - Set.Meaning says what a name says about its value.
//   - Set.Removes says whether the value of a name is removed, by the meaning, the shape of the value, and how certain it is that it
//     belongs to the name. Table is the whole decision, for people.
package decide

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed rules
var files embed.FS

// The kinds of secrets.
const (
	KindAuthorization = "authorization"
	KindCard          = "card"
	KindCookie        = "cookie"
	KindField         = "field"
	KindJWT           = "jwt"
	KindKey           = "private_key"
	KindLine          = "line"     // a whole line, which would otherwise change or grow without end
	KindPassword      = "password" // of a URL or a connection string
	KindRule          = "rule"     // of the workspace
	KindToken         = "token"    // of a known format
	KindBody          = "body"     // a body that cannot be unpacked
)

// Rule is a rule as it is written. Sort is name, token, host, flag or call.
type Rule struct {
	Sort, ID string
	Kind     string   // of its removals
	Examples []string // go
	Not      []string // stay
	lines    []ruleLine
}

type ruleLine struct {
	key   string
	words []string
}

// each calls fn with the words of each line of a key.
func (r *Rule) each(key string, fn func(words []string)) {
	for _, line := range r.lines {
		if line.key == key {
			fn(line.words)
		}
	}
}

// wordsOf returns the words of the lines of a key, joined by blanks, or an empty text without such a line.
func (r *Rule) wordsOf(key string) (text string) {
	r.each(key, func(words []string) { text += " " + strings.Join(words, " ") })
	return strings.TrimSpace(text)
}

// has reports whether there is a line of a key.
func (r *Rule) has(key string) bool {
	return slices.ContainsFunc(r.lines, func(l ruleLine) bool { return l.key == key })
}

// IsApart reports whether tokens of the rule are never within a word.
func (r *Rule) IsApart() bool {
	return strings.Contains(r.wordsOf("then"), "apart") || strings.Contains(r.wordsOf("then"), "within")
}

// ParseRules reads rules in the form of the files of the built-in ones. A rule without an example and a
// counterexample is refused.
func ParseRules(text string) (rules []*Rule, err error) {
	var r *Rule
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		key, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
			r = nil
		case line[0] == '#':
		case r == nil:
			id, prefixes, _ := strings.Cut(rest, " ")
			if kinds[key] == "" || id == "" {
				return nil, fmt.Errorf("%q begins no rule", line)
			}
			r = &Rule{Sort: key, ID: id, Kind: kinds[key], lines: []ruleLine{{"prefix", strings.Fields(prefixes)}}}
			rules = append(rules, r)
		default:
			r.read(key, rest)
		}
	}
	for _, r := range rules {
		if len(r.Examples) == 0 || len(r.Not) == 0 {
			return nil, fmt.Errorf("%s %s has no example or no counterexample", r.Sort, r.ID)
		}
	}
	return rules, nil
}

// kinds are the sorts of rules, and the kinds of their removals unless a rule has another.
var kinds = map[string]string{"name": KindField, "token": KindToken, "host": KindToken, "flag": KindPassword,
	"call": KindPassword}

// read reads a line of a rule.
func (r *Rule) read(key, rest string) {
	switch key {
	case "kind":
		r.Kind = rest
	case "example":
		r.Examples = append(r.Examples, rest)
	case "not":
		r.Not = append(r.Not, rest)
	default:
		r.lines = append(r.lines, ruleLine{key, strings.Fields(rest)})
	}
}

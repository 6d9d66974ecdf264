// Package redact takes secrets out of evidence before it is stored: credentials by the name
// of what they stand under, tokens by their format, payment cards by their check digit.
//
// What goes is replaced by a marker, [redacted:KIND], or by REDACTED where brackets would
// have to be escaped: in URLs and in forms. What holds no secret comes back byte for byte,
// and what was redacted once is not changed, nor counted, again. Work is linear in the size
// of the input, whatever it is.
//
// It is a net, not a proof: a secret that stands under no telling name and has no known
// format is not seen.
package redact

import (
	"errors"
	"fmt"
	"strings"
)

// Ruleset is the version of the built-in rules. It changes whenever they do.
const Ruleset = "3"

// Bounds of a workspace's own rules.
const (
	MaxRules  = 50   // of each sort
	MaxLength = 200  // of one rule, in bytes
	MaxSteps  = 1000 // that the patterns compile to, together
)

// Rules are a workspace's own, beside the built-in ones.
type Rules struct {
	// Fields are names of members, headers, parameters and variables whose values go. Case,
	// '-', '_' and other punctuation are ignored. A '*' at either end stands for anything.
	Fields []string
	// Patterns are RE2 expressions whose matches go: the group named "secret" if there is
	// one, else all that matches. They are tried on one line at a time.
	Patterns []string
	// Masks are what stands in place of a match of the pattern at the same place of its list,
	// instead of the usual mark. A pattern must not match its own.
	Masks []string
	// Allow are names that the built-in rules take and that are kept, written like Fields.
	// What stands under them is still searched for known formats.
	Allow []string
}

// Redactor removes what the built-in rules and a workspace's own name. It may be used by
// any number of goroutines at once.
type Redactor struct {
	fields, allow []glob
	patterns      []pattern
	steps         int64
	work          *work // of one request; nil when it is not counted
	traced        bool  // whether markers name rules of the workspace, also in URLs: for Explain
}

// Steps is how many steps the patterns compile to. The time that they take grows with them:
// whoever takes rules from others refuses more than MaxSteps.
func (r *Redactor) Steps() int64 { return r.steps }

// RuleError names the rule that is wrong: of Rules' Fields, Patterns or Allow, in lower case, the
// one at Index, or the list itself when that is -1.
type RuleError struct {
	Sort   string
	Index  int
	Detail string
}

func (e *RuleError) Error() string {
	if e.Index < 0 {
		return e.Sort + ": " + e.Detail
	}
	return fmt.Sprintf("%s[%d]: %s", e.Sort, e.Index, e.Detail)
}

// RuleErrors are the wrong rules, in order.
type RuleErrors []*RuleError

func (all RuleErrors) Error() string {
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// New returns a redactor, or RuleErrors: too many rules, too long, not RE2, or matching everything.
func New(rules Rules) (*Redactor, error) {
	var r Redactor
	var wrong RuleErrors
	check := func(sort string, all []string, compile func(i int, text string) error) {
		if len(all) > MaxRules {
			wrong = append(wrong, &RuleError{sort, -1, fmt.Sprintf("%d rules, more than %d", len(all), MaxRules)})
			return
		}
		for i, text := range all {
			err := bounded(text)
			if err == nil {
				err = compile(i, text)
			}
			if err != nil {
				wrong = append(wrong, &RuleError{sort, i, err.Error()})
			}
		}
	}
	check("fields", rules.Fields, func(_ int, text string) error { return appendGlob(&r.fields, text) })
	check("allow", rules.Allow, func(_ int, text string) error { return appendGlob(&r.allow, text) })
	check("patterns", rules.Patterns, func(i int, text string) error {
		mask := ""
		if i < len(rules.Masks) && rules.Masks[i] != marker(kindRule) {
			mask = rules.Masks[i]
		}
		return r.appendPattern(i, text, mask)
	})
	if len(wrong) > 0 {
		return nil, wrong
	}
	return &r, nil
}

// appendPattern adds the pattern of an index with its mask; an empty one is the marker of rules.
func (r *Redactor) appendPattern(i int, text, mask string) error {
	p, err := newPattern(i, text)
	if err != nil {
		return err
	}
	if p.re.MatchString("") {
		return fmt.Errorf("%q matches the empty string", text)
	}
	r.steps += p.steps
	if p.mask = mask; mask != "" && (len(mask) > MaxLength || p.re.MatchString(mask)) {
		return fmt.Errorf("%q matches its own mask, or that is longer than %d bytes", text, MaxLength)
	}
	r.patterns = append(r.patterns, p)
	return nil
}

func bounded(rule string) error {
	switch {
	case rule == "":
		return errors.New("empty")
	case len(rule) > MaxLength:
		return fmt.Errorf("%d bytes, more than %d", len(rule), MaxLength)
	}
	return nil
}

// Counts is how many secrets of each kind were removed.
type Counts map[string]int

// Add adds the counts of another.
func (c Counts) Add(other Counts) {
	for kind, n := range other {
		c[kind] += n
	}
}

func (c Counts) count(kind string) {
	if c != nil {
		c[kind]++
	}
}

// The kinds of secrets.
const (
	kindAuthorization = "authorization"
	kindCard          = "card"
	kindCookie        = "cookie"
	kindField         = "field"
	kindJWT           = "jwt"
	kindKey           = "private_key"
	kindLine          = "line"     // in which patterns of a workspace find what they made themselves
	kindPassword      = "password" // of a URL or a connection string
	kindRule          = "rule"     // a workspace's own
	kindToken         = "token"    // of a known format
)

const (
	opening = "[redacted:"
	inURL   = "REDACTED"
	maxKind = 20
)

func marker(kind string) string { return opening + kind + "]" }

// markerEnd returns where the marker that begins at i ends, or i if none does.
func markerEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], opening) {
		return i
	}
	for j := i + len(opening); j < len(s) && j <= i+len(opening)+maxKind; j++ {
		switch c := s[j]; {
		case c == ']':
			return j + 1
		case c != '_' && (c < 'a' || c > 'z'):
			return i
		}
	}
	return i
}

// endsWithMarker says whether a marker ends a text.
func endsWithMarker(s string) bool {
	s = s[max(0, len(s)-len(opening)-maxKind-1):]
	at := strings.LastIndex(s, opening)
	return at >= 0 && markerEnd(s, at) == len(s)
}

func marked(s string) bool {
	return s == inURL || s != "" && markerEnd(s, 0) == len(s)
}

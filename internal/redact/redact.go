// Package redact removes secrets from evidence before anything is stored: credentials in
// headers, cookies, URLs, JSON and form bodies, tokens of known formats, private keys and card
// numbers. What goes is replaced by a mark that says its kind, [redacted:KIND]. Redacting twice
// changes nothing more. It is pure, never fails, and takes time in proportion to its input.
package redact

import (
	"fmt"
	"regexp"
	"strings"
)

// Ruleset is the version of the built-in rules.
const Ruleset = "1"

// Limits of a workspace's own rules.
const (
	maxRules  = 50
	maxLength = 200
)

// Rules are a workspace's own, beside the built-in ones.
type Rules struct {
	Fields   []string  // names of members, headers and parameters whose values go; * stands at an end
	Patterns []Pattern // whose matches go
	Allow    []string  // names that the built-in rules take and that stay
}

// Pattern is an RE2 expression. With a group named secret only that goes. Mask is what stands
// there instead, the usual mark when empty.
type Pattern struct{ Expression, Mask string }

// Counts says how much of each kind was removed.
type Counts map[string]int64

// Add adds other to c.
func (c Counts) Add(other Counts) {
	for kind, n := range other {
		c[kind] += n
	}
}

// Redactor removes secrets by the built-in rules and those of a workspace. It is safe for
// concurrent use.
type Redactor struct {
	fields, allow []name
	own           []own
}

type own struct {
	re    *regexp.Regexp
	group int
	mask  string
}

// New returns a Redactor, or says which rule is wrong.
func New(r Rules) (*Redactor, error) {
	if len(r.Fields) > maxRules || len(r.Patterns) > maxRules || len(r.Allow) > maxRules {
		return nil, fmt.Errorf("at most %d rules of a kind", maxRules)
	}
	d := &Redactor{}
	var err error
	if d.fields, err = names("fields", r.Fields); err != nil {
		return nil, err
	}
	if d.allow, err = names("allow", r.Allow); err != nil {
		return nil, err
	}
	for i, p := range r.Patterns {
		if len(p.Expression) > maxLength || len(p.Mask) > maxLength {
			return nil, fmt.Errorf("patterns/%d: at most %d characters", i, maxLength)
		}
		re, err := regexp.Compile(p.Expression)
		if err != nil {
			return nil, fmt.Errorf("patterns/%d: %w", i, err)
		}
		if re.MatchString("") {
			return nil, fmt.Errorf("patterns/%d: it matches the empty text, and so everywhere", i)
		}
		mask := p.Mask
		if mask == "" {
			mask = mark("rule")
		}
		if re.MatchString(mask) && re.ReplaceAllString(mask, mask) != mask {
			return nil, fmt.Errorf("patterns/%d: it matches its own mask", i)
		}
		d.own = append(d.own, own{re, max(re.SubexpIndex("secret"), 0), mask})
	}
	return d, nil
}

func mark(kind string) string { return "[redacted:" + kind + "]" }

// marked says whether a value is gone already.
func marked(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, `\"' `), "[redacted:") }

// Text removes secrets from free text: Markdown, log lines, messages, stacks, commands.
func (d *Redactor) Text(s string, c Counts) string {
	if len(s) < 5 {
		return s
	}
	mask, digits := scan(s)
	for i := range formats {
		if f := &formats[i]; mask&(1<<i) != 0 && has(s, f.hints, f.fold) && strings.Contains(s, f.also) {
			s = f.remove(s, c)
		}
	}
	if mask&(1<<namesBit) != 0 || len(d.fields) > 0 {
		s = d.assignments(s, c)
	}
	if digits {
		s = cards(s, c)
	}
	for _, o := range d.own {
		s = o.remove(s, c)
	}
	return s
}

func (o own) remove(s string, c Counts) string {
	if o.group == 0 {
		return o.re.ReplaceAllStringFunc(s, func(m string) string {
			if m == o.mask {
				return m
			}
			c["rule"]++
			return o.mask
		})
	}
	var b strings.Builder
	last := 0
	for _, at := range o.re.FindAllStringSubmatchIndex(s, -1) {
		from, to := at[2*o.group], at[2*o.group+1]
		if from < last || from < 0 || s[from:to] == o.mask {
			continue
		}
		c["rule"]++
		b.WriteString(s[last:from])
		b.WriteString(o.mask)
		last = to
	}
	b.WriteString(s[last:])
	return b.String()
}

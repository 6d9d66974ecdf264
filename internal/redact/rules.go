package redact

import (
	"errors"
	"fmt"
	"strings"

	"bugslice/internal/redact/decide"
)

// Ruleset is the version of the built-in rules. It changes whenever they do.
const Ruleset = "5"

// Bounds of a workspace's own rules.
const (
	MaxRules  = 50               // of each sort
	MaxLength = decide.MaxLength // of one rule, in bytes
	MaxSteps  = 1000             // that the patterns compile to, together
)

// Rules are the rules of a workspace, beside the built-in ones.
type Rules struct {
	// Fields are names of members, headers, parameters and variables whose values are removed. Case, '-', '_' and
	// other punctuation are ignored. A '*' at either end matches any text.
	Fields []string
	// Patterns are RE2 expressions whose matches are removed: the group named "secret" if there is one, else the
	// whole match. A match is within a line.
	Patterns []string
	// Masks replace the matches of the patterns with the same indexes; an empty one is the usual marker. A pattern
	// must not match its own mask.
	Masks []string
	// Allow are names, written like Fields, whose values the built-in rules would remove and do not. Tokens of known
	// formats are still removed from them.
	Allow []string
	// Off are the identifiers of built-in rules that do not apply.
	Off []string
	// Added are rules in the form of the built-in ones.
	Added string
}

// RuleError is a fault of a rule: Sort is fields, patterns, allow, off or added, and Index is the rule, or wholeList.
type RuleError struct {
	Sort   string
	Index  int
	Detail string
}

func (e *RuleError) Error() string {
	if e.Index == wholeList {
		return e.Sort + ": " + e.Detail
	}
	return fmt.Sprintf("%s[%d]: %s", e.Sort, e.Index, e.Detail)
}

// RuleErrors are the faults of rules, in order.
type RuleErrors []*RuleError

func (all RuleErrors) Error() string {
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// wholeList is the index of a fault that no single rule has.
const wholeList = -1

// check calls compile with each rule of a list, and records the faults under the sort of the rules.
func (all *RuleErrors) check(sort string, rules []string, compile func(i int, text string) error) {
	if len(rules) > MaxRules {
		*all = append(*all, &RuleError{Sort: sort, Index: wholeList,
			Detail: fmt.Sprintf("%d rules, more than %d", len(rules), MaxRules)})
		return
	}
	for i, text := range rules {
		err := checkRuleLength(text)
		if err == nil {
			err = compile(i, text)
		}
		if err != nil {
			*all = append(*all, &RuleError{Sort: sort, Index: i, Detail: err.Error()})
		}
	}
}

func checkRuleLength(rule string) error {
	switch {
	case rule == "":
		return errors.New("empty")
	case len(rule) > MaxLength:
		return fmt.Errorf("%d bytes, more than %d", len(rule), MaxLength)
	}
	return nil
}

// New returns a redactor, or RuleErrors: too many rules, or a rule that is too long, not RE2, or matches everything,
// or that does not exist.
func New(rules Rules) (*Redactor, error) {
	var wrong RuleErrors
	wrong.check("off", rules.Off, func(_ int, id string) error { return decide.Exists(id) })
	added, err := decide.ParseRules(rules.Added)
	if err != nil {
		wrong = append(wrong, &RuleError{Sort: "added", Index: wholeList, Detail: err.Error()})
	}
	set, err := decide.NewSet(rules.Off, added)
	if err == nil {
		err = set.CheckAdded(added)
	}
	if err != nil {
		wrong = append(wrong, &RuleError{Sort: "added", Index: wholeList, Detail: err.Error()})
		return nil, wrong
	}
	r := Redactor{set: set, forms: &forms{(*Redactor).redactString, (*Redactor).redactBody}, mark: mark}
	wrong.check("fields", rules.Fields, func(_ int, text string) error { return appendGlob(&set.Fields, text) })
	wrong.check("allow", rules.Allow, func(_ int, text string) error { return appendGlob(&set.Allow, text) })
	wrong.check("patterns", rules.Patterns, func(i int, text string) error {
		mask := ""
		if i < len(rules.Masks) && rules.Masks[i] != r.mark(ownRule("pattern", text), false) {
			mask = rules.Masks[i]
		}
		return r.appendPattern(i, text, mask)
	})
	if len(wrong) > 0 {
		return nil, wrong
	}
	return &r, nil
}

// ownRule returns a rule of the workspace.
func ownRule(sort, text string) *decide.Rule {
	return &decide.Rule{Sort: sort, ID: text, Kind: decide.KindRule}
}

func appendGlob(all *[]decide.Glob, name string) error {
	g, err := decide.NewGlob(name, ownRule("field", name))
	if err == nil {
		*all = append(*all, g)
	}
	return err
}

// appendPattern adds the pattern of an index with its mask. An empty mask is the usual marker.
func (r *Redactor) appendPattern(i int, text, mask string) error {
	p, err := newPattern(i, ownRule("pattern", text))
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

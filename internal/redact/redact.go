package redact

import (
	"errors"
	"fmt"
	"strings"
)

// Ruleset is the version of the built-in rules. It changes whenever they do.
const Ruleset = "4"

// Bounds of a workspace's own rules.
const (
	MaxRules  = 50   // of each sort
	MaxLength = 200  // of one rule, in bytes
	MaxSteps  = 1000 // that the patterns compile to, together
)

// Rules are the rules of a workspace, beside the built-in ones.
type Rules struct {
	// Fields are names of members, headers, parameters and variables whose values are removed. Case, '-', '_' and other punctuation are
	// ignored. A '*' at either end matches any text.
	Fields []string
	// Patterns are RE2 expressions whose matches are removed: the group named "secret" if there is one, else the whole match. A match is
	// within a line.
	Patterns []string
	// Masks replace the matches of the patterns with the same indexes; an empty one is the usual marker. A pattern must not match its own
	// mask.
	Masks []string
	// Allow are names, written like Fields, whose values the built-in rules would remove and do not. Tokens of known formats are still
	// removed from them.
	Allow []string
}

// Redactor removes secrets by the built-in rules and those of a workspace. It is safe for concurrent use.
type Redactor struct {
	rules         Rules
	fields, allow []glob
	patterns      []pattern
	steps         int64
	work          *work      // of one request; nil when it is not counted
	key           *streamKey // of a stream of texts; nil for texts by themselves
	unpacked      *int64     // bytes that packed bodies may still unpack to; of one archive
	traced        bool       // whether markers name rules of the workspace, also in URLs: for Explain
}

// Steps returns the steps that the patterns compile to. Their time grows with the steps: a caller that accepts rules of others refuses
// more than MaxSteps.
func (r *Redactor) Steps() int64 { return r.steps }

// RuleError is a fault of a rule: Sort is fields, patterns or allow, and Index is the rule, or -1 for the whole list.
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

// RuleErrors are the faults of rules, in order.
type RuleErrors []*RuleError

func (all RuleErrors) Error() string {
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// New returns a redactor, or RuleErrors: too many rules, or a rule that is too long, not RE2, or matches everything.
func New(rules Rules) (*Redactor, error) {
	r := Redactor{rules: rules}
	var wrong RuleErrors
	check := func(sort string, all []string, compile func(i int, text string) error) {
		if len(all) > MaxRules {
			wrong = append(wrong, &RuleError{sort, -1, fmt.Sprintf("%d rules, more than %d", len(all), MaxRules)})
			return
		}
		for i, text := range all {
			err := checkRuleLength(text)
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

// appendPattern adds the pattern of an index with its mask. An empty mask is the usual marker.
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

func checkRuleLength(rule string) error {
	switch {
	case rule == "":
		return errors.New("empty")
	case len(rule) > MaxLength:
		return fmt.Errorf("%d bytes, more than %d", len(rule), MaxLength)
	}
	return nil
}

// ownKind returns the kind of removals by a rule of the workspace. For Explain the kind names the rule.
func (r *Redactor) ownKind(prefix string, index int) string {
	if !r.traced {
		return kindRule
	}
	return prefix + string([]byte{'a' + byte(index/26), 'a' + byte(index%26)})
}

// The beginnings of the kinds that name a rule of a workspace, before its position.
const (
	ownField   = kindRule + "_f_"
	ownPattern = kindRule + "_p_"
)

// isOwn reports whether a kind is that of a rule of the workspace.
func isOwn(kind string) bool { return strings.HasPrefix(kind, kindRule) }

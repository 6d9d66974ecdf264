package decide

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"bugslice/internal/redact/lex"
)

// Builtin returns the built-in rules.
var Builtin = sync.OnceValue(func() (all []*Rule) {
	for _, name := range []string{"names", "tokens", "places"} {
		raw, err := files.ReadFile("rules/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		rules, err := ParseRules(string(raw))
		if err != nil {
			panic(name + ": " + err.Error())
		}
		all = append(all, rules...)
	}
	return all
})

// Set is the rules that apply. It is not changed once it is made.
type Set struct {
	names  *names
	tokens *tokens
	Places
	Fields, Allow []Glob // names whose values the workspace removes, and names that it allows
}

var builtin = sync.OnceValue(func() *Set {
	set, err := compile(Builtin())
	if err != nil {
		panic(err)
	}
	return set
})

// NewSet returns the built-in rules without those that are off, and with added ones.
func NewSet(off []string, added []*Rule) (*Set, error) {
	if len(off)+len(added) == 0 {
		set := *builtin()
		return &set, nil
	}
	rules := slices.DeleteFunc(slices.Clone(Builtin()), func(r *Rule) bool { return slices.Contains(off, r.ID) })
	return compile(append(rules, added...))
}

// CheckAdded returns an error for the first added rule that has the identifier of another rule, or whose examples and
// counterexamples are none. Those of places are whole texts, and are not looked at.
func (s *Set) CheckAdded(added []*Rule) error {
	for i, r := range added {
		if Exists(r.ID) == nil || slices.ContainsFunc(added[:i], func(o *Rule) bool { return o.ID == r.ID }) {
			return fmt.Errorf("%s %s: another rule has this identifier", r.Sort, r.ID)
		}
		for _, text := range r.Examples {
			if found, looked := s.finds(r, text); looked && !found {
				return fmt.Errorf("%s %s: it does not find its example %q", r.Sort, r.ID, text)
			}
		}
		for _, text := range r.Not {
			if found, _ := s.finds(r, text); found {
				return fmt.Errorf("%s %s: it finds its counterexample %q", r.Sort, r.ID, text)
			}
		}
	}
	return nil
}

// finds reports whether a rule finds a token or a name, and whether it looks for such.
func (s *Set) finds(r *Rule, text string) (found, looked bool) {
	switch r.Sort {
	case "token":
		end, m := s.Token(text, 0)
		return end == len(text) && m.Rule == r, true
	case "name":
		return s.Meaning(text).Rule == r, true
	}
	return false, false
}

// Exists returns an error unless a built-in rule has the identifier.
func Exists(id string) error {
	if slices.ContainsFunc(Builtin(), func(r *Rule) bool { return r.ID == id }) {
		return nil
	}
	return fmt.Errorf("no built-in rule is %q", id)
}

func compile(rules []*Rule) (*Set, error) {
	set := &Set{names: &names{}, tokens: &tokens{}}
	var err error
	if set.Places, err = newPlaces(rules); err != nil {
		return nil, err
	}
	if err := set.names.add(rules); err != nil {
		return nil, err
	}
	return set, set.tokens.add(rules)
}

// Meaning returns the meaning of a name: by the rules of the workspace first, then by the built-in rules, of which
// the longest match counts. A number at the end of the name is ignored, and so is a word that tells several secrets
// apart.
func (s *Set) Meaning(name string) Meaning {
	if !s.MayEndName(name) || len(name) > len(lex.MarkerPrefix) &&
		(strings.Contains(name, lex.MarkerPrefix) || isModule(name)) {
		return Meaning{}
	}
	if strings.IndexByte(name, '%') >= 0 {
		name = Unescape(name)
	}
	var f folded
	f.fold(name)
	for _, g := range s.Fields {
		if g.match(f.text[:f.n]) {
			return Meaning{Class: Always, Rule: g.rule}
		}
	}
	best := s.names.builtin(&f)
	if best.Class == NotSecret {
		return Meaning{}
	}
	for _, g := range s.Allow {
		if g.match(f.text[:f.n]) {
			return Meaning{}
		}
	}
	return best.Meaning
}

// isModule reports whether a name is the path of a package of Node.js.
func isModule(name string) bool { return strings.HasPrefix(name, "node_modules/") }

// IsAllowed reports whether the workspace allows the values of a name.
func (s *Set) IsAllowed(name string) bool {
	if len(s.Allow) == 0 {
		return false
	}
	var f folded
	f.fold(name)
	for _, g := range s.Allow {
		if g.match(f.text[:f.n]) {
			return true
		}
	}
	return false
}

// IsWholeName reports whether a rule matches all of a name.
func (s *Set) IsWholeName(name string) bool {
	var f folded
	f.fold(name)
	return f.n > 1 && len(s.names.ending(&f, f.n).text) == f.n
}

// MayEndName reports whether a rule about names ends with the last letters of a text, so that Meaning is worth asking.
func (s *Set) MayEndName(text string) bool {
	n := len(text)
	if n < 3 || len(s.Fields) > 0 {
		return n > 1
	}
	a, b, c := text[n-3]|0x20-'a', text[n-2]|0x20-'a', text[n-1]|0x20-'a'
	return a > 25 || b > 25 || c > 25 || s.names.ends[int(a)*676+int(b)*26+int(c)]
}

// Token returns the end of the card number or token of a known format that begins at i, and what it is; the end is i
// when there is none.
func (s *Set) Token(text string, i int) (end int, m Meaning) {
	if lex.IsDigit(text[i]) {
		if end = cardEnd(text, i); end > i {
			return end, Card
		}
		if end = telegramEnd(text, i); end > i {
			return end, ChatBot
		}
	}
	if !s.tokens.mayBegin(text, i) {
		return i, m
	}
	return s.tokens.prefixed(text, i, false)
}

// TokenWithin returns the first token of a known format in the word text[i:j] after a dash, an underscore or an
// escape, as in the name of a file.
func (s *Set) TokenWithin(text string, i, j int) (at, end int, m Meaning) {
	if i > 1 && text[i-1] == '%' && j > i+2 {
		if end, m := s.Token(text, i+2); end > i+2 {
			return i + 2, end, m
		}
	}
	if j-i < 15 && (j == len(text) || text[j] != '.') {
		return i, i, m
	}
	for k := i; k+1 < j; k++ {
		if !lex.In(text[k], lex.Under) || !s.tokens.mayBegin(text, k+1) {
			continue
		}
		if end, m := s.tokens.prefixed(text, k+1, true); end > k+1 && lex.HasDigit(text[k+1:end]) {
			return k + 1, end, m
		}
	}
	return i, i, m
}

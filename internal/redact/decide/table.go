package decide

import (
	_ "embed"
	"fmt"
	"strings"

	"bugslice/internal/redact/lex"
)

// Table is the least certainty with which the value of a name is removed, by the shape of the value and the class of
// the name, as text.
//
//go:embed table.txt
var Table string

// Markdown returns Table as a table of Markdown.
func Markdown() string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(Table), "\n")[1:] {
		cells := strings.Fields(line)
		if i == 0 {
			cells = append([]string{"value"}, cells...)
		}
		for k, cell := range cells {
			if cell == "never" {
				cells[k] = "–"
			}
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(cells)) + "|\n")
		}
	}
	return b.String()
}

// leastContext is Table.
var leastContext = func() (t [classes][shapes]Context) {
	lines := strings.Split(strings.TrimSpace(Table), "\n")[2:]
	if len(lines) != int(shapes) {
		panic(fmt.Sprintf("the table has %d shapes, not %d", len(lines), shapes))
	}
	for shape, line := range lines {
		if name := strings.Fields(line)[0]; name != shapeNames[shape] {
			panic("the table has " + name + " in place of " + shapeNames[shape])
		}
		for i, word := range strings.Fields(line)[1:] {
			if t[i+1][shape] = contextNames[word]; t[i+1][shape] == 0 {
				panic("the table has " + word)
			}
		}
	}
	return t
}()

// Removes reports whether a value is removed.
func (s *Set) Removes(v Value) bool {
	_, removes := s.Decide(v)
	return removes
}

// Decide returns the shape of a value, and whether it is removed.
func (s *Set) Decide(v Value) (Shape, bool) {
	if v.Class == NotSecret || v.Text == "" || lex.IsMarker(v.Text) {
		return Placeholder, false
	}
	shape := s.shape(v)
	if v.Rule != nil && v.Rule.Kind == KindRule {
		return shape, shape > Code
	}
	if v.Class == InURL && len(v.Text) < 8 {
		return shape, false
	}
	return shape, v.Context >= leastContext[v.Class][shape]
}

// shape returns the shape of the text of a value, or the shape that the meaning of the value and the text after it
// show: an authentication scheme is a placeholder, an expression or a selector is code, and the name of a secret is a
// label. A parameter of a URL with a capital and a digit is at least mixed.
func (s *Set) shape(v Value) Shape {
	shape := ShapeOf(v.Text)
	isWords := shape == Word || shape == Title || shape == Words || shape == Sentence || shape == LongWord
	switch {
	case shape == Placeholder: // neither code nor a label
	case v.Class == Often && IsScheme(v.Text):
		return Placeholder
	case v.Near != "" && shape < UUID && (isCode(v) || s.isVariable(v)), isSelector(v.Text) && s.isLabel(v.Text):
		return Code
	case isWords && s.isLabel(v.Text):
		return Label
	}
	if v.Class == InURL && shape < Mixed && lex.HasCapitalAndDigit(v.Text) {
		return Mixed
	}
	return shape
}

// isVariable reports whether a value without quotes is a variable: an identifier without digits in an expression, of
// several words, or one that is itself the name of a secret.
func (s *Set) isVariable(v Value) bool {
	name := v.Text[lex.Run(v.Text, 0, lex.Dot):]
	if dollar := strings.LastIndexByte(name, '$'); dollar > 0 && isOneOf(name[dollar+1:], "0123456789") {
		name = name[:dollar]
	}
	if lex.Run(name, 0, lex.Word|lex.Dot) != len(name) || lex.HasDigit(name) || len(name) > 60 ||
		strings.IndexByte(name, '-') >= 0 {
		return false
	}
	rest := v.Near[min(len(v.Text), len(v.Near)):]
	switch {
	case strings.ToUpper(name) == name && strings.IndexByte(name, '_') < 0:
		return false
	case name == "" || v.Capitals || v.Tight && (rest == "" || strings.IndexByte(",;)", rest[0]) < 0):
		return false
	case hasOperator(rest) && !v.Tight, strings.HasPrefix(rest, "<"), strings.HasPrefix(rest, "[]"):
		return true
	case rest != "" && strings.IndexByte(",;)}", rest[0]) < 0:
		return false
	}
	return census(name).rises > 0 || !v.Tight && len(name) > 8 && s.Meaning(name).IsSecret()
}

// hasOperator reports whether a text begins with an operator of an expression.
func hasOperator(s string) bool {
	return len(s) > 2 && s[0] == ' ' && strings.IndexByte("|&?+=:", s[1]) >= 0 &&
		(s[2] == ' ' || s[2] == s[1] || s[2] == '=')
}

// isSelector reports whether a text may be a selector of CSS.
func isSelector(s string) bool {
	return len(s) > 2 && (s[0] == '#' || s[0] == '.') && lex.In(s[1], lex.Alnum) && !lex.HasDigit(s)
}

// isLabel reports whether a text is itself the name of a secret, as in translations: few plain words, or a text that
// begins with a name whose first letter is a capital.
func (s *Set) isLabel(text string) bool {
	if len(text) > 60 {
		return false
	}
	first, rest, _ := strings.Cut(text, " ")
	if rest != "" && text[0] >= 'A' && text[0] <= 'Z' && IsPlainWord(first) && s.isName(first) {
		return true
	}
	n := 0
	for w := range strings.FieldsSeq(text) {
		w = strings.Trim(w, "#.,:!?*()")
		if n++; n > 5 || !IsPlainWord(w) || strings.ContainsAny(w, "-/") && text[0] != '#' && text[0] != '.' {
			return false
		}
	}
	return s.isName(text)
}

// isName reports whether a text is the name of a secret by the built-in rules.
func (s *Set) isName(text string) bool {
	m := s.Meaning(text)
	return m.IsSecret() && m.Class != IfKey && m.Rule.Kind != KindRule
}

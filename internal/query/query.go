// Package query is the language of searches: free words, and terms of a word and its values such as
// status:open,in_progress. It parses a text, formats it again, and translates it into the filters of the API. It
// reads no records: a Directory finds the ids of names. The search box, saved views, the parameter q of lists, the
// command line and agents share it; docs/guide/search.md is its guide.
package query

import (
	"slices"
	"strings"
	"unicode"
)

// Query is a parsed text.
type Query struct{ Terms []Term }

// Term is a word with its values, or one free word, or several of which one is enough: (timeout OR crash).
type Term struct {
	Word    string // empty for free words
	Values  []Value
	Negated bool // whether it leaves reports out: -status:closed
	At      Span
}

// Value is a value of a term. A quoted value is a name also where the bare text has a meaning: label:none selects the
// reports without labels, and label:"none" those with the label none. A bare browser or system means every one that
// begins so, and the last free word every word that begins so.
type Value struct {
	Text   string
	Quoted bool // whether it has quotes that change its meaning, or that its text needs
	At     Span
}

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// Bare returns a value with the meaning of its bare text.
func Bare(text string) Value { return Value{Text: text} }

// Name returns a value that is a name, whatever its text.
func Name(word, text string) Value { return quoted(word, text, Span{}) }

func quoted(word, text string, at Span) Value {
	return Value{text, isKeyword(text) && word != "" || word == Reporter && text == visitor || begins(word) || needsQuotes(word, text), at}
}

// alternative stands between free words of which one is enough.
const alternative = "OR"

// begins reports whether a bare value of a word means all values that begin with it.
func begins(word string) bool { return word == Browser || word == OS }

func isBare(v Value, text string) bool { return v.Text == text && !v.Quoted }

// isKeyword reports whether a bare value has a meaning of its own.
func isKeyword(text string) bool { return text == "me" || text == "none" }

// needsQuotes reports whether a text has another meaning without quotes, as a value of a word or as a free word.
func needsQuotes(word, text string) bool {
	return text == "" || word == "" && (isNegated(text) || text == alternative || strings.HasPrefix(text, "(")) ||
		strings.ContainsFunc(text, func(r rune) bool { return ends(word, r) })
}

// ends reports whether a character ends a bare value of a word, or a free word.
func ends(word string, r rune) bool {
	return r == '"' || unicode.IsSpace(r) || word != "" && r == ',' || word == "" && r == ':'
}

// isNegated reports whether a term begins with a minus that leaves reports out. One before another minus, or before
// signs alone, is a part of a text: --verbose and -> are searched for.
func isNegated(text string) bool {
	rest, found := strings.CutPrefix(text, "-")
	return found && !strings.HasPrefix(rest, "-") && strings.ContainsFunc(rest, isLetterOrDigit)
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Get returns the term of a word that is not negated; ok is false when there is none.
func (q Query) Get(word string) (t Term, ok bool) {
	if i := q.index(word); i >= 0 {
		return q.Terms[i], true
	}
	return Term{}, false
}

func (q Query) index(word string) int {
	return slices.IndexFunc(q.Terms, func(t Term) bool { return t.Word == word && !t.Negated })
}

// With returns the query with a term in place of the one of the same word that is not negated, or at the end.
func (q Query) With(word string, values ...Value) Query {
	t, terms := Term{Word: word, Values: values}, slices.Clone(q.Terms)
	if i := q.index(word); i >= 0 {
		terms[i] = t
		return Query{terms}
	}
	return Query{append(terms, t)}
}

// Without returns the query without one of its terms, by its index.
func (q Query) Without(index int) Query {
	return Query{slices.Delete(slices.Clone(q.Terms), index, index+1)}
}

// String formats a query. Parse returns the same terms for it, at other positions.
func (q Query) String() string {
	texts := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		texts[i] = t.String()
	}
	return strings.Join(texts, " ")
}

// String formats a term.
func (t Term) String() string {
	texts, minus := make([]string, len(t.Values)), ""
	if t.Negated {
		minus = "-"
	}
	for i, v := range t.Values {
		texts[i] = v.Text
		inBrackets := t.Word == "" && len(t.Values) > 1 && strings.Contains(v.Text, ")")
		if v.Quoted || needsQuotes(t.Word, v.Text) || inBrackets || t.Negated && t.Word == "" && !isNegated(minus+v.Text) {
			texts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Text) + `"`
		}
	}
	switch {
	case t.Word == "" && len(texts) == 1:
		return minus + texts[0]
	case t.Word == "":
		return "(" + strings.Join(texts, " "+alternative+" ") + ")"
	}
	return minus + t.Word + ":" + strings.Join(texts, ",")
}

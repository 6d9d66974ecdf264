package query

import (
	"slices"
	"strings"
	"unicode"
)

// readsOr reads an OR between two terms.
func (p *parser) readsOr() bool {
	rest, found := strings.CutPrefix(p.text[p.at:], alternative)
	if !found || rest != "" && !beginsWithSpace(rest) {
		return false
	}
	at := Span{p.at, p.at + len(alternative)}
	p.at = at.To
	if p.or != nil || len(p.query.Terms) == 0 {
		p.refuseOr(at)
	} else {
		p.or = &at
	}
	return true
}

func (p *parser) refuseOr(at Span) {
	p.refuse(at, "misplaced_or", "OR stands between two words, or between two values of one filter: "+
		"timeout OR crash, label:a,b; in quotes it is searched for")
}

// joins reports whether a term follows an OR after a term of the same word.
func (p *parser) joins(t Term) bool {
	if p.or == nil || len(p.query.Terms) == 0 || t.Negated || isSingle(t.Word) {
		return false
	}
	last := p.query.Terms[len(p.query.Terms)-1]
	isNone := func(v Value) bool { return t.Word == Label && isBare(v, "none") }
	return last.Word == t.Word && !last.Negated && !slices.ContainsFunc(slices.Concat(last.Values, t.Values), isNone)
}

// add adds a term. After an OR, its values are further ones of the term before.
func (p *parser) add(t Term) {
	switch {
	case p.joins(t):
		last := &p.query.Terms[len(p.query.Terms)-1]
		last.Values, last.At.To = append(last.Values, t.Values...), t.At.To
	case p.or != nil:
		p.refuseOr(*p.or)
	default:
		p.query.Terms = append(p.query.Terms, t)
	}
}

// readsBrackets reads words in brackets with OR between them. Brackets without an OR are a part of a text.
func (p *parser) readsBrackets() bool {
	from := p.at
	rest, negated := strings.CutPrefix(p.text[p.at:], "-")
	inside, found := strings.CutPrefix(rest, "(")
	if !found {
		return false
	}
	begin := len(p.text) - len(inside)
	length, isClosed := lengthInside(inside)
	if !slices.Contains(strings.Fields(inside[:length]), alternative) {
		return false
	}
	sub := parser{text: p.text[:begin+length], at: begin}
	sub.terms()
	p.at = begin + length
	if isClosed {
		p.at++
	}
	isWhole := isClosed && (p.at == len(p.text) || unicode.IsSpace(p.next()))
	switch {
	case len(sub.faults) > 0:
		p.faults = append(p.faults, sub.faults...)
	case !isWhole || len(sub.query.Terms) != 1:
		p.refuse(Span{from, p.at}, "misplaced_brackets", "brackets hold words with OR between each two of them, "+
			"such as (timeout OR crash), and no other brackets; in quotes they are searched for")
	default:
		p.addAlternatives(sub.query.Terms[0], Span{from, p.at}, negated)
	}
	return true
}

// addAlternatives adds the term in brackets. With a minus before them, each value leaves reports out.
func (p *parser) addAlternatives(t Term, at Span, negated bool) {
	t.At = at
	switch {
	case !negated && t.Word == "":
		p.add(t)
	case !negated:
		p.checkTerm(t)
	case t.Word != "" && !Excludes(t.Word):
		p.refuseMinus(at, t.Word)
	default:
		for _, v := range t.Values {
			p.checkTerm(Term{Word: t.Word, Values: []Value{v}, Negated: true, At: at})
		}
	}
}

// lengthInside returns the number of bytes before the bracket that closes, outside of quotes; isClosed is false when
// there is none.
func lengthInside(text string) (length int, isClosed bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ')' && !quoted:
			return i, true
		}
	}
	return len(text), false
}

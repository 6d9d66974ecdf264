package query

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bugslice/internal/suggest"
)

// MaxLength is the limit of a text, in characters.
const MaxLength = 2000

// Limits of a text, beside MaxLength.
const (
	maxTerms        = 100
	maxAlternatives = 30 // free words with OR between them
)

// Parse parses a text. The error is Faults with every fault in order; the terms without a fault are returned then, too.
func Parse(text string) (Query, error) {
	p := &parser{text: text}
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		p.refuse(Span{0, len(text)}, "malformed", "the search is no text")
	case utf8.RuneCountInString(text) > MaxLength:
		p.refuse(Span{len(string([]rune(text)[:MaxLength])), len(text)}, "too_long",
			"the search has at most 2,000 characters")
	default:
		p.terms()
		p.checkSize()
	}
	if len(p.faults) > 0 {
		return p.query, p.faults
	}
	return p.query, nil
}

// pasted are the codes of faults that a text has which was not meant to be a search.
var pasted = []string{"unclosed_quote", "misplaced_quote", "empty"}

// ParseText parses a text that somebody may have pasted, such as an error message. Where its quotes or
// colons have no place in the language, all of it is words. Other faults are those of Parse.
func ParseText(text string) (Query, error) {
	parsed, err := Parse(text)
	faults, ok := errors.AsType[Faults](err)
	if !ok || slices.ContainsFunc(faults, func(f Fault) bool { return !slices.Contains(pasted, f.Code) }) {
		return parsed, err
	}
	whole := Span{0, len(text)}
	return Query{Terms: []Term{{Values: []Value{{text, true, whole}}, At: whole}}}, nil
}

type parser struct {
	text   string
	at     int
	query  Query
	faults Faults
	or     *Span // of an OR whose right side follows
}

func (p *parser) refuse(at Span, code, detail string) {
	p.faults = append(p.faults, Fault{At: at, Code: code, Detail: detail})
}

// terms parses the terms until the end of the text.
func (p *parser) terms() {
	for p.skipSpace(); p.at < len(p.text); p.skipSpace() {
		if p.readsOr() {
			continue
		}
		p.term()
		p.or = nil
	}
	if p.or != nil {
		p.refuseOr(*p.or)
	}
}

// checkSize refuses a text with more terms or alternatives than a search looks for.
func (p *parser) checkSize() {
	alternatives := 0
	for i, t := range p.query.Terms {
		if t.Word == "" && len(t.Values) > 1 {
			alternatives += len(t.Values)
		}
		switch {
		case i == maxTerms:
			p.refuse(t.At, "too_many", "a search has at most 100 words and filters")
			return
		case alternatives > maxAlternatives:
			p.refuse(t.At, "too_many", "a search has at most 30 words with OR between them")
			return
		}
	}
}

// next returns the character at the position, 0 at the end.
func (p *parser) next() rune {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	if size == 0 {
		return 0
	}
	return r
}

func (p *parser) skipSpace() {
	for unicode.IsSpace(p.next()) {
		p.at += utf8.RuneLen(p.next())
	}
}

// bare reads a bare value of a word, or a free word.
func (p *parser) bare(word string) string {
	from := p.at
	for p.at < len(p.text) && !ends(word, p.next()) {
		p.at += utf8.RuneLen(p.next())
	}
	return p.text[from:p.at]
}

// term parses the term at the position and adds it, or refuses it.
func (p *parser) term() {
	from := p.at
	if p.readsBrackets() {
		return
	}
	if p.next() == '"' {
		p.quotedTerm(Term{At: Span{From: from}})
		return
	}
	switch text := p.bareWord(); {
	case p.next() == ':':
		p.at++
		p.wordTerm(from, text)
	case p.next() == '"' && text == "-":
		p.quotedTerm(Term{Negated: true, At: Span{From: from}})
	case p.next() == '"':
		p.refuseQuote(from)
	default:
		t := Term{Negated: isNegated(text), At: Span{from, p.at}}
		if t.Negated {
			from, text = from+1, text[1:]
		}
		t.Values = []Value{{text, needsQuotes("", text), Span{from, p.at}}}
		p.add(t)
	}
}

// bareWord reads a free word, or the name of a filter, also a mistyped one. Any other colon is a part of a text, as is
// one before a space or a slash: an error that somebody pastes is searched for.
func (p *parser) bareWord() string {
	from := p.at
	for p.bare(""); p.next() == ':'; p.bare("") {
		name, rest := strings.TrimPrefix(p.text[from:p.at], "-"), p.text[p.at+1:]
		isText := rest == "" || strings.HasPrefix(rest, "/") || beginsWithSpace(rest)
		mistyped := !isText && suggest.Nearest(name, Words()) != ""
		if word := wordOf(name); isWord(word) || isAlias(word) || mistyped {
			break
		}
		p.at++
	}
	return p.text[from:p.at]
}

// quotedTerm parses the free text in quotes of a term, adds the term, or refuses it.
func (p *parser) quotedTerm(t Term) {
	from, before := p.at, len(p.faults)
	text := p.quotedText()
	t.At.To = p.at
	switch {
	case len(p.faults) > before:
	case p.at < len(p.text) && !unicode.IsSpace(p.next()):
		p.refuseQuote(t.At.From)
	case strings.TrimSpace(text) == "":
		p.refuse(Span{from, p.at}, "empty", "the quotes are empty")
	default:
		t.Values = []Value{{text, !t.Negated || needsQuotes("", text), Span{from, p.at}}}
		p.add(t)
	}
}

// wordTerm parses the values of a word.
func (p *parser) wordTerm(from int, name string) {
	negated := isNegated(name)
	if negated {
		name = name[1:]
	}
	word, before := wordOf(name), len(p.faults)
	known := isWord(word) || isAlias(word)
	switch {
	case !known:
		p.refuseWord(Span{from, p.at}, name)
	case negated && !isAlias(word) && !Excludes(word):
		p.refuseMinus(Span{from, p.at}, word)
	}
	t := Term{Word: word, Negated: negated}
	for {
		v, ok := p.value(word)
		if !ok {
			return
		}
		if text := canonical(word, v.Text); text != v.Text {
			v = quoted(word, text, v.At)
		}
		if fault := checkValue(word, v); known && fault != nil {
			fault.At = v.At
			p.faults = append(p.faults, *fault)
		}
		t.Values = append(t.Values, v)
		if p.next() != ',' {
			break
		}
		p.at++
	}
	t.At = Span{from, p.at}
	if len(p.faults) > before {
		return
	}
	for _, meant := range meantBy(t) {
		p.checkTerm(meant)
	}
}

// refuseWord refuses a mistyped filter.
func (p *parser) refuseWord(at Span, name string) {
	better := suggest.Nearest(name, Words())
	f := Fault{At: at, Code: "unknown_word", Detail: "there is no filter " + quote(name) + "; did you mean " + better + "?",
		Better: p.text[at.From:at.To-len(name)-1] + better + ":"}
	p.faults = append(p.faults, f)
}

// refuseMinus refuses a minus before a word whose values leave no reports out.
func (p *parser) refuseMinus(at Span, word string) {
	p.refuse(at, "not_excluding", "a minus cannot stand before "+word+
		"; it stands before words without a colon, and before "+strings.Join(excluding, ", ")+" and metadata")
}

func beginsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r)
}

// value reads a value of a word. ok is false when quotes end the term.
func (p *parser) value(word string) (v Value, ok bool) {
	from, before := p.at, len(p.faults)
	if p.next() != '"' {
		text := p.bare(word)
		if isDate(word) {
			text += p.period(text)
		}
		if p.next() == '"' {
			p.refuseQuote(from)
			return v, false
		}
		if Allowed(word) != nil {
			text = strings.ToLower(text)
		}
		return Value{text, false, Span{from, max(p.at, from)}}, true
	}
	text := p.quotedText()
	if len(p.faults) > before {
		return v, false
	}
	if p.at < len(p.text) && !unicode.IsSpace(p.next()) && p.next() != ',' {
		p.refuseQuote(from)
		return v, false
	}
	return quoted(word, text, Span{from, p.at}), true
}

// quotedText reads a text in quotes, in which a backslash stands before a quote or a backslash.
func (p *parser) quotedText() string {
	from := p.at
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return b.String()
		case c == '\\' && p.at+1 < len(p.text) && strings.IndexByte(`"\`, p.text[p.at+1]) >= 0:
			p.at++
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	p.refuse(Span{from, p.at}, "unclosed_quote", "the quotes are not closed")
	return ""
}

// refuseQuote refuses quotes around a part of a value, and skips the rest of the term.
func (p *parser) refuseQuote(from int) {
	for p.at < len(p.text) && !unicode.IsSpace(p.next()) {
		p.at += utf8.RuneLen(p.next())
	}
	p.refuse(Span{from, p.at}, "misplaced_quote", "quotes stand around a whole value")
}

// checkTerm adds a term of a known word, or refuses it. Each value of a negated term leaves reports out by itself.
func (p *parser) checkTerm(t Term) {
	if t.Negated || p.joins(t) {
		p.add(t)
		return
	}
	none := slices.ContainsFunc(t.Values, func(v Value) bool { return v.Text == "none" && !v.Quoted })
	switch _, repeated := p.query.Get(t.Word); {
	case repeated:
		p.refuse(t.At, "repeated", t.Word+" is there twice; separate several values by commas")
	case len(t.Values) > 1 && isSingle(t.Word):
		p.refuse(t.At, "too_many", t.Word+" has one value")
	case len(t.Values) > 1 && none && t.Word == Label:
		p.refuse(t.At, "not_alone", "label:none cannot be combined with labels")
	default:
		p.add(t)
	}
}

// period reads the second word of a period that is written as two, such as last week, and returns it with a hyphen.
func (p *parser) period(text string) string {
	which := strings.ToLower(strings.TrimLeft(text, "<>="))
	if which != "last" && which != "this" {
		return ""
	}
	at := p.at
	p.skipSpace()
	if unit := strings.ToLower(p.bare("")); slices.Contains(periods(), which+"-"+unit) {
		return "-" + unit
	}
	p.at = at
	return ""
}

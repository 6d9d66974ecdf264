// Package termindex finds the documents that have a combination of terms: one inverted index for all lists, searches
// and counts.
//
// A document is a row of a table of records, and its number in the index is the number of that row. Its terms are
// short texts without blanks: facets (a kind and a value, such as a status), words, and periods (what happened to it
// within some time). Facets and words begin with a scope, so that a query of one scope never finds a document of
// another. The index stores nothing else: no order, no values. The database does all the combining.
//
//	engine := termindex.Of("sqlite")
//	scope := termindex.ScopeOf(workspaceID)
//	open := termindex.Term(termindex.Facet(scope, 's', "open"))
//	crash := termindex.Prefix(termindex.Word(scope, "crash"))
//	match := termindex.All(open, crash, termindex.During('c', from, to))
//	text := "SELECT … FROM (" + engine.Rows("$1") + ") AS m CROSS JOIN records r WHERE r.row = m.row AND …"
//	rows := query(text, engine.Expression(match))
//
// A list ordered by a time reads one window after another, by During, until its page is full. During may find
// documents just outside the window, so the statement must compare the times as well.
//
// A transaction says what it changes, and writes all of it as its last statements:
//
//	changes = append(changes, termindex.Change{Row: 7, Removed: oldTerms, Added: newTerms})
//	err := engine.Write(exec, termindex.Fold(changes))
//
// The index is built anew after Clear, by changes of whole documents in the order of their numbers, and RemoveStrays.
// A Check compares it with the terms that documents should have.
//
// SQLite stores the index as a table of FTS5 without content: postings of (term, document) in segments, which are
// merged like those of an LSM tree. PostgreSQL stores a tsvector for each document, with a GIN index. The rules of
// FTS5, which Write keeps:
//
//   - A posting that is written again takes the place of the former one, and a deletion of a posting that does not exist does nothing. So
//     a change writes the terms that go and those that come, and no others.
//   - FTS5 counts documents and tokens, and refuses as corrupt a deletion that would make a count negative. Nothing needs the counts, so
//     they start so high that no deletion makes one negative: a fault in the index never refuses a write.
//   - FTS5 keeps the postings of a transaction in memory. It writes them as one segment at the COMMIT, but also at each savepoint, also the
//     one that a statement of several rows begins, and whenever the number of a document is lower than the one before. So the terms of all
//     writes that share a transaction are written together, in the order of documents, as its last statements.
//   - A segment costs each query a look-up. automerge 16 merges sixteen segments at a time, which costs writes less than the default of 4.
package termindex

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Scope is the beginning of all facets and words of a group of documents. It has no letter "o".
type Scope string

const scopeLength = 10

// ScopeOf returns the scope of an id: its last ten characters, of which a random id of Crockford's base 32 has 50
// random bits.
func ScopeOf(id string) Scope { return Scope(id[max(len(id)-scopeLength, 0):]) }

// Facet returns the term of a value of a kind, which is a letter. The term of a long value, or of one with other
// characters than ASCII small letters and digits, has a hash of 80 bits in its place.
func Facet(scope Scope, kind byte, value string) string {
	return string(scope) + string(kind) + plain(value)
}

const hashLength = 16 // characters of a hash

func plain(value string) string {
	if len(value) < hashLength && !strings.ContainsFunc(value,
		func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return encoding.EncodeToString(sum[:10])
}

var encoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

const wordKind = 'w' // no facet has this kind

const longestWord = 32 // bytes of a word that are in its term

// Word returns the term of a word: letters and digits of any script, in small letters. The term of a longer word than
// 32 bytes is that of its beginning.
func Word(scope Scope, word string) string {
	return string(scope) + string(wordKind) + beginOf(word)
}

// beginOf returns a text, or the beginning of a longer one than longestWord.
func beginOf(text string) string {
	if len(text) <= longestWord {
		return text
	}
	end := longestWord
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Begun returns the term of a folded value of a kind that is found by its beginning: Prefix of the term of a beginning
// finds the documents with such a value. Signs are a middle dot each, so that 2.1 begins no 21. The term of a longer
// value than 32 bytes is that of its beginning.
func Begun(scope Scope, kind byte, value string) string {
	return string(scope) + string(kind) + beginOf(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '·'
	}, value))
}

// MentionKind is the kind of the facets of a text. A document may have any number of them, as of words.
const MentionKind = 'm'

// isOfText reports whether a term is a word or a mention.
func isOfText(t string) bool {
	return len(t) > scopeLength && (t[scopeLength] == wordKind || t[scopeLength] == MentionKind)
}

// shifts are the lengths of periods, as powers of two milliseconds: 4 seconds, 2 minutes, 70 minutes, 37 hours and 50
// days.
var shifts = []int{12, 17, 22, 27, 32}

// Periods returns the terms of an event of a kind, which is a letter, at a time in milliseconds.
func Periods(kind byte, at int64) []string {
	all := make([]string, len(shifts))
	for i, shift := range shifts {
		all[i] = period(kind, i, at>>shift)
	}
	return all
}

// period returns the term of the nth period of a length. It begins with a letter that no scope has.
func period(kind byte, length int, n int64) string {
	return "o" + string(kind) + strconv.Itoa(length) + strings.Replace(strconv.FormatInt(n, 36), "-", "z", 1)
}

// A Query is a combination of terms. The zero value finds every document: All leaves it out; Any, But and Expression
// must not get it.
type Query struct {
	operator operator
	term     string
	parts    []Query
}

type operator byte

const (
	isEverything operator = iota
	isNothing
	isTerm
	isPrefix
	isAll
	isAny
	isBut // the first part and not the second
)

// Term finds the documents that have a term.
func Term(t string) Query { return Query{operator: isTerm, term: t} }

// Prefix finds the documents that have a term which begins with a text.
func Prefix(t string) Query { return Query{operator: isPrefix, term: t} }

// AnyTerm finds the documents that have one of some terms.
func AnyTerm(terms []string) Query {
	parts := make([]Query, len(terms))
	for i, t := range terms {
		parts[i] = Term(t)
	}
	return Any(parts...)
}

// All finds the documents that all parts find.
func All(parts ...Query) Query {
	parts = slices.DeleteFunc(slices.Clone(parts), func(q Query) bool { return q.operator == isEverything })
	switch {
	case slices.ContainsFunc(parts, Query.IsNothing):
		return Query{operator: isNothing}
	case len(parts) == 0:
		return Query{}
	case len(parts) == 1:
		return parts[0]
	}
	return Query{operator: isAll, parts: parts}
}

// Any finds the documents that one of the parts finds: nothing when there are none.
func Any(parts ...Query) Query {
	parts = slices.DeleteFunc(slices.Clone(parts), Query.IsNothing)
	switch {
	case len(parts) == 0:
		return Query{operator: isNothing}
	case len(parts) == 1:
		return parts[0]
	}
	return Query{operator: isAny, parts: parts}
}

// But finds the documents that q finds and excluded does not. Neither may be the zero value: FTS5 has no NOT without
// a left side.
func (q Query) But(excluded Query) Query {
	if excluded.IsNothing() || q.IsNothing() {
		return q
	}
	return Query{operator: isBut, parts: []Query{q, excluded}}
}

// IsNothing reports whether no document can be found.
func (q Query) IsNothing() bool { return q.operator == isNothing }

// IsEverything reports whether q is the zero value.
func (q Query) IsEverything() bool { return q.operator == isEverything }

// Size returns the number of terms that q looks for.
func (q Query) Size() int {
	if q.operator == isTerm || q.operator == isPrefix {
		return 1
	}
	n := 0
	for _, part := range q.parts {
		n += part.Size()
	}
	return n
}

// Finds reports whether q finds a document with some terms.
func (q Query) Finds(terms []string) bool {
	switch q.operator {
	case isTerm:
		return slices.Contains(terms, q.term)
	case isPrefix:
		return slices.ContainsFunc(terms, func(t string) bool { return strings.HasPrefix(t, q.term) })
	case isAll:
		return !slices.ContainsFunc(q.parts, func(part Query) bool { return !part.Finds(terms) })
	case isAny:
		return slices.ContainsFunc(q.parts, func(part Query) bool { return part.Finds(terms) })
	case isBut:
		return q.parts[0].Finds(terms) && !q.parts[1].Finds(terms)
	}
	return q.operator == isEverything
}

// During looks into at most maxPeriods periods of one length, or maxLongest of the greatest length. More of them make
// a query slow, fewer make it find more documents outside.
const (
	maxPeriods = 24
	maxLongest = 100
)

// During finds the documents of an event of a kind between two times in milliseconds, from at or before to, and some
// of up to a period before and after. A range of more than thirteen years finds everything.
func During(kind byte, from, to int64) Query {
	for i, shift := range shifts {
		first, last, most := from>>shift, to>>shift, int64(maxPeriods)
		if i == len(shifts)-1 {
			most = maxLongest
		}
		if last-first >= most {
			continue
		}
		var terms []string
		for n := first; n <= last; n++ {
			terms = append(terms, period(kind, i, n))
		}
		return AnyTerm(terms)
	}
	return Query{}
}

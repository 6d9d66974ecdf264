package query

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/words"
)

// Searches returns the texts that a report must have, as words.ParseSearch reads them: one of each row. The last one
// means every word that begins with it, unless it is quoted, short, a number or a reference.
func (q Query) Searches() (all [][]string) {
	var last *Value
	for _, t := range q.Terms {
		if t.Word != "" || t.Negated {
			continue
		}
		texts := make([]string, len(t.Values))
		for i, v := range t.Values {
			texts[i] = v.Text
		}
		all, last = append(all, texts), &t.Values[len(t.Values)-1]
	}
	if last != nil && !last.Quoted && beginsWords(last.Text) {
		texts := all[len(all)-1]
		texts[len(texts)-1] += "*"
	}
	return all
}

// beginsWords reports whether a text is the beginning of words that are searched for while it is typed.
func beginsWords(text string) bool {
	if _, _, isReference := api.ParseReference(text); isReference || strings.HasSuffix(text, "*") {
		return false
	}
	search := words.ParseSearch(text + "*")
	if len(search.Prefixes) == 0 || search.TooShort() != "" {
		return false
	}
	return strings.Trim(search.Prefixes[0], "0123456789") != ""
}

// Named returns the free text of a query that is one reference or one number, and nothing else of free words.
func (q Query) Named() (text string, ok bool) {
	for _, t := range q.Terms {
		if t.Word != "" || t.Negated {
			continue
		}
		if ok || len(t.Values) > 1 {
			return "", false
		}
		text, ok = t.Values[0].Text, true
	}
	_, _, isReference := api.ParseReference(text)
	return text, ok && (isReference || isNumber(text))
}

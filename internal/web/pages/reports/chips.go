package reports

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/internal/query"
)

// filterWords are the filters that the menu offers, in its order.
var filterWords = []string{query.Status, query.Priority, query.Severity, query.Assignee, query.Reporter, query.Label,
	query.Space, query.Has, query.Release, query.Browser, query.OS, query.Resolution, query.Created, query.Updated,
	query.Resolved}

// chip is a term of the text: as the text has it, and as a person reads it.
type chip struct {
	Text    string
	Word    string // the name of the filter; empty for words that are searched for
	Values  string
	Negated bool
	Without address
	Menu    string // the address of the menu that changes it; empty for none
	Dot     string // the class of the colour of a label; empty for another filter, and for several labels

	word string
}

// chipOf returns the chip of the term at an index of the text.
func (a address) chipOf(i int) chip {
	t := a.Query.Terms[i]
	c := chip{Text: t.String(), Values: t.String(), Without: a.First(), word: t.Word}
	c.Without.Query = a.Query.Without(i)
	if t.Word == "" {
		return c
	}
	texts := make([]string, len(t.Values))
	for i, v := range t.Values {
		if texts[i] = v.Text; !v.Quoted {
			texts[i] = valueText(t.Word, v.Text)
		}
	}
	c.Word, c.Values, c.Negated = wordText(t.Word), strings.Join(texts, ", "), t.Negated
	if slices.Contains(filterWords, t.Word) {
		c.Menu = a.First().menu(t.Word, strconv.Itoa(i))
	}
	return c
}

// menu returns the address of the menu of a list that changes a term by its word and index.
func (a address) menu(word, term string) string {
	values := url.Values{"q": {a.Query.String()}}
	for name, value := range map[string]string{"workspace": a.Workspace, "view": a.View, "group": a.GroupField(), "by": word,
		"term": term} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if a.Board {
		values.Del("group")
		values.Set("on", "board")
	}
	return "/reports/filter?" + values.Encode()
}

// Menu returns the address of the menu that adds a filter to a list.
func (a address) Menu() string { return a.menu("", "") }

package query

import (
	"slices"
	"strings"

	"bugslice/api"
)

// The words of aliases, which stand for other terms: is:open is status:open, and no:assignee is assignee:none.
const (
	is = "is"
	no = "no"

	visitor    = "visitor"    // who reported by a source, without an account; a value of is and reporter
	unreviewed = "unreviewed" // a picture that nobody has looked at for secrets; a value of is and has, and not of no
)

func isAlias(word string) bool { return word == is || word == no }

// meanings are the terms of the values of is.
var meanings = func() map[string]Term {
	all := map[string]Term{
		"active":     {Word: Status, Values: []Value{Bare(string(api.Open)), Bare(string(api.InProgress))}},
		"assigned":   {Word: Assignee, Values: []Value{Bare("none")}, Negated: true},
		"unassigned": {Word: Assignee, Values: []Value{Bare("none")}},
		"mine":       {Word: Assignee, Values: []Value{Bare("me")}},
		visitor:      {Word: Reporter, Values: []Value{Bare(visitor)}},
		unreviewed:   {Word: Has, Values: []Value{Bare(unreviewed)}},
	}
	for _, status := range api.Status("").Values() {
		all[status] = Term{Word: Status, Values: []Value{Bare(status)}}
	}
	for _, resolution := range api.Resolution("").Values() {
		all[resolution] = Term{Word: Resolution, Values: []Value{Bare(resolution)}}
	}
	return all
}()

// missing are the words whose value none an alias writes as no:assignee, beside kinds of evidence.
var missing = []string{Assignee, Label, Space, Priority, Severity}

// aliasValues returns the values of an alias.
func aliasValues(word string) (all []string) {
	if word == no {
		evidence := slices.DeleteFunc(api.EvidenceFilter("").Values(), func(kind string) bool { return kind == unreviewed })
		return append(slices.Clone(missing), evidence...)
	}
	for _, first := range [][]string{{"active"}, api.Status("").Values(), {"mine", "assigned", "unassigned", visitor, unreviewed},
		api.Resolution("").Values()} {
		all = append(all, first...)
	}
	return all
}

// meantBy returns the terms that an alias stands for, and any other term itself. Values with the same word are
// alternatives; others must all hold.
func meantBy(t Term) (all []Term) {
	if !isAlias(t.Word) {
		return []Term{t}
	}
	for _, v := range t.Values {
		m := Term{Word: v.Text, Values: []Value{Bare("none")}}
		switch {
		case t.Word == is:
			m = meanings[v.Text]
		case !slices.Contains(missing, v.Text):
			m = Term{Word: Has, Values: []Value{Bare(v.Text)}, Negated: true}
		}
		m.At, m.Negated = t.At, m.Negated != t.Negated
		i := slices.IndexFunc(all, func(a Term) bool { return a.Word == m.Word && a.Negated == m.Negated })
		if i >= 0 && !m.Negated {
			all[i].Values = append(slices.Clone(all[i].Values), m.Values...)
			continue
		}
		all = append(all, m)
	}
	return all
}

// synonyms are other writings of values.
var synonyms = map[string]map[string]string{
	Status: {"in-progress": string(api.InProgress), "in progress": string(api.InProgress)},
	Sort: {"newest": "created", "oldest": "created-asc", "created-desc": "created", "updated-desc": "updated",
		"priority-desc": "priority"},
}

// canonical returns the one writing of a value of a word.
func canonical(word, text string) string {
	if isDate(word) {
		return canonicalDate(text)
	}
	if word == is {
		word = Status
	}
	if meant, ok := synonyms[word][strings.ToLower(text)]; ok {
		return meant
	}
	return text
}

package reports

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

var filterView = ui.NewPage("filter", subfolder("filter"))

// filter is the menu that adds a filter to the text of a list, or changes one. Each choice is a link to the list with
// another text.
type filter struct {
	Address address // of the list
	Words   []filterWord

	Word     string // the filter that is changed; empty for the choice of one
	Negated  bool   // whether its values leave reports out
	Excludes bool   // whether they may
	Values   []filterValue
	More     bool // whether there may be other values
	IsText   bool // whether a value can be typed
	Dates    *filterDates

	at      int // the index of the term; -1 for a new one
	current query.Term
	colors  map[string]api.LabelColor // of labels, that the workspace of the list has chosen
}

// filterWord is an entry of the menu. Current is whether the text has such a filter.
type filterWord struct {
	Word    string
	Current bool
}

// filterValue is a value of a filter, with the number of reports that the list would have with it alone.
type filterValue struct {
	Word, Value string // the value as the text has it, without quotes
	Name        string // of the record; empty for a value that has none
	Class       string // of the colour of a label
	Chosen      bool
	Count       int64
	AtMost      bool // whether there may be more than Count
	IsCounted   bool

	To address // of the list in which the value is chosen, or is no longer

	value query.Value
}

// Text returns a value as a person reads it.
func (v filterValue) Text() string {
	if v.Name != "" {
		return v.Name
	}
	return valueText(v.Word, v.Value)
}

// Icon renders the sign of a value.
func (v filterValue) Icon() (template.HTML, error) { return ui.HTML(valueIcon(v)) }

// filterDates are the first and the last day of a filter by time, empty for an open end.
type filterDates struct{ From, Until string }

// Filter shows the menu: the filters, or the values of the one that by names. A form of it leads to the list; a script
// gets the menu with what was chosen instead.
func Filter(q *page.Request) (page.Result, error) {
	values := q.URL.Query()
	f := &filter{Word: values.Get("by"), at: -1, Address: address{Workspace: q.Workspace.Key, View: values.Get("view"),
		Group: values.Get("group"), Kept: displayOf(q).Group, Board: values.Get("on") == "board"}}
	if f.Address.Group == "none" {
		f.Address.Group = ""
	}
	text := values.Get("q")
	if !values.Has("q") && !f.Address.Board {
		text = active.String()
	}
	f.colors = q.Workspace.LabelColors
	parsed, err := query.Parse(text)
	if err != nil { // the list says what is wrong with the text
		return page.Redirect(f.Address.withText(text), "")
	}
	f.Address.Query = parsed
	if f.Word == "" {
		f.offer(q)
		return page.Show(filterView, f)
	}
	if !slices.Contains(filterWords, f.Word) {
		return page.Result{}, api.InvalidParameter("by", "not_allowed", "by must be a filter of the menu")
	}
	f.find(values)
	if values.Has("show") {
		f.set(values)
		if q.Header.Get("HX-Request-Type") != "partial" {
			return page.Redirect(f.Address.String(), "")
		}
	}
	if err := f.load(q); err != nil {
		return page.Result{}, err
	}
	return page.Show(filterView, f)
}

// offer lists the filters. That by space is one of a workspace with spaces.
func (f *filter) offer(q *page.Request) {
	for _, word := range filterWords {
		if word != query.Space || len(q.Spaces) > 0 {
			f.Words = append(f.Words, filterWord{word, slices.ContainsFunc(f.Address.Query.Terms,
				func(t query.Term) bool { return t.Word == word })})
		}
	}
}

// find finds the term that is changed: the one that the request names, or the first one of the word.
func (f *filter) find(values url.Values) {
	terms := f.Address.Query.Terms
	i, err := strconv.Atoi(values.Get("term"))
	if err != nil || i < 0 || i >= len(terms) || terms[i].Word != f.Word {
		i = slices.IndexFunc(terms, func(t query.Term) bool { return t.Word == f.Word })
	}
	f.current = query.Term{Word: f.Word, Negated: values.Get("not") == "true"}
	if f.at = i; i >= 0 {
		f.current = terms[i]
	}
	f.Negated, f.Excludes = f.current.Negated, query.Excludes(f.Word)
}

// set changes the text by a form: the days, or the typed value.
func (f *filter) set(values url.Values) {
	from, until, typed := values.Get("from"), values.Get("until"), strings.TrimSpace(values.Get("value"))
	t := f.current
	switch {
	case typed != "":
		t.Values = append(slices.Clone(t.Values), query.Bare(typed))
	case from == "" && until == "":
		t.Values = nil
	case until == "":
		t.Values = []query.Value{query.Bare(">=" + from)}
	case from == "":
		t.Values = []query.Value{query.Bare("<=" + until)}
	default:
		t.Values = []query.Value{query.Bare(min(from, until) + ".." + max(from, until))}
	}
	f.Address = f.with(t)
	if f.current = t; f.at < 0 {
		f.at = len(f.Address.Query.Terms) - 1
	}
}

// with returns the address of the list with a term in place of the one that is changed. One without values is left out.
func (f *filter) with(t query.Term) address {
	a := f.Address.First()
	terms := slices.Clone(a.Query.Terms)
	switch {
	case f.at < 0 && len(t.Values) > 0:
		terms = append(terms, t)
	case f.at >= 0 && len(t.Values) == 0:
		terms = slices.Delete(terms, f.at, f.at+1)
	case f.at >= 0:
		terms[f.at] = t
	}
	a.Query = query.Query{Terms: terms}
	return a
}

// At returns the index of the term that is changed, for the address of the menu; empty for a new one.
func (f *filter) At() string {
	if f.at < 0 {
		return ""
	}
	return strconv.Itoa(f.at)
}

// Reversed returns the address of the list that leaves out what the values select now, or the other way round; empty
// before there is a value.
func (f *filter) Reversed() string {
	if len(f.current.Values) == 0 {
		return ""
	}
	t := f.current
	t.Negated = !t.Negated
	return f.with(t).String()
}

// ReversedMenu returns the address of the menu whose values leave out what they select now, or the other way round.
func (f *filter) ReversedMenu() string {
	to := f.Address.menu(f.Word, f.At())
	if !f.Negated {
		to += "&not=true"
	}
	return to
}

// Cleared returns the address of the list without the filter.
func (f *filter) Cleared() address { return f.with(query.Term{}) }

// HasValues returns whether the filter has values.
func (f *filter) HasValues() bool { return len(f.current.Values) > 0 }

// By returns the address of the menu of a filter.
func (f *filter) By(word string) string { return f.Address.menu(word, "") }

// toggled returns the term that is changed with a value more, or without one that it has. none, and what a filter has
// one value of, replaces the others.
func (f *filter) toggled(v query.Value) query.Term {
	t := f.current
	same := func(o query.Value) bool { return isSame(o, v) }
	switch {
	case slices.ContainsFunc(t.Values, same):
		t.Values = slices.DeleteFunc(slices.Clone(t.Values), same)
	case f.Dates != nil || f.Word == query.Label && isNone(v):
		t.Values = []query.Value{v}
	case f.Word == query.Label:
		t.Values = append(slices.DeleteFunc(slices.Clone(t.Values), isNone), v)
	default:
		t.Values = append(slices.Clone(t.Values), v)
	}
	return t
}

func isNone(v query.Value) bool { return v.Text == "none" && !v.Quoted }

func isSame(a, b query.Value) bool {
	return strings.EqualFold(a.Text, b.Text) && (a.Quoted == b.Quoted || a.Text != "none" && a.Text != "me")
}

// setDates sets the days of a filter by time. One that begins or ends within days, such as one after a day, has none.
func (f *filter) setDates() {
	f.Dates = &filterDates{}
	if len(f.current.Values) == 0 {
		return
	}
	text := f.current.Values[0].Text
	isDay := func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }
	if from, until, isRange := strings.Cut(text, ".."); isRange {
		if (isDay(from) || from == "") && (isDay(until) || until == "") {
			*f.Dates = filterDates{from, until}
		}
		return
	}
	first, isFirst := strings.CutPrefix(text, ">=")
	last, isLast := strings.CutPrefix(text, "<=")
	switch {
	case isFirst && isDay(first):
		f.Dates.From = first
	case isLast && isDay(last):
		f.Dates.Until = last
	case isDay(text):
		*f.Dates = filterDates{text, text}
	}
}

// WordText returns the name of a filter.
func (f *filter) WordText(word string) string { return wordText(word) }

// WordIcon renders the sign of a filter.
func (f *filter) WordIcon(word string) (template.HTML, error) { return ui.HTML(wordIcon(word)) }

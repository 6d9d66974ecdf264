package query

import (
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/suggest"
)

// Metadata returns the word that filters by a name of metadata.
func Metadata(name string) string { return metadata + name }

// wordOf returns a word as it is written in a query: in small letters, but for a name of metadata.
func wordOf(text string) string {
	if n := len(metadata); len(text) > n && strings.EqualFold(text[:n], metadata) {
		return metadata + text[n:]
	}
	return strings.ToLower(text)
}

func isWord(word string) bool {
	return slices.Contains(allWords, word) || strings.HasPrefix(word, metadata) && word != metadata
}

// Words lists the words of terms.
func Words() []string { return slices.Clone(allWords) }

var allWords = func() []string {
	all := []string{Workspace, Space, Status, Resolution, Priority, Severity, Label, Assignee, Reporter, Mentions, Duplicate}
	for _, f := range new(api.SliceFilters).Texts() {
		all = append(all, f.Word)
	}
	return append(all, Number, Created, Updated, Resolved, Has, Sort)
}()

// Excludes reports whether a minus before a word leaves out the reports with its values.
func Excludes(word string) bool {
	return slices.Contains(excluding, word) || strings.HasPrefix(word, metadata)
}

// excluding are the words that may have a minus.
var excluding = func() []string {
	all := []string{Space, Status, Resolution, Priority, Severity, Label, Assignee, Reporter, Mentions}
	for _, f := range new(api.Exclusions).Texts() {
		all = append(all, f.Word)
	}
	return append(all, Has)
}()

// Allowed returns the values of a word that has no others, and nil for any other word.
func Allowed(word string) []string {
	switch word {
	case Status:
		return api.Status("").Values()
	case Resolution:
		return api.Resolution("").Values()
	case Priority:
		return api.PriorityFilter("").Values()
	case Severity:
		return api.SeverityFilter("").Values()
	case Has:
		return api.EvidenceFilter("").Values()
	case Sort:
		return []string{"created", "created-asc", "updated", "updated-asc", "priority", "priority-asc"}
	case is, no:
		return aliasValues(word)
	}
	return nil
}

// Keywords returns the bare values of a word that have a meaning of their own.
func Keywords(word string) []string {
	if word == Label {
		return []string{"none"}
	}
	return slices.Concat(Allowed(word), named[word].keywords)
}

// WordValues is a word with the bare values that it is completed to.
type WordValues struct {
	Word   string
	Values []string
}

// Excludes reports whether the word may have a minus.
func (w WordValues) Excludes() bool { return Excludes(w.Word) || isAlias(w.Word) }

// Completions returns each word with its values, and the words of names of metadata. Names of records are not among
// them.
func Completions(names []string) []WordValues {
	all := make([]WordValues, len(Words()))
	for i, word := range Words() {
		if all[i] = (WordValues{word, Keywords(word)}); isDate(word) {
			all[i].Values = periods()
		}
	}
	all = append(all, WordValues{is, aliasValues(is)}, WordValues{no, aliasValues(no)})
	for _, name := range names {
		all = append(all, WordValues{Word: Metadata(name)})
	}
	return all
}

// isSingle reports whether a word has one value.
func isSingle(word string) bool {
	return slices.Contains([]string{Workspace, Number, Created, Updated, Resolved, Sort}, word)
}

// checkValue returns the fault of a value, without its position, or nil.
func checkValue(word string, v Value) *Fault {
	if v.Text == "" {
		return &Fault{Code: "empty", Detail: word + " needs a value after the colon"}
	}
	allowed := Allowed(word)
	switch {
	case allowed != nil && !slices.Contains(allowed, v.Text):
		return &Fault{Code: "unknown_value", Detail: quote(v.Text) + " is not a value of " + word +
			suggestion(v.Text, allowed), Better: suggest.Nearest(v.Text, allowed)}
	case word == Number && !isNumber(v.Text):
		return &Fault{Code: "malformed", Detail: "a number is written in digits, such as 161"}
	case isDate(word):
		switch r, ok := parseRange(v.Text); {
		case ok:
		case r.isReversed():
			return &Fault{Code: "malformed", Detail: "a range begins with its earlier date"}
		default:
			return &Fault{Code: "malformed", Better: suggest.Nearest(v.Text, periods()),
				Detail: "a date is written as 2026-11-01, >2026-11-01, <2026-11-01, 2026-11-01..2026-11-08, 7d, >7d, " +
					"today, yesterday or last week"}
		}
	}
	return nil
}

func isNumber(text string) bool {
	n, err := strconv.ParseInt(text, 10, 32)
	return err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}

// suggestion returns the most similar word as the end of a sentence, or else all of a few words.
func suggestion(text string, known []string) string {
	if found := suggest.DidYouMean(text, known); found != "" || len(known) > 9 {
		return found
	}
	return "; there are " + strings.Join(known, ", ")
}

// quote truncates a text that is repeated in a message.
func quote(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return "“" + text + "”"
}

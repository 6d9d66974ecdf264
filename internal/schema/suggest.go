package schema

import (
	"slices"
	"strings"
)

// synonyms are the words of other trackers for members and parameters. A word may have several names, such as labels in a body and
// label in a list.
var synonyms = map[string][]string{
	"title": {"summary"}, "subject": {"summary"}, "name": {"summary"},
	"body": {"description"}, "content": {"description"}, "details": {"description"},
	"state": {"status"}, "tags": {"labels", "label"}, "tag": {"label", "labels"}, "label": {"labels"}, "labels": {"label"},
	"assignee": {"assigneeId"}, "assignees": {"assigneeId"}, "owner": {"assigneeId"},
	"author": {"reporterId"}, "creator": {"reporterId"}, "reporter": {"reporterId"},
	"project": {"workspaceId"}, "projectid": {"workspaceId"}, "team": {"workspaceId"}, "teamid": {"workspaceId"},
	"url": {"sourceUrl"}, "search": {"q"}, "query": {"q"}, "since": {"createdAfter"}, "duplicateof": {"duplicateOfId"},
	"ua": {"userAgent"}, "customfields": {"metadata"},
	"events": {"eventTypes"}, "active": {"enabled"}, "permissions": {"scopes"},
}

// DidYouMean returns a suggestion for the end of a sentence: the known word that another tracker calls by an unknown one, or the
// one that is most similar to it. Words
// are similar when at most a third of the characters differ, or one is a prefix of the other. It returns "" when no known
// word is similar.
func DidYouMean(name string, known []string) string {
	name = strings.ToLower(name)
	for _, word := range synonyms[strings.NewReplacer("_", "", "-", "").Replace(name)] {
		if slices.Contains(known, word) {
			return "; did you mean " + word + "?"
		}
	}
	best, distance := "", len(name)+1
	for _, word := range known {
		w := strings.ToLower(word)
		d := levenshtein(name, w)
		isPrefix := min(len(name), len(w)) >= 3 && (strings.HasPrefix(name, w) || strings.HasPrefix(w, name))
		if (isPrefix || d <= len(name)/3) && d < distance {
			best, distance = "; did you mean "+word+"?", d
		}
	}
	return best
}

const maxSuggested = 40 // bytes of a word that may be misspelt; it bounds the work of levenshtein

// levenshtein returns the Levenshtein distance of two words. A word a of more than maxSuggested bytes has nothing in common
// with b.
func levenshtein(a, b string) int {
	if len(a) > maxSuggested {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Package suggest finds the known word that a mistyped one means.
package suggest

import (
	"slices"
	"strings"
)

// synonyms are the words of other trackers for members and parameters. A word may have several names, such as labels
// in a body and label in a list.
var synonyms = map[string][]string{
	"title": {"summary"}, "subject": {"summary"}, "name": {"summary"},
	"body": {"description"}, "content": {"description"}, "details": {"description"},
	"state": {"status"}, "tags": {"labels", "label"}, "tag": {"label", "labels"}, "label": {"labels"},
	"labels":   {"label"},
	"assignee": {"assigneeId"}, "assignees": {"assigneeId"}, "owner": {"assigneeId"},
	"author": {"reporterId"}, "creator": {"reporterId"}, "reporter": {"reporterId"},
	"project": {"workspaceId"}, "projectid": {"workspaceId"}, "team": {"workspaceId"}, "teamid": {"workspaceId"},
	"url": {"sourceUrl"}, "search": {"q"}, "query": {"q"}, "since": {"createdAfter"}, "duplicateof": {"duplicateOfId"},
	"ua": {"userAgent"}, "customfields": {"metadata"},
	"events": {"eventTypes"}, "active": {"enabled"}, "permissions": {"scopes"},
}

// DidYouMean returns a suggestion for the end of a sentence: the known word that another tracker calls by an unknown
// one, or the one that is most similar to it. Words are similar when at most a third of the characters differ, or one
// is a prefix of the other. It returns "" when no known word is similar.
func DidYouMean(name string, known []string) string {
	if word := Nearest(name, known); word != "" {
		return "; did you mean " + word + "?"
	}
	return ""
}

// Nearest returns the known word that DidYouMean suggests, "" for none.
func Nearest(name string, known []string) string {
	name = strings.ToLower(name)
	for _, word := range synonyms[strings.NewReplacer("_", "", "-", "").Replace(name)] {
		if slices.Contains(known, word) {
			return word
		}
	}
	best, least := "", len(name)+1
	for _, word := range known {
		w := strings.ToLower(word)
		d := distance(name, w)
		isPrefix := min(len(name), len(w)) >= 3 && (strings.HasPrefix(name, w) || strings.HasPrefix(w, name))
		if (isPrefix || d <= len(name)/3) && d < least {
			best, least = word, d
		}
	}
	return best
}

const maxSuggested = 40 // bytes of a word that may be misspelt; it bounds the work of distance

// distance returns how many bytes must be inserted, removed, replaced or exchanged with their neighbour to make one
// word the other. A word a of more than maxSuggested bytes has nothing in common with b.
func distance(a, b string) int {
	if len(a) > maxSuggested {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1) // of the prefixes of a
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		for j := range len(b) {
			change := rows[i][j]
			if a[i] != b[j] {
				change++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				change = min(change, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = min(change, rows[i][j+1]+1, rows[i+1][j]+1)
		}
	}
	return rows[len(a)][len(b)]
}

package schema

import "strings"

// DidYouMean names the known word that an unknown one is near to, for the end of a sentence: at
// most a third of it is other, or one begins with the other. It is empty when none is.
func DidYouMean(name string, known []string) string {
	name = strings.ToLower(name)
	best, distance := "", len(name)+1
	for _, word := range known {
		w := strings.ToLower(word)
		d := edits(name, w)
		begins := min(len(name), len(w)) >= 3 && (strings.HasPrefix(name, w) || strings.HasPrefix(w, name))
		if (begins || d <= len(name)/3) && d < distance {
			best, distance = "; did you mean "+word+"?", d
		}
	}
	return best
}

// edits is the Levenshtein distance of two short words.
func edits(a, b string) int {
	if len(a) > 40 {
		return len(a)
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

package store

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// mayHaveWords returns the condition that a name may have words that begin with those of a search, "true" without any. It is exact for no
// name: one of ASCII characters is compared by the text of the words alone, and every other one is selected, because only package words
// knows its accents and its letters in lower case.
func (e *engine) mayHaveWords(p *params, column string, searched []string) string {
	if len(searched) == 0 {
		return "1 = 1"
	}
	var contained []string
	for _, w := range searched {
		if strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			contained = []string{"1 = 0"} // no name of ASCII characters has it
			break
		}
		contained = append(contained, fmt.Sprintf(e.lower, column)+" LIKE "+p.add("%"+w+"%"))
	}
	return "(octet_length(" + column + ") <> length(" + column + ") OR " + strings.Join(contained, " AND ") + ")"
}

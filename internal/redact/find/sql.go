package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// insertedValues removes the values of secret columns in INSERT INTO a (user, password) VALUES ('mara', '…'). The
// word VALUES begins at i, and v follows it.
func (x *Scanner) insertedValues(i, v int) {
	s := x.s
	head := strings.TrimRight(s[max(0, i-2*maxCommand):i], " \t")
	open := strings.LastIndexByte(head, '(')
	if open < 0 || head[len(head)-1] != ')' || s[v] != '(' {
		return
	}
	var meanings []decide.Meaning
	found := false
	for name := range strings.SplitSeq(head[open+1:len(head)-1], ",") {
		m := x.Set.Meaning(strings.Trim(name, " \t`\"[]"))
		found = found || m.IsSecret()
		meanings = append(meanings, m)
	}
	for found && v < len(s) && s[v] == '(' {
		v = x.rowValues(v+1, meanings)
		if v = blanksEnd(s, v); v < len(s) && s[v] == ',' {
			v = blanksEnd(s, v+1)
		}
	}
}

// rowValues removes the values of secret columns in a row of values, and returns where it ends.
func (x *Scanner) rowValues(v int, meanings []decide.Meaning) int {
	s := x.s
	for n := 0; v < len(s) && s[v] != ')'; n++ {
		v = blanksEnd(s, v)
		from, to, next, ok := lex.Quoted(s, v)
		if ok && n < len(meanings) && meanings[n].IsSecret() {
			x.removeText(from, to, meanings[n], decide.Stated)
		}
		for v = next; v < len(s) && s[v] != ',' && s[v] != ')'; v++ {
		}
		if v < len(s) && s[v] == ',' {
			v++
		}
	}
	return v + 1
}

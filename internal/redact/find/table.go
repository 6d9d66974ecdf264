package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

const maxColumns = 40

// removeCells removes the cells of a row below the name of a secret. Another line ends the table.
func (x *Scanner) removeCells() {
	s, t := x.s, x.st.table
	if t == nil || isRule(s) {
		return
	}
	x.st.table = nil
	if strings.IndexByte(s, t.sign) < 0 {
		return
	}
	n := 0
	fits := eachCell(s, t.sign, func(from, to int) {
		if n++; n > len(t.means) || !t.means[n-1].IsSecret() {
			return
		}
		if q, qTo, next, ok := lex.Quoted(s, from); ok && next == to {
			from, to = q, qTo
		}
		x.removeText(from, to, t.means[n-1], decide.Cell)
	})
	if fits && n == len(t.means) {
		x.st.table = t
	} else {
		x.Edits = x.Edits[:0]
	}
}

// beginTable recognizes the heading of a table with the name of a secret.
func (x *Scanner) beginTable() {
	s := x.s
	if x.st.table != nil || x.MidLine || isRule(s) {
		return
	}
	isFurther := x.st.inRows
	sign := headingSign(s)
	x.st.inRows = sign != 0 || strings.IndexByte(s, '|') >= 0
	if sign == 0 || isFurther {
		return
	}
	var means []decide.Meaning
	isSecret := false
	fits := eachCell(s, sign, func(from, to int) {
		m := x.Set.Meaning(strings.ReplaceAll(strings.Trim(s[from:to], "\"'`*"), " ", "_"))
		isSecret = isSecret || m.IsSecret()
		means = append(means, m)
	})
	if fits && isSecret && len(means) > 1 {
		x.st.table = &table{sign, means}
	}
}

// headingSign returns the sign between the cells of a line that may be the heading of a table; 0 for another line.
func headingSign(s string) (sign byte) {
	if len(s) > 1000 {
		return 0
	}
	for i := range len(s) {
		switch c := s[i]; {
		case lex.In(c, lex.Word|lex.Space|lex.Quote) && c != '\t' || c == '*':
		case c != '|' && c != '\t' && c != ',' && c != ';', sign != 0 && c != sign:
			return 0
		default:
			sign = c
		}
	}
	if sign == '|' || sign == '\t' || !strings.Contains(s, " ") {
		return sign
	}
	return 0
}

// isRule reports whether a line is drawn between the rows of a table.
func isRule(s string) bool {
	return s != "" && strings.IndexByte("|+-: ", s[0]) >= 0 && strings.Trim(s, "|+-: \t") == ""
}

// eachCell calls fn with each cell of a row, without the blanks around it. The signs at the edges of a row are not
// between cells. fits is false when there are too many, or a quote does not end.
func eachCell(s string, sign byte, fn func(from, to int)) (fits bool) {
	i, end := rowWithin(s, sign)
	for n := 0; n < maxColumns; n++ {
		for i < end && s[i] != sign && lex.In(s[i], lex.Space) {
			i++
		}
		to := i
		if to < end && s[to] == '"' && sign != '|' {
			if _, _, next, ok := lex.Quoted(s, to); ok {
				to = next
			}
		}
		for to < end && s[to] != sign {
			to++
		}
		next := to + 1
		for to > i && lex.In(s[to-1], lex.Space) {
			to--
		}
		fn(i, to)
		if i = next; next > end {
			return true
		}
	}
	return false
}

// rowWithin returns the bounds of the cells of a row, without the signs at its edges.
func rowWithin(s string, sign byte) (i, end int) {
	end = len(s)
	if sign != '|' {
		return 0, end
	}
	i = lex.Indent(s)
	if i < end && s[i] == sign {
		i++
	}
	for end > i && lex.In(s[end-1], lex.Space) {
		end--
	}
	if end > i && s[end-1] == sign {
		end--
	}
	return i, end
}

package redact

import (
	"strconv"
	"strings"
)

// below says that a secret goes on, or only begins, on the next line.
type below struct {
	m      meaning
	form   int
	indent int    // of the line with its name
	depth  int    // of brackets that are open
	quote  string // that ends it
	words  bool   // items of letters alone are none
	lines  int    // at most so many more
}

const (
	inJSON    = iota // "name": or "name": [
	inYAML           // name:
	inElement        // <name>
	inQuotes         // name = """
)

const maxBelow = 100 // lines that a secret goes on for

// awaits notes that the value of a name stands on the next line.
func (x *scan) awaits(m meaning, form int) {
	if !x.url && !x.mid {
		name := x.s[max(x.from, 0):max(x.to, 0)]
		x.st.below = &below{m: m, form: form, indent: indent(x.s), lines: maxBelow, words: name != "" && name[0] < 'a' || name == "secrets" || name == "tokens"}
	}
}

// goesOn looks at a line on which a secret of an earlier one may stand, and says whether there
// is nothing else to look for in it.
func (x *scan) goesOn() bool {
	s, u := x.s, *x.st.below
	x.st.below = nil
	i := indent(s)
	if u.lines--; u.lines == 0 || x.mid && u.form != inJSON {
		return false
	}
	if i == len(s) && u.form != inYAML {
		x.st.below = &u
		return true
	}
	switch u.form {
	case inJSON:
		return x.json(i, u)
	case inYAML:
		return x.yaml(i, u)
	case inElement:
		end := strings.IndexByte(s, '<')
		if end < 0 {
			x.st.below = &u
			end = len(s)
		}
		if text := strings.TrimRight(s[:end], " \t"); i < len(text) && extent(text[i:], false) != nothing {
			x.secret(i, len(text), u.m)
		}
		return end == len(s)
	default:
		end := strings.Index(s, u.quote)
		if end < 0 {
			x.st.below = &u
			end = len(s)
		}
		x.secret(min(i, end), end, u.m)
		return end == len(s)
	}
}

// json looks at the value of a name, or at the items of a list or an object under it.
func (x *scan) json(i int, u below) bool {
	s := x.s
	switch {
	case u.depth > 0 && (x.mid || i >= u.indent && item(s[i:])):
		x.span(x.contained(i, u.depth, u), len(s))
		return true
	case u.depth > 0 || i == len(s) || strings.HasPrefix(s[i:], `"""`):
	case s[i] == '"' || s[i] == '[' || s[i] == '{' || isDigit(s[i]):
		if m := u.m; m.class != digits || isDigit(s[i]) {
			x.span(x.value(i, m, true, false), len(s))
			return true
		}
	}
	return false
}

// item says whether a line could be of JSON.
func item(s string) bool {
	if strings.IndexByte("\"{}[]", s[0]) >= 0 {
		return true
	}
	s = strings.TrimRight(s, ", \t")
	return constant(s) || strings.Trim(s, "0123456789.eE+-") == ""
}

// yaml looks at a value that stands below its name, or at the items of a list there.
func (x *scan) yaml(i int, u below) bool {
	s := x.s
	v := i
	if strings.HasPrefix(s[i:], "- ") && i >= u.indent {
		v = run(s, i+1, space)
	} else if i <= u.indent || i == len(s) {
		return false
	}
	if v == len(s) || names(s, v) {
		return false
	}
	far := extent(s[v:], false)
	if far == nothing {
		return false
	}
	if v > i {
		x.st.below = &u
	}
	if v == i || !u.words || strings.ContainsAny(s[v:], "0123456789!@#$%^&*+=") {
		x.span(x.value(v, u.m, false, far == all), len(s))
	}
	return true
}

// continued does what earlier lines ask of this one, and says whether that was all.
func (x *scan) continued() bool {
	st, s := x.st, x.s
	if st.aws > 0 {
		st.aws--
		x.awsSecret(0)
	}
	if st.pair > 0 {
		st.pair--
	}
	if st.putty > 0 {
		st.putty--
		x.take(0, len(s), kindKey)
		return true
	}
	if n, ok := strings.CutPrefix(s, "Private-Lines: "); ok {
		if lines, err := strconv.Atoi(strings.TrimSpace(n)); err == nil && lines <= 500 {
			st.putty = lines
		}
	}
	if st.netrc > 0 {
		st.netrc--
	}
	if st.below != nil && x.goesOn() {
		return true
	}
	if st.block == 0 && !st.kube {
		return false
	}
	ind := indent(s)
	if ind == len(s) {
		return false
	}
	if st.block > 0 {
		if ind >= st.block {
			x.take(ind, len(s), kindField)
			return true
		}
		st.block = 0
	}
	if st.data > 0 && ind < st.data {
		st.data = 0
	}
	switch text := s[ind:]; {
	case !st.kube:
	case st.data > 0:
		if colon := strings.IndexByte(text, ':'); colon >= 0 {
			x.from, x.to = ind, ind+colon
			x.value(run(s, ind+colon+1, space), meaning{sure, kindField}, true, true)
			return true
		}
	case text == "data:" || text == "stringData:":
		st.data = ind + 1
	case text == "---":
		st.kube = false
	}
	return false
}

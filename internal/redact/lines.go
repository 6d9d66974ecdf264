package redact

import (
	"strconv"
	"strings"
)

// continuation is a secret that continues, or begins, on the next line.
type continuation struct {
	m      meaning
	form   int
	indent int    // of the line with its name
	depth  int    // open brackets
	quote  string // that ends it
	words  bool   // items of letters alone are no secrets
	lines  int    // the most lines that may follow
}

const (
	inJSON    = iota // "name": or "name": [
	inYAML           // name:
	inElement        // <name>
	inQuotes         // name = """
)

const maxBelow = 100 // lines of a secret after that of its name

// awaitValue records that the value of a name is on the next line.
func (x *scan) awaitValue(m meaning, form int) {
	if !x.url && !x.midLine {
		name := x.s[max(x.from, 0):max(x.to, 0)]
		words := name != "" && name[0] < 'a' || name == "secrets" || name == "tokens"
		x.st.continuation = &continuation{m: m, form: form, indent: indent(x.s), lines: maxBelow, words: words}
	}
}

// continueValue removes the part of a value that an earlier line has begun, and reports whether the whole line is scanned.
func (x *scan) continueValue() bool {
	s, u := x.s, *x.st.continuation
	x.st.continuation = nil
	i := indent(s)
	if u.lines--; u.lines == 0 || x.midLine && u.form != inJSON {
		return false
	}
	if i == len(s) && u.form != inYAML {
		x.st.continuation = &u
		return true
	}
	switch u.form {
	case inJSON:
		return x.continueJSON(i, u)
	case inYAML:
		return x.continueYAML(i, u)
	case inElement:
		end := strings.IndexByte(s, '<')
		if end < 0 {
			x.st.continuation = &u
			end = len(s)
		}
		if text := strings.TrimRight(s[:end], " \t"); i < len(text) && valueExtent(text[i:], false) != extentNone {
			x.removeUnlessPlaceholder(i, len(text), u.m)
		}
		return end == len(s)
	default:
		end := strings.Index(s, u.quote)
		if end < 0 {
			x.st.continuation = &u
			end = len(s)
		}
		x.removeUnlessPlaceholder(min(i, end), end, u.m)
		return end == len(s)
	}
}

// continueJSON removes the value of a name, or the items of its list or object, and reports whether it did.
func (x *scan) continueJSON(i int, u continuation) bool {
	s := x.s
	switch {
	case u.depth > 0 && (x.midLine || i >= u.indent && isJSONItem(s[i:])):
		x.scanSpan(x.removeInBrackets(i, u.depth, u), len(s))
		return true
	case u.depth > 0 || i == len(s) || strings.HasPrefix(s[i:], `"""`):
	case s[i] == '"' || s[i] == '[' || s[i] == '{' || isDigit(s[i]):
		if m := u.m; m.class != secretIfNumber || isDigit(s[i]) {
			x.scanSpan(x.removeValue(i, m, true, false), len(s))
			return true
		}
	}
	return false
}

// isJSONItem reports whether a line could be a line of JSON.
func isJSONItem(s string) bool {
	if strings.IndexByte("\"{}[]", s[0]) >= 0 {
		return true
	}
	s = strings.TrimRight(s, ", \t")
	return isConstant(s) || strings.Trim(s, "0123456789.eE+-") == ""
}

// continueYAML removes a value below its name, or the items of a list there, and reports whether it did.
func (x *scan) continueYAML(i int, u continuation) bool {
	s := x.s
	v := i
	if strings.HasPrefix(s[i:], "- ") && i >= u.indent {
		v = run(s, i+1, space)
	} else if i <= u.indent || i == len(s) {
		return false
	}
	if v == len(s) || isAssignment(s, v) {
		return false
	}
	far := valueExtent(s[v:], false)
	if far == extentNone {
		return false
	}
	if v > i {
		x.st.continuation = &u
	}
	if v == i || !u.words || strings.ContainsAny(s[v:], "0123456789!@#$%^&*+=") {
		x.scanSpan(x.removeValue(v, u.m, false, far == extentAll), len(s))
	}
	return true
}

// applyState removes what earlier lines say of this one, and reports whether the whole line is scanned.
func (x *scan) applyState() bool {
	st, s := x.st, x.s
	if st.aws > 0 {
		st.aws--
		x.removeAWSSecret(0)
	}
	if st.pair > 0 {
		st.pair--
	}
	if st.putty > 0 {
		st.putty--
		x.remove(0, len(s), kindKey)
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
	if st.continuation != nil && x.continueValue() {
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
			x.remove(ind, len(s), kindField)
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
			x.removeValue(run(s, ind+colon+1, space), meaning{class: alwaysSecret, kind: kindField}, true, true)
			return true
		}
	case text == "data:" || text == "stringData:":
		st.data = ind + 1
	case text == "---":
		st.kube = false
	}
	return false
}

package find

import (
	"strconv"
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// applyState removes what earlier lines say of this one, and returns where the scan goes on.
func (x *Scanner) applyState() (from int) {
	st, s := x.st, x.s
	if st.aws > 0 {
		st.aws--
		x.removeAWSSecret(0)
	}
	if st.putty > 0 {
		st.putty--
		x.remove(0, len(s), decide.PrivateKey)
		return len(s)
	}
	if n, ok := strings.CutPrefix(s, "Private-Lines: "); ok {
		if lines, err := strconv.Atoi(strings.TrimSpace(n)); err == nil && lines <= 500 {
			st.putty = lines
		}
	}
	st.pair, st.netrc = max(0, st.pair-1), max(0, st.netrc-1)
	if st.continuation != nil {
		if from, ok := x.continueValue(); ok {
			return from
		}
	}
	x.passwordFile()
	ind := lex.Indent(s)
	if st.block == 0 && !st.Kube || ind == len(s) {
		return 0
	}
	if st.block > 0 {
		if ind >= st.block {
			x.remove(ind, len(s), decide.Block)
			return len(s)
		}
		st.block = 0
	}
	return x.kubernetesSecret(ind)
}

// kubernetesSecret removes a value of the data of a Kubernetes secret. It returns where the scan goes on.
func (x *Scanner) kubernetesSecret(ind int) int {
	st, s := x.st, x.s
	if st.data > 0 && ind < st.data {
		st.data = 0
	}
	switch text := s[ind:]; {
	case !st.Kube:
	case st.data > 0:
		if colon := strings.IndexByte(text, ':'); colon >= 0 {
			x.from, x.to = ind, ind+colon
			x.removeValue(blanksEnd(s, ind+colon+1), decide.SecretData, decide.Stated, true)
			return len(s)
		}
	case text == "data:" || text == "stringData:":
		st.data = ind + 1
	case text == "---":
		st.Kube = false
	}
	return 0
}

// passwordFile removes the password of a line of PostgreSQL's password file: host:port:database:user:password.
func (x *Scanner) passwordFile() {
	s := x.s
	if len(s) > 200 || strings.IndexByte(s, ' ') >= 0 || strings.Count(s, ":") != 4 ||
		strings.ContainsAny(s, "\t\"'/") {
		return
	}
	parts := strings.Split(s, ":")
	if parts[1] == "*" || len(parts[1]) == 4 && decide.IsNumber(parts[1]) {
		if parts[0] != "" && parts[3] != "" && !decide.IsNumber(parts[0]) {
			x.removeText(len(s)-len(parts[4]), len(s), decide.Login, decide.Sign)
		}
	}
}

// continueValue removes the part of a value that an earlier line has begun. It returns where the scan goes on; ok is
// false when the line does not continue it.
func (x *Scanner) continueValue() (from int, ok bool) {
	s, u := x.s, *x.st.continuation
	x.st.continuation = nil
	i := lex.Indent(s)
	if u.lines--; u.lines == 0 || x.MidLine && u.form != inJSON {
		return 0, false
	}
	if i == len(s) && (u.form != inYAML || u.lines > maxBelow-3) {
		x.st.continuation = &u
		return i, true
	}
	switch u.form {
	case inJSON:
		return x.continueJSON(i, u)
	case inYAML:
		return x.continueYAML(i, u)
	case inNext:
		return x.nextLine(i, u)
	case inElement:
		end := x.endOfContinued("<", u)
		if text := strings.TrimRight(s[:end], " \t"); i < len(text) &&
			decide.ExtentOf(text[i:], false) != decide.NoValue {
			x.removeUnlessPlaceholder(i, len(text), u.m)
		}
		return end, end == len(s)
	default:
		end := x.endOfContinued(u.quote, u)
		x.removeUnlessPlaceholder(min(i, end), end, u.m)
		return end, end == len(s)
	}
}

// endOfContinued returns where a value ends before a text; at the end of the line it goes on in the next one.
func (x *Scanner) endOfContinued(before string, u continuation) int {
	end := strings.Index(x.s, before)
	if end < 0 {
		x.st.continuation = &u
		return len(x.s)
	}
	return end
}

// continueJSON removes the value of a name, or the items of its list or object, and returns where the scan goes on.
func (x *Scanner) continueJSON(i int, u continuation) (from int, ok bool) {
	s := x.s
	switch {
	case u.depth > 0 && (x.MidLine || i >= u.indent && isJSONItem(s[i:])):
		return x.removeInBrackets(i, u), true
	case u.depth > 0 || i == len(s) || strings.HasPrefix(s[i:], `"""`):
	case s[i] == '"' || s[i] == '[' || s[i] == '{' || lex.IsDigit(s[i]):
		if u.m.Class != decide.IfNumber || lex.IsDigit(s[i]) {
			return x.removeValue(i, u.m, decide.Member, false), true
		}
	}
	return 0, false
}

// isJSONItem reports whether a line could be a line of JSON.
func isJSONItem(s string) bool {
	if strings.IndexByte("\"{}[]", s[0]) >= 0 {
		return true
	}
	s = strings.TrimRight(s, ", \t")
	return decide.IsConstant(s) || strings.Trim(s, "0123456789.eE+-") == ""
}

// continueYAML removes a value below its name, or the items of a list there, and returns where the scan goes on.
func (x *Scanner) continueYAML(i int, u continuation) (from int, ok bool) {
	s := x.s
	v := i
	if strings.HasPrefix(s[i:], "- ") && i >= u.indent {
		v = blanksEnd(s, i+1)
	} else if i == u.indent && i < len(s) {
		return x.nextLine(i, u)
	} else if i <= u.indent || i == len(s) {
		return 0, false
	}
	if v == len(s) || isAssignment(s, v) {
		return 0, false
	}
	far := decide.ExtentOf(s[v:], false)
	if far == decide.NoValue {
		return 0, false
	}
	if v > i {
		x.st.continuation = &u
	}
	if v == i || !u.words || strings.ContainsAny(s[v:], "0123456789!@#$%^&*+=") {
		return x.removeValue(v, u.m, decide.Colon, far == decide.WholeText), true
	}
	return len(s), true
}

// nextLine removes the word that is all of the line after that of its name. It returns where the scan goes on.
func (x *Scanner) nextLine(i int, u continuation) (from int, ok bool) {
	s := strings.TrimRight(x.s, " \t")
	if strings.ContainsAny(s[i:], " \t") || isAssignment(s, i) ||
		strings.IndexByte("#|>-+=<{[(", s[i]) >= 0 || s[len(s)-1] == ':' || decide.IsPlainWord(s[i:]) {
		return 0, false
	}
	return len(s), x.removeText(i, len(s), u.m, decide.Colon)
}

// removeAWSSecret removes a text as long as a secret key of AWS, after an access key.
func (x *Scanner) removeAWSSecret(i int) {
	s := x.s
	for limit := min(len(s), i+300); i < limit; i++ {
		end := lex.Run(s, i, lex.Alnum|lex.Base)
		if end == i {
			continue
		}
		if end-i == 41 && s[i] == '=' {
			i++
		}
		if end-i == 40 && lex.HasCapitalAndDigit(s[i:end]) {
			x.remove(i, end, decide.AWSSecret)
			return
		}
		i = end
	}
}

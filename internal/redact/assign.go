package redact

import (
	"regexp"
	"strings"
)

// assignment is a name and a value: password=…, "token": "…", --api-key …, TOKEN: …, also with
// the quotes of JSON inside of JSON.
var assignment = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.\-]{1,60})(\\{0,3}["'` + "`" + `]?\]?\s{0,4}(?:=>|:=|=|:)\s{0,4}|["']?\s{1,2})(\\{0,3}["'` + "`" + `]?)`)

// hints stand, in lower case, in every name that the built-in rules know.
var nameHints = []string{"pass", "pwd", "secret", "token", "key", "auth", "session", "sess", "sid", "cvv", "cvc", "csc", "otp", "ssn", "pin", "pan", "cc", "card", "cookie", "credential", "jwt", "bearer", "sig", "csrf", "xsrf", "pw", "code", "signature"}

// assignments removes the values of secret names.
func (d *Redactor) assignments(s string, c Counts) string {
	if !strings.ContainsAny(s, "=:") && !strings.Contains(s, "--") {
		return s
	}
	if len(d.fields) == 0 && !has(s, nameHints, true) {
		return s
	}
	var b strings.Builder
	end, from := 0, 0
	for from < len(s) {
		at := assignment.FindStringSubmatchIndex(s[from:])
		if at == nil {
			break
		}
		for i := range at {
			at[i] += from
		}
		from = at[1]
		name, operator, quote := s[at[2]:at[3]], s[at[4]:at[5]], s[at[6]:at[7]]
		if !d.assigns(s, at[2], name, operator) {
			from = at[3] // the operator may begin the next name
			continue
		}
		stop := valueEnd(s, at[1], quote, strings.ContainsAny(operator, "=") || at[2] > 0 && (s[at[2]-1] == '?' || s[at[2]-1] == '&'))
		value := s[at[1]:stop]
		if !d.worth(name, operator, quote, value) {
			continue
		}
		c["field"]++
		b.WriteString(s[end:at[1]])
		b.WriteString(mark("field"))
		end, from = stop, stop
	}
	if end == 0 {
		return s
	}
	b.WriteString(s[end:])
	return b.String()
}

// assigns says whether a name is one of a secret and the operator gives it a value. A mere
// space does so after an option of a command alone.
func (d *Redactor) assigns(s string, at int, name, operator string) bool {
	if strings.TrimSpace(strings.Trim(operator, `\"'`)) == "" && (at < 2 || s[at-2:at] != "--") {
		return false
	}
	if rest := s[at+len(name)+len(operator):]; strings.HasSuffix(operator, "=") && (strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "~")) {
		return false // a comparison
	}
	if strings.HasPrefix(operator, ":") && strings.HasPrefix(s[at+len(name):], "://") {
		return false
	}
	return d.secretName(name[strings.LastIndexByte(name, '.')+1:]) || d.secretName(name)
}

// valueEnd returns where a value ends: at its quote, or at what ends a word.
func valueEnd(s string, from int, quote string, tight bool) int {
	if quote != "" {
		for i := from; i < len(s) && i < from+64<<10; i++ {
			if strings.HasPrefix(s[i:], quote) && (len(quote) > 1 || i == 0 || s[i-1] != '\\' || quote[0] == '\\') {
				return i
			}
			if s[i] == '\n' && quote != "`" {
				return i
			}
		}
		return min(len(s), from+64<<10)
	}
	stops := " \t\r\n,;&\"'<>`)}]\\"
	if tight {
		stops = " \t\r\n;&\"'<>`\\"
	}
	if n := strings.IndexAny(s[from:], stops); n >= 0 {
		return from + n
	}
	return len(s)
}

// worth says whether a value is one that goes: not gone already, not empty, no code, and in
// prose, where a colon is followed by the next word, one that looks like a secret.
func (d *Redactor) worth(name, operator, quote, value string) bool {
	if value == "" || marked(value) || strings.HasPrefix(value, "${") || strings.HasPrefix(value, "$(") || strings.HasPrefix(value, "{{") {
		return false
	}
	word := strings.ToLower(strings.Trim(value, ".,;:!?()"))
	if prose[word] || strings.Trim(value, "*•.x") == "" {
		return false
	}
	if quote != "" || strings.Contains(operator, "=") {
		if quote == "" && strings.HasPrefix(operator, " ") && strings.HasSuffix(operator, " ") && strings.ContainsAny(value, "(.") && !mixed(value) {
			return false // code: token = getToken()
		}
		return true
	}
	n := squash(name)
	if strings.Contains(n, "pass") || strings.Contains(n, "pwd") || matchAny(d.fields, n) {
		return len(value) > 3
	}
	return len(value) >= 6 && mixed(value)
}

package redact

import "strings"

// copulas are verbs between the name of a secret and the secret in a sentence.
var copulas = map[string]bool{"is": true, "was": true, "ist": true, "war": true, "lautet": true, "lautete": true, "est": true, "es": true}

// inSentence removes a secret that a sentence gives to the name s[i:j] without a sign: in quotes, after a verb, or the code of a card. It
// returns where to continue, or j.
func (x *scan) inSentence(name string, i, v, j int) int {
	s := x.s
	q := sets[s[v]]&quote != 0
	if !q && byteRoles[s[v]] != isWord {
		return j
	}
	if q && strings.EqualFold(name, "by") && x.before >= 0 && strings.EqualFold(s[x.before:i-1], "identified") {
		return x.removeValue(v, meaning{class: alwaysSecret, kind: kindField}, true, false)
	}
	next := run(s, v, word)
	coded := next-v >= 3 && next-v <= 4 && len(name) <= 4 && run(s, v, alnum) == next && isNumber(s[v:next])
	at := next + 1
	if !q && !coded && (at >= len(s) || s[next] != ' ' || !copulas[s[v:next]]) {
		return j
	}
	m := x.r.meaningOf(name)
	switch {
	case m.class != alwaysSecret && (m.class != secretIfNumber || !coded):
	case q:
		return x.removeValue(v, m, true, false)
	case coded && !strings.EqualFold(name[:2], "cv"):
	case coded:
		x.remove(v, next, m.kind)
		return next
	default:
		end := x.bareEnd(at, false)
		if text := strings.TrimRight(s[at:end], ".,;:!?"); len(text) >= 6 && strings.ContainsAny(text, "0123456789") {
			x.remove(at, at+len(text), m.kind)
			return max(end, at)
		}
	}
	return j
}

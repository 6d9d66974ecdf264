package redact

import "strings"

// copulas stand in a sentence between the name of a secret and the secret.
var copulas = map[string]bool{"is": true, "was": true, "ist": true, "war": true, "lautet": true, "lautete": true, "est": true, "es": true}

// stated takes the secret that a name says at v without a sign between them: in quotes, behind a verb,
// or the code of a card. It returns where to go on, or j.
func (x *scan) stated(name string, i, v, j int) int {
	s := x.s
	q := sets[s[v]]&quote != 0
	if !q && begins[s[v]] != isWord {
		return j
	}
	if q && strings.EqualFold(name, "by") && x.before >= 0 && strings.EqualFold(s[x.before:i-1], "identified") {
		return x.value(v, meaning{sure, kindField}, true, false)
	}
	next := run(s, v, word)
	coded := next-v >= 3 && next-v <= 4 && len(name) <= 4 && run(s, v, alnum) == next && number(s[v:next])
	at := next + 1
	if !q && !coded && (at >= len(s) || s[next] != ' ' || !copulas[s[v:next]]) {
		return j
	}
	m := x.r.name(name)
	switch {
	case m.class != sure && (m.class != digits || !coded):
	case q:
		return x.value(v, m, true, false)
	case coded && !strings.EqualFold(name[:2], "cv"):
	case coded:
		x.take(v, next, m.kind)
		return next
	default:
		end := x.bareEnd(at, false)
		if text := strings.TrimRight(s[at:end], ".,;:!?"); len(text) >= 6 && strings.ContainsAny(text, "0123456789") {
			x.take(at, at+len(text), m.kind)
			return max(end, at)
		}
	}
	return j
}

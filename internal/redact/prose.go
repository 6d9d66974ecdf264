package redact

import "strings"

// harmless are words that stand where a secret could and are none.
var harmless = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`a an the is are was were be been must should shall may might can cannot could will would has have had does do not no
		on off yes of for in to at as by and or if it its this that these please try check enter use reset change contains contain need needs
		null nil none undefined nan true false empty unset missing required optional invalid expired expires expiring revoked rejected denied valid
		wrong incorrect failed failure failing error mismatch mismatched too unexpected expected unknown unsupported malformed ok okay success
		string number boolean object array str int bool any text password hidden masked redacted filtered removed secret placeholder
		user login logged logout started ended refreshed updated created deleted changed only when your our my we you i field value type with without
		nothing everything something passed pending skipped already never always new old same different between after before cannot couldn't can't don't doesn't didn't isn't wasn't won't`) {
		all[w] = true
	}
	return all
}()

// constant says whether a value stands for none, or for a state.
func constant(s string) bool {
	switch strings.ToLower(s) {
	case "null", "nil", "none", "undefined", "nan", "true", "false", "yes", "no", "on", "off", "required", "optional", "missing", "invalid", "expired", "empty",
		"include", "same-origin", "omit": // of fetch
		return true
	}
	return false
}

// prose says whether what stands after a colon is a sentence, or says that there is nothing.
func prose(s string, whole bool) bool {
	first, rest, more := strings.Cut(s, " ")
	first = strings.ToLower(strings.Trim(first, ".,;:!?()"))
	switch first {
	case "", "string", "number", "boolean", "str", "int", "bool", "any", "text": // a type
		return true
	}
	if constant(first) {
		return true
	}
	return harmless[first] && (!whole || more && !likely(strings.TrimSpace(rest)))
}

// How far what stands after a name is its value.
const (
	nothing = iota // it is a sentence
	oneWord        // a sentence goes on after it
	all
)

const maxSentence = 300 // of what is looked at to tell a sentence

// extent says how far the text after a name is its value. Several plain words are a sentence;
// in configuration only when a word is among them that passwords have not.
func extent(s string, config bool) int {
	first, rest, _ := strings.Cut(s, " ")
	bracket := strings.HasPrefix(strings.TrimLeft(rest, " "), "(")
	switch {
	case !plainly(rest) || config && !grammatical(s):
		return all
	case plain(first) && !bracket && !schemed(first):
		return nothing
	}
	return oneWord
}

// plainly says whether a text begins with a plain word, numbers and signs aside.
func plainly(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		w = strings.Trim(w, ".,;:!?()[]\"'`*")
		if n++; n > 3 {
			return false
		}
		if w != "" && (len(w) > 4 || strings.Trim(w, "0123456789-+/&=><") != "") {
			return plain(w)
		}
	}
	return false
}

// grammatical says whether one of the first words is of the kind that makes sentences.
func grammatical(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		if n++; n > 20 {
			return false
		}
		if harmless[strings.ToLower(strings.Trim(w, ".,;:!?()"))] {
			return true
		}
	}
	return false
}

// plain says whether a word could be of a dictionary: letters alone, not too many, written
// small, with a capital, or as a short acronym. A dash or a stroke may join two.
func plain(w string) bool {
	letters, capitals := 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 'a' && c <= 'z' || c >= 0x80:
			letters++
		case c >= 'A' && c <= 'Z':
			if capitals++; letters > 0 && capitals != letters+1 {
				return false
			}
			letters++
		case (c == '-' || c == '/' || c == '\'') && letters > 0 && i+1 < len(w):
			letters, capitals = 0, 0
		default:
			return false
		}
		if letters > 20 || capitals > 5 {
			return false
		}
	}
	return letters > 0 && (capitals < 2 || capitals == letters)
}

// keeps says whether a value is none: a constant, a mask, or a place where one is put in.
func keeps(s string) bool {
	if s == "" || len(s) <= 11 && constant(s) {
		return true
	}
	return template(s) || strings.Trim(s, "*•.-_~") == "" || len(s) >= 3 && strings.Trim(s, "xX") == ""
}

// packaged says whether a name that has a word of secrets could as well be a package's.
func packaged(name string) bool {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-/@.") != "" {
		return false
	}
	at := strings.LastIndexAny(name, "-/@.") + 1
	switch name[at:] {
	case "token":
		return at > 0
	case "tokens", "csrf", "xsrf", "jwt", "otp", "totp", "cookie", "cookies", "session", "auth", "jsonwebtoken":
		return true
	}
	return false
}

// version says whether a text is the version of a package, or a range of them.
func version(s string) bool {
	s = strings.TrimLeft(s, "^~>=<v ")
	s, more, _ := strings.Cut(s, "-")
	return strings.Count(s, ".") == 2 && strings.Trim(s, "0123456789.") == "" && len(s) <= 12 && isDigit(s[0]) && run(more, 0, alnum|dot) == len(more) && len(more) <= 12
}

// likely says whether a word after a colon looks like a secret rather than like a word.
func likely(s string) bool {
	var letters, numbers int
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			numbers++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		}
	}
	return numbers > 0 && letters > 0 && len(s) >= 6 || letters == 0 && numbers >= 4 && numbers == len(s) || len(s) >= 20 && strings.IndexByte(s, '(') < 0
}

// random says whether a text is one long word with digits, as tokens and encoded documents are.
func random(s string) bool {
	return len(s) >= 12 && !strings.ContainsAny(s, " \t") && strings.ContainsAny(s, "0123456789") && likely(s)
}

// number says whether a text is digits, in groups perhaps.
func number(s string) bool {
	return s != "" && strings.Trim(s, "0123456789 -") == "" && strings.ContainsAny(s, "0123456789")
}

// block says whether a YAML value follows on the next lines.
func block(s string) bool {
	s = strings.TrimRight(s, " \t")
	return s == "|" || s == ">" || s == "|-" || s == ">-" || s == "|+" || s == ">+"
}

func indent(s string) int { return run(s, 0, space) }

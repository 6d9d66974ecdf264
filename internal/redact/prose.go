package redact

import "strings"

// commonWords are words of sentences and states. They are no secrets where a secret could be.
var commonWords = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`
		a an the is are was were be been must should shall may might can cannot could will would has have had does do not no on
		off yes of for in to at as by and or if it its this that these please try check enter use reset change contains contain
		need needs null nil none undefined nan true false empty unset missing required optional invalid expired expires expiring
		revoked rejected denied valid wrong incorrect failed failure failing error mismatch mismatched too unexpected expected
		unknown unsupported malformed ok okay success string number boolean object array str int bool any text password hidden
		masked redacted filtered removed secret placeholder user login logged logout started ended refreshed updated created
		deleted changed only when your our my we you i field value type with without nothing everything something passed pending
		skipped already never always new old same different between after before cannot couldn't can't don't doesn't didn't isn't
		wasn't won't`) {
		all[w] = true
	}
	return all
}()

// isConstant reports whether a value is a constant or a state, such as null or expired.
func isConstant(s string) bool {
	switch strings.ToLower(s) {
	case "null", "nil", "none", "undefined", "nan", "true", "false", "yes", "no", "on", "off", "required", "optional", "missing",
		"invalid", "expired", "empty",
		"include", "same-origin", "omit": // of fetch
		return true
	}
	return false
}

// states are words that say what became of a secret, and words for required, wrong, forgotten and invalid in other languages.
// After a colon they are no secrets.
var states = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`
		ok started malformed wrong forgotten
		erforderlich falsch vergessen ungültig pflichtfeld obligatoire requis oublié incorrect invalide obligatorio obligatoria requerido
		requerida olvidada inválida incorrecta
		obrigatório obrigatória esquecida inválido incorreta obbligatorio obbligatoria dimenticata errata
		verplicht vergeten onjuist wymagane zapomniane nieprawidłowe povinné povinný zapomenuté nesprávné neplatné
		kötelező elfelejtett hibás
		обязателен обязательно неверный неверен забыт недействителен обов'язковий
		невірний забутий 필수 오류 분실 zorunlu gerekli hatalı geçersiz
		krävs glömt felaktigt påkrævet glemt forkert påkrevd vaaditaan virheellinen unohtunut υποχρεωτικό λάθος مطلوب خطأ נדרש שגויה`) {
		all[w] = true
	}
	return all
}()

// isLength reports whether a text is a length of CSS, such as 320px.
func isLength(s string) bool {
	number, ok := strings.CutSuffix(s, "px")
	return ok && isNumber(number)
}

// isProse reports whether the text after a colon is a sentence, the name of a type, or a constant.
func isProse(s string, whole bool) bool {
	first, rest, more := strings.Cut(s, " ")
	first = strings.ToLower(strings.Trim(first, ".,;:!?()"))
	switch first {
	case "", "string", "number", "boolean", "str", "int", "bool", "any", "text": // a type
		return true
	}
	if isConstant(first) || isUnspaced(first) || !more && (states[first] || isLength(first)) {
		return true
	}
	return commonWords[first] && (!whole || more && !looksSecret(strings.TrimSpace(rest)))
}

// The extents of a value in the text after its name.
const (
	extentNone = iota // the text is a sentence
	extentWord        // a sentence follows it
	extentAll
)

const maxSentence = 300 // bytes that are read to recognise a sentence

// valueExtent returns how much of the text after a name is its value. Several plain words are a sentence. In configuration they are a
// value, unless one of them is a common word.
func valueExtent(s string, config bool) int {
	first, rest, _ := strings.Cut(s, " ")
	bracket := strings.HasPrefix(strings.TrimLeft(rest, " "), "(")
	switch {
	case !beginsWithPlainWord(rest) || config && !hasCommonWord(s):
		return extentAll
	case isPlainWord(first) && !bracket && !isAuthScheme(first):
		return extentNone
	}
	return extentWord
}

// beginsWithPlainWord reports whether the first of the first three words that is neither a number nor a sign is a plain word.
func beginsWithPlainWord(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		w = strings.Trim(w, ".,;:!?()[]\"'`*")
		if n++; n > 3 {
			return false
		}
		if w != "" && (len(w) > 4 || strings.Trim(w, "0123456789-+/&=><") != "") {
			return isPlainWord(w)
		}
	}
	return false
}

// hasCommonWord reports whether one of the first twenty words is a common word.
func hasCommonWord(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		if n++; n > 20 {
			return false
		}
		if commonWords[strings.ToLower(strings.Trim(w, ".,;:!?()"))] {
			return true
		}
	}
	return false
}

// isPlainWord reports whether a word could be in a dictionary: few letters, in lower case, with an initial capital, or a short acronym. A
// dash, a slash or an apostrophe may join two.
func isPlainWord(w string) bool {
	letters, capitals := 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 0x80 && c < 0xc0: // within a letter
		case c >= 'a' && c <= 'z' || c >= 0xc0:
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

// isPlaceholder reports whether a value only stands for another one: a constant, a mask, or a placeholder of a template.
func isPlaceholder(s string) bool {
	if s == "" || len(s) <= 11 && isConstant(s) {
		return true
	}
	return isTemplate(s) || strings.Trim(s, "*•.-_~") == "" || len(s) >= 3 && strings.Trim(s, "xX") == ""
}

// isPackageName reports whether a sensitive name could also be that of a package, such as csrf in a list of dependencies.
func isPackageName(name string) bool {
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

// isVersion reports whether a text is a version of a package, or a range of versions.
func isVersion(s string) bool {
	s = strings.TrimLeft(s, "^~>=<v ")
	s, more, _ := strings.Cut(s, "-")
	numbers := strings.Count(s, ".") == 2 && strings.Trim(s, "0123456789.") == "" && len(s) <= 12 && isDigit(s[0])
	return numbers && run(more, 0, alnum|dot) == len(more) && len(more) <= 12
}

// looksSecret reports whether a word looks like a secret and not like a word of a sentence.
func looksSecret(s string) bool {
	var letters, numbers int
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			numbers++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		}
	}
	switch {
	case numbers > 0 && letters > 0 && len(s) >= 6, letters == 0 && numbers >= 4 && numbers == len(s):
		return true
	}
	return len(s) >= 20 && strings.IndexByte(s, '(') < 0
}

// looksRandom reports whether a text is one long word with digits, as tokens and encoded documents are.
func looksRandom(s string) bool {
	return len(s) >= 12 && !strings.ContainsAny(s, " \t") && strings.ContainsAny(s, "0123456789") && looksSecret(s)
}

// isNumber reports whether a text consists of digits, also in groups.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789 -") == "" && strings.ContainsAny(s, "0123456789")
}

// isBlockScalar reports whether a value of YAML follows on the next lines.
func isBlockScalar(s string) bool {
	s = strings.TrimRight(s, " \t")
	return s == "|" || s == ">" || s == "|-" || s == ">-" || s == "|+" || s == ">+"
}

// isAuthScheme reports whether a word is an authentication scheme.
func isAuthScheme(name string) bool {
	switch strings.ToLower(name) {
	case "bearer", "basic", "digest", "token", "negotiate", "apikey", "aws4-hmac-sha256", "hawk", "ntlm", "signature", "oauth", "dpop":
		return true
	}
	return false
}

package redact

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// name is a rule about names: folded, with an open beginning or end.
type name struct {
	text       string
	head, tail bool // * stands there
}

func names(what string, all []string) ([]name, error) {
	var out []name
	for i, text := range all {
		n := name{head: strings.HasPrefix(text, "*"), tail: strings.HasSuffix(text, "*")}
		n.text = squash(strings.Trim(text, "*"))
		if n.text == "" || len(text) > maxLength {
			return nil, fmt.Errorf("%s/%d: %q is no name", what, i, text)
		}
		out = append(out, n)
	}
	return out, nil
}

func (n name) matches(squashed string) bool {
	switch {
	case n.head && n.tail:
		return strings.Contains(squashed, n.text)
	case n.head:
		return strings.HasSuffix(squashed, n.text)
	case n.tail:
		return strings.HasPrefix(squashed, n.text)
	}
	return squashed == n.text
}

// squash folds a name: clientSecret, client-secret and CLIENT_SECRET are one.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// split returns the words of a name, in lower case: those between separators and humps.
func split(s string) []string {
	var words []string
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(s[start:end]))
		}
	}
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case !isAlnum(ch):
			flush(i)
			start = i + 1
		case i > start && isUpper(ch) && (!isUpper(s[i-1]) || i+1 < len(s) && isLower(s[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(s))
	return words
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) || c >= 0x80 }

var (
	// Names that stand for a secret as a whole.
	whole = set("auth pan pass pw pwd sid sess session signature sig cc ccnum cardnum cvv cvc cvv2 cvc2 csc otp totp mfacode ssn pin connectsid phpsessid jsessionid aspsessionid laravelsession sessid xsrf csrf authenticity credentials credential jwt bearer")
	// Last words that make a name one of a secret.
	last = set("password passwd pwd passphrase passcode secret token apikey authorization cookie jwt ssn cvv cvc otp credential credentials sessionid privatekey accesskey secretkey")
	// Last two words that do.
	twoWords = set("apikey accesskey secretkey privatekey sessionid signingkey encryptionkey authkey accountkey masterkey cardnumber cardcode creditcard securitycode sharedkey amzsignature authcode licensekey sharedaccesssignature sessionkey")
	// What is glued together without humps.
	glued = []string{"password", "passwd", "passphrase", "clientsecret", "secretkey", "apikey", "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "csrftoken",
		"sessionid", "privatekey", "accesskey", "creditcard", "cardnumber", "sessid"}
	// Before token: a position, not a credential.
	positions = set("page next nextpage previous prev continuation sync cancellation design cursor resume change")
	// After password: still one.
	again = set("confirmation confirm again repeat hash new old current salt value input field text")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// secretName says whether the value under a name is a secret.
func (d *Redactor) secretName(s string) bool {
	if s == "" || len(s) > 100 {
		return false
	}
	squashed := squash(s)
	if matchAny(d.fields, squashed) {
		return true
	}
	if matchAny(d.allow, squashed) {
		return false
	}
	return builtIn(s, squashed)
}

func matchAny(rules []name, squashed string) bool {
	return slices.ContainsFunc(rules, func(n name) bool { return n.matches(squashed) })
}

func builtIn(s, squashed string) bool {
	squashed = strings.TrimRight(squashed, "0123456789")
	if whole[squashed] {
		return true
	}
	words := split(s)
	for len(words) > 1 && strings.Trim(words[len(words)-1], "0123456789") == "" {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	end := strings.TrimRight(words[len(words)-1], "0123456789")
	before := ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch {
	case end == "token" && positions[before]:
		return false
	case last[end], twoWords[before+end]:
		return true
	case again[end] && (before == "password" || before == "passwd" || before == "pwd"):
		return true
	}
	for _, g := range glued {
		if strings.HasSuffix(squashed, g) && end != "tokens" {
			return true
		}
	}
	return false
}

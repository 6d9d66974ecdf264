package redact

import "strings"

// class says when the value of a name is a secret.
type class uint8

const (
	notSecret class = iota
	alwaysSecret
	oftenSecret // the name is also a word of prose: in running text the value must look like a secret
	secretIfNumber
	secretUnlessNumber // a number would be a count
	secretInURL        // as a parameter
	secretIfRandom     // the value is long and looks like no word
)

// meaning is what a name says about its value. The kind is that of the removal.
type meaning struct {
	class  class
	kind   string
	scalar bool // the name says nothing about the values in an object or a list
}

// isSecret reports whether the name is that of a secret, not only in a URL.
func (m meaning) isSecret() bool { return m.class != notSecret && m.class != secretInURL }

// excludes reports whether the class requires another form of a value.
func (m meaning) excludes(value string) bool {
	switch m.class {
	case secretIfNumber:
		return !isNumber(value)
	case secretUnlessNumber:
		return isNumber(value)
	case secretIfRandom:
		return !looksRandom(value)
	}
	return false
}

// isSecretValue reports whether a string is removed as a whole because of its name.
func isSecretValue(text string, m meaning) bool {
	switch m.class {
	case alwaysSecret, oftenSecret:
		if m.class == oftenSecret && valueExtent(text, true) == extentNone {
			return false
		}
		if m.kind == kindAuthorization {
			if name, rest, ok := strings.Cut(text, " "); ok && isAuthScheme(name) && isMarker(rest) {
				return false
			}
		}
		return true
	case secretIfNumber:
		return isNumber(text)
	case secretUnlessNumber:
		return !isNumber(text)
	case secretIfRandom:
		return looksRandom(text)
	}
	return false
}

// isCount reports whether a number is a count or a state although its name is sensitive.
func isCount(number string, m meaning) bool {
	switch m.class {
	case oftenSecret:
		return len(number) < 3
	case secretIfNumber:
		return len(number) < 3 || strings.Trim(number, "0123456789") != ""
	}
	return false
}

// inherited returns the meaning that a name has for the values inside of its array or object.
func inherited(m meaning) meaning {
	if m.class == secretIfNumber || m.scalar {
		return meaning{}
	}
	return m
}

package redact

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// under is what a value of JSON is under: the meaning of a name, and how certain it is that the value belongs to it.
type under struct {
	decide.Meaning
	in decide.Context
}

// inside returns what the values in a list or an object are under.
func (u under) inside() under { return under{u.Inherited(), u.in} }

// member returns what a member of an object is under.
func (r *Redactor) member(name string, object under) under {
	own := r.set.Meaning(name)
	switch {
	case own.IsSecret() && (own.Class != decide.IfKey || !object.IsSecret()):
		return under{own, decide.Member}
	case !object.IsSecret(), find.MemberMeaning(r.set, name, object.Meaning).IsSecret():
		return object
	}
	isSession := object.Rule.ID == "session-or-login"
	if strings.EqualFold(name, "id") && isSession {
		return under{object.Meaning, decide.Colon}
	}
	if object.Within() == decide.Below && (isSession || describes(name)) {
		return under{decide.Meaning{Class: decide.IfRandom, Rule: object.Rule}, decide.Below}
	}
	return under{object.Meaning, min(object.in, object.Within())}
}

// describes reports whether a member of an object describes a secret without being one: by an identifier, a time or a
// form.
func describes(name string) bool {
	lower := strings.ToLower(name)
	for _, end := range [...]string{"id", "by", "at", "name", "type", "version", "status", "role", "prefix", "label",
		"description",
		"pattern", "format", "regex", "path", "url", "$ref"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return false
}

// isSecret reports whether a string is removed as a whole because of what it is under.
func (r *Redactor) isSecret(text string, u under) bool {
	if u.Class == decide.NotSecret || u.Kind() == decide.KindAuthorization && isRedactedCredentials(text) {
		return false
	}
	return r.set.Removes(decide.Value{Meaning: u.Meaning, Context: u.in, Text: text})
}

// numberRule returns the rule by which a number is removed, or nil if the number stays.
func (r *Redactor) numberRule(text string, u under) *decide.Rule {
	switch {
	case u.in > decide.Below && u.Class != decide.UnlessNumber && r.isSecret(text, u):
		return u.Rule
	case len(text) >= 13 && decide.IsCardNumber(text):
		return decide.Card.Rule
	}
	return nil
}

// underName returns the meaning and the place of the value in an object of a name and a value.
func (r *Redactor) underName(text string) under {
	if m := r.set.Meaning(text); m.IsSecret() {
		return under{m, decide.Member}
	}
	return under{}
}

var (
	secretData = under{decide.SecretData, decide.Stated}
	secretJWK  = under{decide.JWKSecret, decide.Stated}
)

// isRedactedCredentials reports whether a text is a scheme and a marker.
func isRedactedCredentials(text string) bool {
	name, rest, ok := strings.Cut(text, " ")
	return ok && decide.IsScheme(name) && lex.IsMarker(rest)
}

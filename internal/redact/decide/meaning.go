package decide

// Class says when the value of a name is a secret.
type Class uint8

// The classes of names.
const (
	NotSecret    Class = iota
	Always             // whatever the value is
	Often              // the name is also a word of prose
	IfNumber           // such as a PIN
	UnlessNumber       // a number would be a count
	InURL              // as a parameter
	IfRandom           // the value looks like a token or an encoded document
	IfKey              // the name ends in key: the value is random, or an identifier that looks so
	classes
)

// Meaning is what a name says about its value.
type Meaning struct {
	Class  Class
	Scalar bool // the name says nothing about the values in an object or a list
	Rule   *Rule
}

// IsSecret reports whether the name may be that of a secret, not only in a URL.
func (m Meaning) IsSecret() bool { return m.Class != NotSecret && m.Class != InURL }

// IsCertain reports whether the name is that of a secret whose form is not known, so that its value may have further
// lines or items.
func (m Meaning) IsCertain() bool {
	return m.Class == Always || m.Class == Often || m.Class == UnlessNumber
}

// Kind returns the kind of removals.
func (m Meaning) Kind() string {
	if m.Rule == nil {
		return ""
	}
	return m.Rule.Kind
}

// Inherited returns the meaning that a name has for the values inside of its list or object.
func (m Meaning) Inherited() Meaning {
	if !m.IsCertain() || m.Scalar {
		return Meaning{}
	}
	return m
}

// Within returns how certain it is that the values in a list or an object belong to its name: those of cookies, of
// credentials, and those that the syntax or the workspace tells, as certain as others.
func (m Meaning) Within() Context {
	if m.Rule != nil && (m.Rule.Sort == "syntax" || m.Rule.Kind != KindField) {
		return Stated
	}
	return Below
}

// syntactic returns the meaning of a name that the syntax says to be that of a secret.
func syntactic(id, kind string) Meaning {
	return Meaning{Class: Always, Rule: &Rule{Sort: "syntax", ID: id, Kind: kind}}
}

// nested are the rules of texts in which a secret was found, by its kind.
var nested = func() map[string]*Rule {
	all := map[string]*Rule{}
	for _, kind := range []string{KindAuthorization, KindCard, KindCookie, KindField, KindJWT, KindKey, KindLine,
		KindPassword, KindRule,
		KindToken, KindBody} {
		all[kind] = &Rule{Sort: "syntax", ID: "nested-" + kind, Kind: kind}
	}
	return all
}()

// Nested returns the rule of a text in which a secret of a kind was found.
func Nested(kind string) *Rule { return nested[kind] }

// Meanings that come from the syntax and from no name.
var (
	Login         = syntactic("login", KindPassword)            // of a command or a call
	URLPassword   = syntactic("url-password", KindPassword)     // before the host
	Cookie        = syntactic("cookie-value", KindCookie)       // in a header
	Credentials   = syntactic("credentials", KindAuthorization) // after a scheme
	SecretData    = syntactic("kubernetes-secret", KindField)   // below data
	Block         = syntactic("block", KindField)               // the further lines of a value
	Element       = syntactic("element", KindField)             // the text of an element
	HeaderName    = syntactic("header", KindField)              // of a request
	FormField     = syntactic("form-field", KindField)          // a value next to the name of its field
	JWKSecret     = syntactic("json-web-key", KindKey)
	PrivateKey    = syntactic("private-key", KindKey)
	AWSSecret     = syntactic("aws-secret-key", KindToken)
	Card          = syntactic("payment-card", KindCard)
	WebToken      = syntactic("json-web-token", KindJWT)
	ChatBot       = syntactic("chat-bot", KindToken)
	Repeated      = syntactic("repeated", KindField) // a value that was removed elsewhere
	TooMuch       = syntactic("line", KindLine)
	Unreadable    = syntactic("body", KindBody)
	SQLIdentified = syntactic("identified-by", KindField)
)

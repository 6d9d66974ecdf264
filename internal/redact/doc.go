// Package redact removes secrets from texts and evidence before they are stored: the values of sensitive names, tokens of known
// formats, and the numbers of payment cards.
//
//	r, err := redact.New(redact.Rules{Fields: []string{"customerPin"}, Patterns: []string{`order (?P<secret>\d{6})`}})
//	c := redact.Counts{}
//	text := r.Text("password=hunter2 for order 123456", c) // c counts the secrets by kind
//
// A method for each form: Text, URL, Header, Body (by its media type), Value (decoded JSON), HAR and Entry, Input (typed into a
// field), and Reader, which redacts a file while it is read, in bounded memory. Explain says which parts of a text go, for those
// who write rules. Forms contain each other: a secret in JSON in a URL in a command is found, so that the files of this package
// use each other.
//
// Guarantees:
//
//   - A marker replaces each secret: [redacted:KIND], or REDACTED in URLs and forms, where brackets would have to be escaped.
//   - A text without secrets is returned byte for byte. A redacted text is neither changed nor counted again.
//   - The work of the built-in rules is linear in the size of the input. That of the patterns of a workspace is counted, from
//     the rules and the input alone: a Redactor of Within refuses more than it may cause by Err, and its results must not be
//     used then.
//   - New refuses rules with a fault for each that is wrong (RuleErrors), among them a pattern that matches its own mask.
//   - A Redactor is safe for concurrent use; those of Within, Stream and Unpacking are for one goroutine at a time.
//
// What is not removed: a secret that has neither a sensitive name nor a known format, and words in prose that look like no
// value. A part of a token has no known format, so that texts are truncated after they were redacted.
//
// The words of the package: a name is sensitive when its value is a secret, and its meaning says when. A scan collects the edits
// of a line of text, a walk those of JSON. Ruleset is the version of the built-in rules.
//
// testdata has two corpora: leaks, which must go, and harmless samples, which must stay. A new rule has samples in both.
// The chapter redaction of docs/design has the reasons.
package redact

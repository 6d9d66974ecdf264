// Package redact removes secrets from texts and evidence before they are stored: the values of sensitive names,
// tokens of known formats, and the numbers of payment cards.
//
//	r, err := redact.New(redact.Rules{Fields: []string{"customerPin"}, Patterns: []string{`order (?P<secret>\d{6})`}})
//	c := redact.Counts{}
//	text := r.Text("password=hunter2 for order 123456", c) // c counts the secrets by kind
//
// A method for each form: Text, URL, Header, Body (by its media type), Value (decoded JSON), HAR and Entry, Input
// (typed into a field), and Reader, which redacts a file while it is read, in bounded memory. Report returns the
// redactor for the texts of one report, of which a value that was removed from one is removed from all. Explain says
// which rule removes which part of a text.
//
// Three packages, in one direction: find finds secrets in a line whatever its syntax, decide says what is a secret
// (its rules are data, and one table decides about the value of a name), and this package removes them, in JSON,
// archives and files. Package lex has what all read: bytes, quotes, markers.
//
// Guarantees:
//
//   - A marker replaces each secret: [redacted:KIND], or REDACTED in URLs and forms, where brackets would have to be escaped.
//   - A text without secrets is returned byte for byte. A redacted text is neither changed nor counted again.
//   - The work of the built-in rules is linear in the size of the input. That of the patterns of a workspace is counted, from
//     the rules and the input alone: a Redactor of Within refuses more than it may cause by Err, and its results must not be
//     used then.
//   - New refuses rules with a fault for each that is wrong (RuleErrors), among them a pattern that matches its own mask.
//   - A Redactor is safe for concurrent use; those of Within, Report, Stream and Unpacking are for one goroutine at a time.
//
// What is not removed: a secret that has neither a sensitive name nor a known format, and words in prose that look
// like no value. A part of a token has no known format, so that texts are truncated after they were redacted.
//
// Ruleset is the version of the built-in rules. A new rule is a few lines in decide/rules with an example and a
// counterexample, which a test takes through every form of text. testdata has two corpora, leaks and harmless
// samples, and grammars of which `make leaks` draws samples that no rule was written for. The chapter redaction of
// docs/design has the reasons.
package redact

package page

import "embed"

//go:embed snippets
var snippets embed.FS

// Snippet is a function that verifies a message of a webhook, in a programming language.
type Snippet struct{ ID, Language, Text string }

// Snippets returns the function in each language.
func Snippets() (all []Snippet) {
	for _, s := range []Snippet{{"go", "Go", "verify.go.txt"}, {"node", "Node.js", "verify.mjs"},
		{"python", "Python", "verify.py"}} {
		text, err := snippets.ReadFile("snippets/" + s.Text)
		if err != nil {
			panic(err) // it is embedded
		}
		s.Text = string(text)
		all = append(all, s)
	}
	return all
}

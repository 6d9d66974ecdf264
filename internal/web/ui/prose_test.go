package ui

import (
	"html/template"
	"testing"
)

// TestWithRemovals: a marker in a text leads to its rule. One in a link is marked alone, and one in an attribute stays.
func TestWithRemovals(t *testing.T) {
	t.Parallel()
	const link = `<a class="redacted" href="#removed-token" title="Removed by redaction: which rule?">redacted <b>token</b></a>`
	const mark = `<span class="redacted" title="Removed by redaction">redacted <b>token</b></span>`
	for html, want := range map[template.HTML]template.HTML{
		`<p>nothing</p>`:                            `<p>nothing</p>`,
		`<p>saw [redacted:token] twice</p>`:         `<p>saw ` + link + ` twice</p>`,
		`<code>[redacted:token]</code>`:             `<code>` + link + `</code>`,
		`<a href="/x">[redacted:token]</a>`:         `<a href="/x">` + mark + `</a>`,
		`<a href="/x">x</a>[redacted:token]`:        `<a href="/x">x</a>` + link,
		`<img alt="[redacted:token]">`:              `<img alt="[redacted:token]">`,
		`<p>[redacted:&lt;b&gt;] [redacted:TOKEN]`:  `<p>[redacted:&lt;b&gt;] [redacted:TOKEN]`,
		`<a title="[redacted:x]">[redacted:token]<`: `<a title="[redacted:x]">` + mark + `<`,
	} {
		if got := WithRemovals(html); got != want {
			t.Errorf("%s: %s, want %s", html, got, want)
		}
	}
}

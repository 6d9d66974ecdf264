package ui

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/a-h/templ"
)

// marker is the text in place of a secret that redaction has removed.
var marker = regexp.MustCompile(`\[redacted:([a-z0-9_-]{1,40})\]`)

// masked returns a text in which the markers of redaction look like what they are.
func masked(text string) template.HTML {
	if !strings.Contains(text, "[redacted:") {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	const before, after = `<span class="redacted" title="Removed by redaction">redacted <b>`, `</b></span>`
	text = marker.ReplaceAllString(template.HTMLEscapeString(text), before+"$1"+after)
	return template.HTML(text) //nolint:gosec // it was escaped
}

// Masked shows a text in which the markers of redaction look like what they are.
func Masked(text string) templ.Component { return templ.Raw(masked(text)) }

// MaskedURL is Masked for an address, whose removed parameters look like what they are, too.
func MaskedURL(text string) templ.Component { return templ.Raw(maskedURL(text)) }

// emptied is the value of a parameter that redaction has removed from a URL, in escaped text.
var emptied = regexp.MustCompile(`=REDACTED(&amp;|#|$)`)

// maskedURL returns a URL in which removed values look like what they are.
func maskedURL(text string) template.HTML {
	const mask = `=<span class="redacted" title="Removed by redaction">redacted</span>$1`
	return template.HTML(emptied.ReplaceAllString(string(masked(text)), mask)) //nolint:gosec // masked has escaped it
}

// Bytes returns a number of bytes in its largest unit, empty for an unknown one.
func Bytes(n int64) string {
	switch {
	case n < 0:
		return ""
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_950:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}

// Duration returns milliseconds in their largest unit.
func Duration(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.2f s", ms/1000)
	}
	return fmt.Sprintf("%.1f min", ms/60_000)
}

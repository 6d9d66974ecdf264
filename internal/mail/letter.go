package mail

import (
	"bytes"
	"embed"
	"html/template"
	"strings"
	"unicode"
)

// Letter is what a mail says. Its texts are plain; those of people may be of any length and have any characters.
type Letter struct {
	Title  string // above the text in HTML; empty for none
	Lead   []string
	Items  []Item
	Action *Link    // what the reader is to do
	Notes  []string // below it
	Footer []string // in small print, with Links
	Links  []Link
}

// Item is something that has happened: to what, and each of the events.
type Item struct {
	Title  string // of the report
	URL    string
	Events []Event
}

// Event is who did what and why the reader is told, with the text that was written.
type Event struct{ What, Why, Quote string }

// Link is an address with its text.
type Link struct{ Text, URL string }

// Bounds of texts of people in mails, in characters.
const (
	maxLine  = 200
	maxQuote = 2000
)

// Line returns a text in one line without control characters and without those that change the direction of others, of at
// most 200 characters.
func Line(text string) string {
	return cut(strings.Join(strings.Fields(clean(text, false)), " "), maxLine)
}

// Quote returns a text of several lines without other control characters, of at most 2,000 characters.
func Quote(text string) string { return cut(strings.TrimSpace(clean(text, true)), maxQuote) }

// clean removes what a mail does not show as a character.
func clean(text string, lines bool) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n")
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' && lines:
			return c
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c), unicode.Is(unicode.Bidi_Control, c), c == '\u2028', c == '\u2029':
			return -1
		}
		return c
	}, text)
}

func cut(text string, most int) string {
	if all := []rune(text); len(all) > most {
		return strings.TrimSpace(string(all[:most])) + "…"
	}
	return text
}

//go:embed letter.html
var folder embed.FS

var page = template.Must(template.New("letter.html").Funcs(template.FuncMap{
	"lines": func(text string) []string { return strings.Split(text, "\n") },
}).ParseFS(folder, "letter.html"))

// HTML returns the letter as a page of HTML. It loads nothing.
func (l Letter) HTML() string {
	var b bytes.Buffer
	if err := page.Execute(&b, l); err != nil {
		panic(err) // the template is at fault
	}
	return b.String()
}

// Text returns the letter as plain text.
func (l Letter) Text() string {
	var b strings.Builder
	paragraph := func(lines ...string) {
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
		if len(lines) > 0 {
			b.WriteString("\n")
		}
	}
	for _, text := range l.Lead {
		paragraph(text)
	}
	for _, item := range l.Items {
		paragraph(item.text()...)
	}
	if l.Action != nil {
		paragraph(l.Action.Text+":", l.Action.URL)
	}
	for _, text := range l.Notes {
		paragraph(text)
	}
	if len(l.Footer)+len(l.Links) > 0 {
		b.WriteString("-- \n")
		for _, text := range l.Footer {
			b.WriteString(text + "\n")
		}
		for _, link := range l.Links {
			b.WriteString(link.Text + ": " + link.URL + "\n")
		}
	}
	return b.String()
}

// text returns an item as lines.
func (i Item) text() (all []string) {
	if i.Title != "" {
		all = append(all, i.Title)
	}
	if i.URL != "" {
		all = append(all, i.URL)
	}
	for _, e := range i.Events {
		line := e.What
		if e.Why != "" {
			line += " (" + e.Why + ")"
		}
		all = append(all, "", line)
		if e.Quote != "" {
			for line := range strings.SplitSeq(e.Quote, "\n") {
				all = append(all, strings.TrimRight("> "+line, " "))
			}
		}
	}
	return all
}

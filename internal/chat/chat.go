// Package chat writes events of reports as messages for people, in the formats of incoming webhooks of chat services.
//
// What people wrote is text in every format: it neither becomes markup or a link of another text, nor notifies anybody.
// A message has at most 200 characters of a summary and 500 of a comment, and neither a description nor evidence.
package chat

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"bugslice/api"
)

// Report is what a message says about a slice beside its event, as it is when the message is sent.
type Report struct {
	Slice    api.Slice
	Actor    string // the name of who caused the event; empty for nobody
	Assignee string // the name of the assignee; empty for nobody
}

const (
	maxQuoted = 500 // characters of a comment
	maxLabels = 10
	maxFact   = 200 // characters of a fact
)

// Says reports whether there is a message for an event: for those of slices, and for the ping. A change that has a more
// specific event has its message with that.
func Says(e api.Event) bool {
	switch e.Type {
	case api.EventSliceUpdated:
		for member := range e.Data.Previous {
			switch member {
			case "status", "resolution", "assigneeId", "updatedAt", "resolvedAt", "version":
			default:
				return true
			}
		}
		return false
	case api.EventPing, api.EventSliceCreated, api.EventSliceStatusChanged, api.EventSliceAssigned, api.EventSliceDeleted,
		api.EventSliceRestored, api.EventCommentCreated, api.EventAttachmentCreated, api.EventShareCreated:
		return true
	}
	return false
}

// SliceOf returns the id of the slice that an event is about; empty for none.
func SliceOf(e api.Event) string {
	switch d := e.Data; {
	case d.Slice != nil:
		return d.Slice.ID
	case d.Comment != nil:
		return d.Comment.SliceID
	case d.Attachment != nil:
		return d.Attachment.SliceID
	case d.Share != nil:
		return d.Share.SliceID
	}
	return ""
}

// Message returns the message for an event in the format of a service.
func Message(f api.WebhookFormat, e api.Event, r Report) ([]byte, error) {
	write, ok := formats[f]
	if !ok {
		return nil, fmt.Errorf("chat: no messages of the format %q", f)
	}
	return json.Marshal(write(messageOf(e, r)))
}

var formats = map[api.WebhookFormat]func(message) any{
	api.FormatSlack: slack, api.FormatDiscord: discord, api.FormatMattermost: mattermost, api.FormatTeams: teams,
}

// Recognise returns the format of the service whose incoming webhooks have such an address; the standard one for
// another address, such as one of Mattermost, which runs anywhere.
func Recognise(address string) api.WebhookFormat {
	u, err := url.Parse(address)
	if err != nil {
		return api.FormatStandard
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case host == "hooks.slack.com" || host == "hooks.slack-gov.com":
		return api.FormatSlack
	case (host == "discord.com" || host == "discordapp.com") && strings.HasPrefix(u.Path, "/api/webhooks/"):
		return api.FormatDiscord
	case strings.HasSuffix(host, ".logic.azure.com"), strings.HasSuffix(host, ".api.powerplatform.com"),
		strings.HasSuffix(host, ".webhook.office.com"):
		return api.FormatTeams
	}
	return api.FormatStandard
}

// message is a message in no format yet.
type message struct {
	headline string // what happened, in one line
	title    string // the reference and the summary of the report; empty for the ping
	url      string
	quote    string // of a comment; empty for none
	facts    []fact
	tone     tone
}

type fact struct{ name, value string }

// tone is the colour beside a message.
type tone int

const (
	toneOpen tone = iota
	toneProgress
	toneDone
	toneGone
)

func (t tone) rgb() int { return [...]int{0xd97706, 0x2563eb, 0x16a34a, 0x6b7280}[t] }

func messageOf(e api.Event, r Report) message {
	if e.Type == api.EventPing {
		return message{headline: "Bugslice sends messages about reports here.", tone: toneDone}
	}
	s := r.Slice
	m := message{headline: headline(e, r), title: s.Reference + " " + line(s.Summary), url: s.URL, tone: toneOf(e, s)}
	if c := e.Data.Comment; c != nil {
		m.quote = quoted(*c)
	}
	m.facts = []fact{{"Status", statusText(s)}}
	if s.Priority != nil {
		m.facts = append(m.facts, fact{"Priority", sentence(string(*s.Priority))})
	}
	if r.Assignee != "" {
		m.facts = append(m.facts, fact{"Assignee", line(r.Assignee)})
	}
	if n := len(s.Labels); n > 0 {
		labels := strings.Join(s.Labels[:min(n, maxLabels)], ", ")
		if n > maxLabels {
			labels += fmt.Sprintf(" and %d more", n-maxLabels)
		}
		m.facts = append(m.facts, fact{"Labels", line(labels)})
	}
	for i, f := range m.facts {
		if short := truncate(f.value, maxFact); short != f.value {
			m.facts[i].value = short + " …"
		}
	}
	return m
}

// headline says what happened.
func headline(e api.Event, r Report) string {
	actor := line(r.Actor)
	if actor == "" {
		actor = "Bugslice"
	}
	ref := r.Slice.Reference
	switch e.Type {
	case api.EventSliceCreated:
		return actor + " filed " + ref
	case api.EventSliceStatusChanged:
		status := r.Slice
		if e.Data.Slice != nil { // as it was after the change
			status.Status, status.Resolution = e.Data.Slice.Status, e.Data.Slice.Resolution
		}
		return actor + " changed " + ref + " to " + statusText(status)
	case api.EventSliceAssigned:
		if e.Data.Slice != nil && e.Data.Slice.AssigneeID == nil {
			return actor + " unassigned " + ref
		}
		return actor + " assigned " + ref
	case api.EventSliceDeleted:
		return actor + " deleted " + ref
	case api.EventSliceRestored:
		return actor + " restored " + ref
	case api.EventCommentCreated:
		return actor + " commented on " + ref
	case api.EventAttachmentCreated:
		return actor + " added a file to " + ref
	case api.EventShareCreated:
		return actor + " shared " + ref + " by a link"
	}
	return actor + " changed " + ref
}

func toneOf(e api.Event, s api.Slice) tone {
	switch {
	case e.Type == api.EventSliceDeleted:
		return toneGone
	case s.Status == api.InProgress:
		return toneProgress
	case s.Status == api.Resolved, s.Status == api.Closed:
		return toneDone
	}
	return toneOpen
}

// statusText returns the status of a slice, with how it was resolved.
func statusText(s api.Slice) string {
	text := sentence(string(s.Status))
	if s.Resolution != nil {
		text += " (" + strings.ReplaceAll(string(*s.Resolution), "_", " ") + ")"
	}
	return text
}

// sentence returns a value such as in_progress as a word of people.
func sentence(value string) string {
	text := strings.ReplaceAll(value, "_", " ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// quoted returns the text of a comment with the names of those whom it mentions, truncated.
func quoted(c api.Comment) string {
	text := c.Body
	for _, m := range c.Mentions {
		text = strings.ReplaceAll(text, "@"+m.UserID, m.Name)
	}
	text = visible(strings.TrimSpace(text), true)
	if short := truncate(text, maxQuoted); short != text {
		return strings.TrimSpace(short) + " …"
	}
	return text
}

// line returns a text in one line.
func line(s string) string { return strings.Join(strings.Fields(visible(s, false)), " ") }

// visible returns a text without the characters that cannot be seen, such as those that turn the direction of others.
func visible(s string, lines bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && lines:
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r), unicode.Is(unicode.Mn, r), r == '\u200d':
			return r
		}
		return -1
	}, s)
}

// truncate returns the first limit characters of a text.
func truncate(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i]
		}
	}
	return s
}

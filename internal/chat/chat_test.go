package chat_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/chat"
)

// hostile has what a service could take for markup, a link or somebody who is notified.
const hostile = "<!channel> <@U123> <https://evil.example|click> @everyone @here **bold** [text](https://evil.example) `code` &amp; " +
	"\u202eesrever\u202c # heading\n- list"

func commented() (api.Event, chat.Report) {
	priority := api.Priority("urgent")
	s := api.Slice{ID: "slc_1", Reference: "WEB-1", URL: "https://bugs.example.com/WEB-1"}
	s.Summary, s.Status, s.Priority, s.Labels = hostile, api.Open, &priority, []string{hostile[:30]}
	return api.Event{ID: "evt_1", Type: api.EventCommentCreated,
			Data: api.EventData{Comment: &api.Comment{SliceID: "slc_1",
				Mentions:      []api.Mention{{UserID: "usr_1", Name: "@here"}},
				CommentFields: api.CommentFields{Body: "@usr_1 " + hostile + strings.Repeat(" long", 400)}}}},
		chat.Report{Slice: s, Actor: "<!here> Ada", Assignee: "*Grace*"}
}

// strings of a value of JSON, with the member that has each.
func texts(name string, v any, add func(name, text string, in map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			if s, ok := member.(string); ok {
				add(k, s, v)
			}
			texts(k, member, add)
		}
	case []any:
		for _, item := range v {
			texts(name, item, add)
		}
	}
}

// TestHostileTexts: no text of people is markup, a link of another text, or notifies anybody, in any format,
// and none of it has a character that turns the direction of others.
func TestHostileTexts(t *testing.T) {
	e, r := commented()
	plain := []string{"fallback", "fallbackText", "title_link", "url", "$schema", "contentType"}
	markdown := regexp.MustCompile(`(^|[^\\])[*_\[\]` + "`" + `#]|@[a-z]|https?://`)
	for _, f := range []api.WebhookFormat{api.FormatSlack, api.FormatDiscord, api.FormatMattermost, api.FormatTeams} {
		body, err := chat.Message(f, e, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(body) > 10_000 {
			t.Errorf("%s: %d bytes", f, len(body))
		}
		var message any
		if err := json.Unmarshal(body, &message); err != nil {
			t.Fatal(err)
		}
		texts("", message, func(name, text string, in map[string]any) {
			if strings.ContainsAny(text, "\u202e\u202c") {
				t.Errorf("%s: %s turns the direction: %q", f, name, text)
			}
			switch {
			case in["type"] == "plain_text", in["type"] == "TextRun", f == api.FormatMattermost && name == "title",
				f == api.FormatDiscord && name == "name", slices.Contains(plain, name):
				return // text without markup, and what nobody wrote
			case f == api.FormatSlack && name == "text":
				rest := strings.Replace(text, "<"+r.Slice.URL+"|", "", 1)
				if strings.ContainsAny(strings.Replace(rest, ">", "", 1), "<>") || strings.Contains(text, "@here") {
					t.Errorf("slack: %q", text)
				}
			case f != api.FormatSlack && markdown.MatchString(text) && text != "#d97706":
				t.Errorf("%s: %s has markup: %q", f, name, text)
			}
		})
		if f == api.FormatDiscord && !strings.Contains(string(body), `"allowed_mentions":{"parse":[]}`) {
			t.Error("discord may notify people")
		}
	}
}

// TestLongTexts: the longest texts, of signs that are escaped, make no text that Slack or Discord refuses.
func TestLongTexts(t *testing.T) {
	e, r := commented()
	for range 50 {
		r.Slice.Labels = append(r.Slice.Labels, strings.Repeat("&", 50))
	}
	r.Slice.Summary, r.Actor, r.Assignee = strings.Repeat("&", 200), strings.Repeat("&", 200), strings.Repeat("&", 200)
	e.Data.Comment.Body = strings.Repeat("*", 5000)
	for f, most := range map[api.WebhookFormat]map[string]int{
		api.FormatSlack:   {"text": 3000},
		api.FormatDiscord: {"name": 256, "title": 256, "description": 4096, "value": 1024},
	} {
		body, err := chat.Message(f, e, r)
		if err != nil {
			t.Fatal(err)
		}
		var message any
		if err := json.Unmarshal(body, &message); err != nil {
			t.Fatal(err)
		}
		texts("", message, func(name, text string, _ map[string]any) {
			if n := len([]rune(text)); most[name] > 0 && n > most[name] || n == 0 {
				t.Errorf("%s: %s has %d characters", f, name, n)
			}
		})
	}
}

// TestSays: a change that has a narrower event has its message with that, and what is about no slice has none.
func TestSays(t *testing.T) {
	changed := func(members ...string) api.Event {
		e := api.Event{Type: api.EventSliceUpdated, Data: api.EventData{Slice: &api.Slice{}, Previous: map[string]any{}}}
		for _, m := range members {
			e.Data.Previous[m] = nil
		}
		return e
	}
	for name, c := range map[string]struct {
		event api.Event
		want  bool
	}{
		"status":            {changed("status", "resolution", "resolvedAt", "updatedAt"), false},
		"status and labels": {changed("status", "labels"), true},
		"space created":     {api.Event{Type: api.EventSpaceCreated}, false},
		"filed":             {api.Event{Type: api.EventSliceCreated}, true},
	} {
		if chat.Says(c.event) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}

func TestRecognise(t *testing.T) {
	for address, want := range map[string]api.WebhookFormat{
		"https://hooks.slack.com/services/T0/B0/x":                  api.FormatSlack,
		"https://discord.com/api/webhooks/1/x":                      api.FormatDiscord,
		"https://prod-1.westeurope.logic.azure.com:443/workflows/x": api.FormatTeams,
		"https://hooks.slack.com.evil.example/":                     api.FormatStandard,
		"https://mattermost.example.com/hooks/x":                    api.FormatStandard,
		"https://discord.com/other":                                 api.FormatStandard,
		":":                                                         api.FormatStandard,
	} {
		if got := chat.Recognise(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}

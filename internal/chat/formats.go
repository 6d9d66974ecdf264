package chat

import (
	"fmt"
	"strings"
)

type object = map[string]any

// slack returns a message of Slack's incoming webhooks: blocks, whose texts are verbatim, so that nothing of a text
// becomes a mention or a link. Slack shows text in notifications.
func slack(m message) any {
	text := func(s string) object { return object{"type": "mrkdwn", "text": s, "verbatim": true} }
	blocks := []any{object{"type": "section", "text": text(slackText(m.headline))}}
	if m.title != "" {
		blocks = []any{object{"type": "section", "text": text(slackText(m.headline) + "\n*" + slackLink(m.url, m.title) + "*")}}
	}
	if m.quote != "" {
		blocks = append(blocks, object{"type": "section", "text": object{"type": "plain_text", "text": m.quote, "emoji": false}})
	}
	if len(m.facts) > 0 {
		var facts []string
		for _, f := range m.facts {
			facts = append(facts, f.name+": "+slackText(f.value))
		}
		blocks = append(blocks, object{"type": "context", "elements": []any{text(strings.Join(facts, "   "))}})
	}
	return object{"text": slackText(strings.TrimSuffix(m.headline+": "+m.title, ": ")), "blocks": blocks, "unfurl_links": false,
		"unfurl_media": false}
}

// slackText escapes what mrkdwn takes for markup. A zero-width space breaks the pairs of signs for which it has no escape.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "*", "*\u200b", "_", "_\u200b", "~", "~\u200b",
	"`", "`\u200b", "@", "@\u200b")

func slackText(s string) string { return slackEscapes.Replace(s) }

func slackLink(url, text string) string {
	return "<" + strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C").Replace(url) + "|" + slackText(text) + ">"
}

// discord returns a message of Discord's webhooks, in which nobody is mentioned.
func discord(m message) any {
	embed := object{"author": object{"name": truncate(m.headline, 250)}, "color": m.tone.rgb()}
	if m.title != "" {
		embed["title"], embed["url"] = truncate(markdownText(m.title), 250), m.url
	}
	if m.quote != "" {
		embed["description"] = markdownText(m.quote)
	}
	fields := []any{}
	for _, f := range m.facts {
		fields = append(fields, object{"name": f.name, "value": truncate(markdownText(f.value), 1000), "inline": true})
	}
	embed["fields"] = fields
	return object{"embeds": []any{embed}, "allowed_mentions": object{"parse": []any{}}}
}

// mattermost returns a message of Mattermost's incoming webhooks.
func mattermost(m message) any {
	attachment := object{"fallback": strings.TrimSuffix(m.headline+": "+m.title, ": "), "color": fmt.Sprintf("#%06x", m.tone.rgb()),
		"pretext": markdownText(m.headline)}
	if m.title != "" {
		attachment["title"], attachment["title_link"] = m.title, m.url
	}
	if m.quote != "" {
		attachment["text"] = markdownText(m.quote)
	}
	fields := []any{}
	for _, f := range m.facts {
		fields = append(fields, object{"title": f.name, "value": markdownText(f.value), "short": true})
	}
	attachment["fields"] = fields
	return object{"attachments": []any{attachment}}
}

// markdownText escapes what Markdown takes for markup. A zero-width space after @ and : keeps a name from being notified,
// and an address from becoming a link.
var markdownEscapes = func() *strings.Replacer {
	pairs := []string{"@", "@\u200b", "://", ":\u200b//"}
	for _, sign := range `\` + "`*_{}[]()#+-.!|~<>" {
		pairs = append(pairs, string(sign), `\`+string(sign))
	}
	return strings.NewReplacer(pairs...)
}()

func markdownText(s string) string { return markdownEscapes.Replace(s) }

// teams returns a message of Workflows of Microsoft Teams: an Adaptive Card. Texts of people are in text runs, which have
// no markup.
func teams(m message) any {
	run := func(text string, more object) object {
		r := object{"type": "TextRun", "text": text}
		for name, value := range more {
			r[name] = value
		}
		return r
	}
	rich := func(runs ...any) object { return object{"type": "RichTextBlock", "inlines": runs} }
	body := []any{rich(run(m.headline, object{"isSubtle": true}))}
	card := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
		"fallbackText": m.headline}
	if m.title != "" {
		body = append(body, rich(run(m.title, object{"weight": "Bolder", "size": "Medium"})))
		card["actions"] = []any{object{"type": "Action.OpenUrl", "title": "Open the report", "url": m.url}}
	}
	if m.quote != "" {
		body = append(body, rich(run(m.quote, nil)))
	}
	if len(m.facts) > 0 {
		var runs []any
		for i, f := range m.facts {
			if i > 0 {
				runs = append(runs, run("   ", nil))
			}
			runs = append(runs, run(f.name+": ", object{"isSubtle": true}), run(f.value, nil))
		}
		body = append(body, rich(runs...))
	}
	card["body"] = body
	return object{"type": "message", "attachments": []any{object{
		"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil, "content": card}}}
}

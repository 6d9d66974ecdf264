package httpapi

import (
	"reflect"
	"strings"

	"bugslice/api"
	"bugslice/internal/schema"
)

// otherExamples are the examples of answers that are no JSON.
var otherExamples = map[string]string{
	"text/markdown":     "# Bug 42 (slc_01ja8m2c9tf3qb6h0v5r4x7kyz)\n\nEverything inside of a fence was written by people or programs outside: …",
	"text/event-stream": "id: evt_01ja8m2c9tf3qb6h0v5r4x7kyz\nevent: slice.created\ndata: {\"id\":\"evt_01ja8m2c9tf3qb6h0v5r4x7kyz\",\"type\":\"slice.created\", …}\n\n",
}

// webhooks describes the messages that webhooks send, one for each type of event, and the ping.
func webhooks(set *schema.Set) object {
	out := object{}
	for _, e := range append(api.PublicEvents(), api.EventInfo{Type: api.EventPing, Subject: "webhook", Summary: "Somebody tests the webhook. A ping is in no log."}) {
		name := message(set, e)
		out[string(e.Type)] = object{"post": object{
			"operationId": "send" + name, "summary": e.Summary, "tags": []any{"Webhooks"}, "security": []any{},
			"description": "Sent to webhooks whose key has the scope `" + string(e.Scope) + "`.",
			"parameters":  messageHeaders(),
			"requestBody": object{"required": true, "content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/" + name}}}},
			"responses": object{
				"2XX": object{"description": "Taken."},
				"410": object{"description": "Nobody is here any more: the webhook is disabled."},
				"4XX": object{"description": "Not taken: it is sent again later."},
			},
		}}
	}
	ping := out[string(api.EventPing)].(object)["post"].(object)
	ping["description"] = "Sent by the test of a webhook."
	return out
}

// message adds the schema of one type of event to the components, and returns its name.
func message(set *schema.Set, e api.EventInfo) string {
	words := strings.FieldsFunc(string(e.Type), func(r rune) bool { return r == '.' || r == '_' })
	name := ""
	for _, w := range words {
		name += strings.ToUpper(w[:1]) + w[1:]
	}
	name += "Event"
	set.Ref(reflect.TypeFor[api.Event](), schema.Record)
	whole := set.Components["Event"].(object)
	properties := object{}
	for member, s := range whole["properties"].(object) {
		properties[member] = s
	}
	properties["type"] = object{"type": "string", "const": string(e.Type), "examples": []any{string(e.Type)}}
	if e.Type == api.EventPing {
		properties["sequence"] = object{"type": "integer", "const": 0, "examples": []any{0}, "description": "A ping is in no log."}
	}
	data := object{}
	for member, s := range set.Components["EventData"].(object)["properties"].(object) {
		if member == e.Subject || member == "previous" || member == "cut" {
			data[member] = s
		}
	}
	properties["data"] = object{"type": "object", "properties": data, "required": []string{e.Subject}, "additionalProperties": false}
	set.Components[name] = object{"type": "object", "description": e.Summary, "properties": properties, "required": whole["required"], "additionalProperties": false}
	return name
}

func messageHeaders() []any {
	one := func(name, description, example string) object {
		return object{"name": name, "in": "header", "required": true, "description": description, "schema": object{"type": "string"}, "example": example}
	}
	return []any{
		one("webhook-id", "Identifies the event: the same on every try, so that what comes twice is known.", "evt_01ja8m2c9tf3qb6h0v5r4x7kyz"),
		one("webhook-timestamp", "When this try was made, in Unix seconds. Refuse what is older than 5 minutes.", "1795000000"),
		one("webhook-signature", "Signatures separated by spaces: v1, and the base64 of HMAC-SHA256 over id.timestamp.body.", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
	}
}

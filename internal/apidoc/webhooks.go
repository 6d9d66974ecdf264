package apidoc

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/schema"
)

// ping is the event that the test of a webhook sends.
var ping = api.EventInfo{Type: api.EventPing, Subject: "webhook",
	Summary: "The webhook is tested. A ping is in no log."}

// webhooks describes the messages that webhooks send: one for each type of public event, and the ping.
func webhooks(set *schema.Set) object {
	all := object{}
	for _, e := range append(api.PublicEvents(), ping) {
		all[string(e.Type)] = object{"post": message(set, e)}
	}
	return all
}

// message describes the request that delivers an event.
func message(set *schema.Set, e api.EventInfo) object {
	name := schemaName(e.Type)
	set.Components[name] = eventSchema(set, e)
	description := "Sent to webhooks whose key has the scope `" + string(e.Scope) + "`."
	if e.Type == api.EventPing {
		description = "Sent by the test of a webhook."
	}
	return object{
		"operationId": "send" + name, "summary": e.Summary, "tags": []any{"Webhooks"}, "security": []any{},
		"description": description,
		"parameters":  messageHeaders(),
		"requestBody": object{"required": true, "content": object{
			"application/json": object{"schema": object{"$ref": "#/components/schemas/" + name}}}},
		"responses": object{
			"2XX": object{"description": "The message was received."},
			"410": object{"description": "The receiver is gone: the webhook is disabled."},
			"4XX": object{"description": "The message was not received. It is sent again later."},
		},
	}
}

// schemaName returns SliceStatusChangedEvent for slice.status_changed.
func schemaName(t api.EventType) string {
	name := ""
	for _, word := range strings.FieldsFunc(string(t), func(r rune) bool { return r == '.' || r == '_' }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Event"
}

// eventSchema returns the schema of one type of event: that of all events, whose data holds the subject of the type.
func eventSchema(set *schema.Set, e api.EventInfo) object {
	set.Ref(reflect.TypeFor[api.Event](), schema.Record)
	event := set.Components["Event"].(object)
	properties := maps.Clone(event["properties"].(object))
	properties["type"] = object{"type": "string", "const": string(e.Type), "examples": []any{string(e.Type)}}
	if e.Type == api.EventPing {
		properties["sequence"] = object{"type": "integer", "const": 0, "examples": []any{0},
			"description": "A ping is in no log."}
	}
	data := maps.Clone(set.Components["EventData"].(object)["properties"].(object))
	maps.DeleteFunc(data, func(name string, _ any) bool {
		return !slices.Contains([]string{e.Subject, "previous",
			"cut"}, name)
	})
	properties["data"] = object{"type": "object", "properties": data, "required": []string{e.Subject}}
	return object{"type": "object", "description": e.Summary, "properties": properties, "required": event["required"]}
}

func messageHeaders() []any {
	var all []any
	for _, h := range []struct{ name, description, example string }{
		{"webhook-id", "Identifies the event. It is the same on every attempt, so that a receiver can detect duplicates.",
			exampleID("evt")},
		{"webhook-timestamp", "The time of this attempt, in Unix seconds. Refuse a message that is older than 5 minutes.", "1795000000"},
		{"webhook-signature", "Signatures separated by spaces: v1, and the base64 of HMAC-SHA256 over id.timestamp.body.",
			"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
	} {
		all = append(all, object{"name": h.name, "in": "header", "required": true, "description": h.description,
			"schema": object{"type": "string"}, "example": h.example})
	}
	return all
}

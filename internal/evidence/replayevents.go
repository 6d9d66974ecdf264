package evidence

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// EventPart is the part of the evidence that an event of a replay contains.
type EventPart int

// Parts of events.
const (
	OtherEvent   EventPart = iota // an event of which we do not know what it contains
	PageEvent                     // what the page was and showed
	ConsoleEvent                  // lines of the console
	NetworkEvent                  // requests
)

// eventKind is a type of events of rrweb, or a source of its incremental events.
type eventKind struct {
	name   string // in the scripts of the player
	number int
	part   EventPart
	played bool // whether the player plays it
}

// eventTypes are the types of events of rrweb. What those with the types custom and plugin contain is said by their
// tag or plugin.
var eventTypes = []eventKind{
	{"domContentLoaded", 0, PageEvent, false}, {"load", 1, PageEvent, false},
	{"fullSnapshot", fullSnapshot, PageEvent, true},
	{"incremental", incremental, PageEvent, true}, {"meta", 4, PageEvent, true},
	{"custom", custom, OtherEvent, false}, {"plugin", plugin, OtherEvent, false},
}

// eventSources are the sources of incremental events. Earlier versions of rrweb recorded the console with a source of
// its own.
var eventSources = []eventKind{
	{"mutation", sourceMutation, PageEvent, true}, {"mouseMove", 1, PageEvent, true},
	{"mouseInteraction", 2, PageEvent, true},
	{"scroll", 3, PageEvent, true}, {"resize", 4, PageEvent, true}, {"input", sourceInput, PageEvent, true},
	{"touchMove", 6, PageEvent, true}, {"media", 7, PageEvent, true}, {"styleRule", 8, PageEvent, true},
	{"canvas", 9, PageEvent, false}, {"font", 10, PageEvent, true}, {"log", 11, ConsoleEvent, false},
	{"drag", 12, PageEvent, true},
	{"styleDeclaration", 13, PageEvent, true}, {"selection", 14, PageEvent, true},
	{"adoptedSheet", 15, PageEvent, true},
	{"customElement", 16, PageEvent, false},
}

// A namedEvent is what the events with a tag or of a plugin contain. Its name may be the beginning of theirs. With a
// member, the value of that member of their payload decides.
type namedEvent struct {
	name     string
	isPrefix bool
	part     EventPart
	member   string
}

// namedEvents are the plugins of rrweb, and the tags of PostHog and Sentry.
var namedEvents = []namedEvent{
	{name: "rrweb/console@", isPrefix: true, part: ConsoleEvent},
	{name: "rrweb/network@", isPrefix: true, part: NetworkEvent},
	{name: "posthog/network@", isPrefix: true, part: NetworkEvent},
	{name: "$console", isPrefix: true, part: ConsoleEvent},
	{name: "$network", isPrefix: true, part: NetworkEvent},
	{name: "breadcrumb", member: "category"},
	{name: "performanceSpan", member: "op"},
}

// payloads are the values of the member of a namedEvent, which may be followed by a dot and more.
var payloads = map[string]EventPart{
	"console": ConsoleEvent, "fetch": NetworkEvent, "xhr": NetworkEvent, "http": NetworkEvent, "resource": NetworkEvent,
}

// EventList is the list of event types and sources for the scripts of the player, as JSON.
var EventList = func() string {
	list := struct {
		Types, Sources map[string]int
		Played         struct{ Types, Sources []int }
	}{Types: map[string]int{}, Sources: map[string]int{}}
	for _, k := range eventTypes {
		if list.Types[k.name] = k.number; k.played {
			list.Played.Types = append(list.Played.Types, k.number)
		}
	}
	for _, k := range eventSources {
		if list.Sources[k.name] = k.number; k.played {
			list.Played.Sources = append(list.Played.Sources, k.number)
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return string(text)
}()

// Part returns the part of the evidence that the event contains, once all of it was read.
func (h *EventHead) Part() EventPart {
	switch {
	case h.repeats:
		return OtherEvent
	case isNumber(h.kind, incremental):
		return partOfKind(eventSources, h.source)
	case isNumber(h.kind, custom):
		return h.partOfName(h.tag)
	case isNumber(h.kind, plugin):
		return h.partOfName(h.plugin)
	}
	return partOfKind(eventTypes, h.kind)
}

func partOfKind(kinds []eventKind, number string) EventPart {
	i := slices.IndexFunc(kinds, func(k eventKind) bool { return isNumber(number, k.number) })
	if i < 0 {
		return OtherEvent
	}
	return kinds[i].part
}

// isNumber reports whether a text is a number of JSON, in whatever spelling.
func isNumber(text string, number int) bool {
	f, err := strconv.ParseFloat(text, 64)
	return err == nil && f == float64(number)
}

func (h *EventHead) partOfName(name string) EventPart {
	i := slices.IndexFunc(namedEvents, func(n namedEvent) bool {
		return n.name == name || n.isPrefix &&
			strings.HasPrefix(name, n.name)
	})
	switch {
	case i < 0:
		return OtherEvent
	case namedEvents[i].member == "":
		return namedEvents[i].part
	}
	first, _, _ := strings.Cut(h.payload[namedEvents[i].member], ".")
	return payloads[first]
}

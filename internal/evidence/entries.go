package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
)

// entry is an entry of the console or of the actions as a tool wrote it, decoded.
type entry struct {
	members  map[string]any
	pointer  string
	repaired *repairs
}

// member returns the value of a member. Its name may be in another case, as long as no other one has it.
func (e entry) member(name string) any {
	if v, ok := e.members[name]; ok {
		return v
	}
	for other, v := range e.members {
		if strings.EqualFold(other, name) {
			return v
		}
	}
	return nil
}

// time returns the time of the entry; ok is false when it has none that can be read.
func (e entry) time() (at api.Time, ok bool) {
	at, assumed, ok := parseTime(e.member("timestamp"))
	if assumed {
		e.repaired.add(e.pointer+"/timestamp", api.RepairConverted, 1, "a time without a zone was read as UTC")
	}
	return at, ok
}

// text returns a member that is a text. A number or a state becomes its text; anything else is dropped.
func (e entry) text(name string) *string {
	switch v := e.member(name).(type) {
	case nil:
	case string:
		return &v
	case json.Number, bool:
		text, _ := marshal(v)
		e.repaired.add(e.pointer+"/"+name, api.RepairConverted, 1, "was read as text")
		return new(string(text))
	default:
		e.repaired.add(e.pointer+"/"+name, api.RepairMember, 1, "must be text")
	}
	return nil
}

// messageOf returns the console message of an entry; complete is false when it lacks a required member.
func messageOf(e entry) (m api.ConsoleEntry, complete bool) {
	level, known, hasLevel := parseLevel(e.member("level"))
	at, hasTime := e.time()
	m = api.ConsoleEntry{Level: level, Timestamp: at, Stack: e.text("stack")}
	if text := e.text("message"); text != nil {
		m.Message = *text
	}
	switch args := e.member("args").(type) {
	case nil:
	case []any:
		for _, arg := range args {
			raw, err := marshal(arg)
			if err != nil {
				raw = json.RawMessage("null")
			}
			m.Args = append(m.Args, raw)
		}
	default:
		e.repaired.add(e.pointer+"/args", api.RepairMember, 1, "must be a list")
	}
	if hasLevel && !known {
		e.repaired.add(e.pointer+"/level", api.RepairConverted, 1, "an unknown level was read as log")
	}
	return m, hasLevel && hasTime && (m.Message != "" || len(m.Args) > 0)
}

// actionOf returns the action of an entry; complete is false when it lacks a required member.
func actionOf(e entry) (a api.ActionEntry, complete bool) {
	at, hasTime := e.time()
	a = api.ActionEntry{Timestamp: at, Selector: e.text("selector"), Text: e.text("text"), Value: e.text("value"),
		URL: e.text("url")}
	if text := e.text("type"); text != nil {
		a.Type = *text
	}
	return a, hasTime && a.Type != ""
}

// rowKind is the kind of the entries of a list, with the function that reads an entry as a tool wrote it.
type rowKind[T any] struct {
	read     func(entry) (T, bool)
	complete func(T) bool
	members  string // of an entry
	detail   string // for an entry without a required member
}

var messages = rowKind[api.ConsoleEntry]{messageOf, isCompleteMessage, "level timestamp message stack args",
	"must have a level, a timestamp and a message"}

var userActions = rowKind[api.ActionEntry]{actionOf, isCompleteAction, "type timestamp selector text value url",
	"must have a type and a timestamp"}

// decode reads each row. An invalid one is repaired or left out. It refuses rows none of which is valid.
func (k rowKind[T]) decode(rows []json.RawMessage, r *repairs) ([]T, error) {
	all := make([]T, 0, len(rows))
	for i, raw := range rows {
		raw, replaced := repairText(raw)
		r.characters(r.entry(i), replaced)
		raw, deep := shallow(raw, maxDepth+2) // an argument is in a list in the entry
		r.add(r.entry(i), api.RepairTruncated, deep,
			fmt.Sprintf("what is nested deeper than %d was left out", maxDepth))
		value, ok := k.decodeRow(raw, r.entry(i), r)
		if !ok {
			r.add(r.entry(i), api.RepairDropped, 1, k.detail)
			continue
		}
		r.tooLong(r.entry(i), &value)
		all = append(all, value)
	}
	if len(all) == 0 && len(rows) > 0 {
		return nil, invalid(r.entry(0), "%s", k.detail)
	}
	return all, nil
}

// decodeRow reads a row that is as the API describes it, or as another tool wrote it.
func (k rowKind[T]) decodeRow(raw json.RawMessage, pointer string, r *repairs) (value T, ok bool) {
	if json.Unmarshal(raw, &value) == nil && k.complete(value) {
		return value, true
	}
	var members map[string]any
	if decode(raw, &members) != nil || members == nil {
		return value, false
	}
	return k.read(entry{members, pointer, r})
}

// unknownMembers lists the members of rows that the API does not have. They are not stored.
func (k rowKind[T]) unknownMembers(rows []json.RawMessage, r *repairs) {
	known := strings.Fields(k.members)
	for i, raw := range rows {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			continue
		}
		for name := range members {
			if !slices.ContainsFunc(known, func(member string) bool { return strings.EqualFold(member, name) }) {
				r.add(r.entry(i)+"/"+escapePointer.Replace(truncate(name)), api.RepairMember, 1, "no such member")
			}
		}
	}
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

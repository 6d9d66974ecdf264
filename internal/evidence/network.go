package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"bugslice/api"
)

// harStart matches the start of a HAR, even of one that was cut off.
var harStart = regexp.MustCompile(`^\s*\{\s*"log"\s*:\s*\{`)

// addNetwork adds the entries of a HAR, without secrets. An entry without a request or without a time is left out. It
// refuses a HAR that is damaged, lacks required members, or in which no entry has a request.
func (s *Set) addNetwork(raw json.RawMessage, r redaction) error {
	raw, replaced := repairText(raw)
	s.repairs.characters("", replaced)
	raw, deep := shallow(raw, tooDeep)
	s.repairs.add("", api.RepairTruncated, deep, fmt.Sprintf("what is nested deeper than %d was left out", tooDeep))
	log, entries, err := decodeHAR(raw)
	if err != nil {
		return err
	}
	if s.Head, err = marshal(r.alone.Value(log, r.counts)); err != nil {
		return err
	}
	s.repairs.list = "/log/entries"
	s.repairs.add("/log/entries", api.RepairDropped, max(0, len(entries)-maxRows),
		fmt.Sprintf("at most %d entries", maxRows))
	entries = entries[:min(len(entries), maxRows)]
	var first error
	requests := 0
	for i, e := range entries {
		entry := object(e)
		if hasRequest(entry) {
			requests++
		}
		summary, err := s.repairs.exchange(s.repairs.entry(i), entry)
		if err != nil {
			if first == nil {
				first = invalid(s.repairs.entry(i), "%s", err)
			}
			continue
		}
		r.alone.Entry(entry, r.counts)
		if err := s.add(entry, StatusClass(summary)); err != nil {
			return err
		}
	}
	if requests == 0 && first != nil {
		return first
	}
	return nil
}

func hasRequest(entry map[string]any) bool {
	request := object(entry["request"])
	return stringMember(request, "method") != "" && stringMember(request, "url") != ""
}

// exchange repairs the members of a HAR entry on which its summary relies, and returns the summary. It lists an entry
// that cannot be repaired as dropped, and returns why.
func (r *repairs) exchange(pointer string, entry map[string]any) (n api.NetworkEntry, err error) {
	if entry != nil {
		r.status(pointer+"/response", entry)
		r.clock(pointer, entry)
	}
	if n, err = summarize(entry); err != nil {
		r.add(pointer, api.RepairDropped, 1, err.Error())
	}
	return n, err
}

// status gives an entry a response with a status that is a number: 0 when there is none.
func (r *repairs) status(pointer string, entry map[string]any) {
	response := object(entry["response"])
	if response == nil {
		response = map[string]any{"status": json.Number("0")}
		if hasRequest(entry) {
			r.add(pointer, api.RepairConverted, 1, "a request without a response has the status 0")
		}
		entry["response"] = response
	}
	if _, ok := number(response["status"]); ok {
		return
	}
	text, _ := response["status"].(string)
	response["status"] = json.Number("0")
	if _, ok := number(json.Number(text)); ok && json.Valid([]byte(text)) {
		response["status"] = json.Number(text)
		r.add(pointer+"/status", api.RepairConverted, 1, "a number in quotes was read as a number")
		return
	}
	r.add(pointer+"/status", api.RepairConverted, 1, "must be a number; it was read as 0, without a response")
}

// clock converts the times of an entry that are in another form.
func (r *repairs) clock(pointer string, entry map[string]any) {
	started := entry["startedDateTime"]
	text, _ := started.(string)
	var at api.Time
	if at.UnmarshalText([]byte(text)) != nil {
		at, assumed, ok := parseTime(started)
		if ok {
			entry["startedDateTime"] = at.String()
		}
		if assumed {
			r.add(pointer+"/startedDateTime", api.RepairConverted, 1, "a time without a zone was read as UTC")
		}
	}
	duration, has := entry["time"]
	if _, ok := number(duration); ok || !has {
		return
	}
	text, _ = duration.(string)
	if _, ok := number(json.Number(text)); ok && json.Valid([]byte(text)) {
		entry["time"] = json.Number(text)
		r.add(pointer+"/time", api.RepairConverted, 1, "a number in quotes was read as a number")
		return
	}
	delete(entry, "time")
	r.add(pointer+"/time", api.RepairMember, 1, "must be a number of milliseconds")
}

// decodeHAR returns the log of a HAR without its entries, and the entries. A HAR may lack its log, or be the list of
// its entries alone.
func decodeHAR(raw json.RawMessage) (log map[string]any, entries []any, err error) {
	var har any
	if err := decode(raw, &har); err != nil {
		return nil, nil, &Error{Detail: "its JSON is not well-formed", OtherFormat: errors.Is(err, errTrailing) ||
			!harStart.Match(raw)}
	}
	log = object(object(har)["log"])
	if list, ok := har.([]any); ok && len(list) > 0 && hasRequest(object(list[0])) {
		log = map[string]any{"version": "1.2", "entries": list}
	} else if list, ok := object(har)["entries"].([]any); ok && len(list) > 0 && hasRequest(object(list[0])) {
		log = object(har)
	}
	if log == nil {
		return nil, nil, &Error{Detail: "must be a HAR, an object with log", OtherFormat: true}
	}
	entries, ok := log["entries"].([]any)
	if !ok {
		return nil, nil, &Error{Pointer: "/log/entries", Detail: "must be an array", OtherFormat: true}
	}
	delete(log, "entries")
	return log, entries, nil
}

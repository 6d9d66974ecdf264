package evidence

import (
	"encoding/json"
	"fmt"
	"reflect"

	"bugslice/api"
)

// Decode decodes the evidence in the body of a request that is not as the API describes it. What is invalid is
// repaired or left out, and listed. It refuses evidence of which nothing of a kind is valid, and an unknown kind.
func Decode(raw []byte) (*api.Evidence, []api.Repair, error) {
	e := &api.Evidence{}
	var all []api.Repair
	for name, member := range Members(raw) {
		value, r := member.Raw, repairs{list: "/evidence/" + name}
		var err error
		switch name {
		case "console":
			e.Console, err = decodeList(messages, value, &r)
		case "actions":
			e.Actions, err = decodeList(userActions, value, &r)
		case "network":
			e.Network = value
		case "replay":
			e.Replay, err = rowsOf(value)
		default:
			err = invalid("/evidence/"+name, "no such member")
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, r.all...)
	}
	eachTooLong(e, func(name string, list reflect.Value, limit int) {
		all = append(all, api.Repair{Pointer: "/evidence/" + name, Code: api.RepairDropped,
			Count:  int64(list.Len() - limit),
			Detail: fmt.Sprintf("at most %d", limit)})
		list.SetLen(limit)
	})
	return e, all, nil
}

func decodeList[T any](k rowKind[T], raw []byte, r *repairs) ([]T, error) {
	rows, err := rowsOf(raw)
	if err != nil {
		return nil, err
	}
	k.unknownMembers(rows, r)
	return k.decode(rows, r)
}

// rowsOf returns the items of a list. A null has none. An item that is nested deeper than a parser takes remains too
// deep.
func rowsOf(raw []byte) (rows []json.RawMessage, err error) {
	raw, _ = shallow(raw, tooDeep)
	if err = json.Unmarshal(raw, &rows); err != nil {
		repaired, _ := repairText(raw) // which the rows count
		if json.Unmarshal(repaired, &rows) != nil {
			return nil, fmt.Errorf("evidence: a list cannot be decoded: %w", err)
		}
	}
	return rows, nil
}

// RepairCharacters returns a member of a request that a tool has filled in, with its characters repaired.
func RepairCharacters(name string, raw []byte) ([]byte, []api.Repair) {
	out, replaced := repairText(raw)
	r := repairs{}
	r.characters("/"+name, replaced)
	return out, r.all
}

package evidence

import (
	"encoding/json"
	"fmt"

	"bugslice/api"
)

// Decode decodes the evidence in the body of a request that is not as the API describes it. What is invalid is repaired or left out, and
// listed. It refuses evidence of which nothing of a kind is valid, and an unknown kind.
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
	var err error
	eachTooLong(e, func(name string, _ *string, limit int) { err = invalid("/evidence/"+name, "at most %d", limit) })
	return e, all, err
}

func decodeList[T any](k rowKind[T], raw []byte, r *repairs) ([]T, error) {
	rows, err := rowsOf(raw)
	if err != nil {
		return nil, err
	}
	k.unknownMembers(rows, r)
	return k.decode(rows, r)
}

// rowsOf returns the items of a list. A null has none.
func rowsOf(raw []byte) (rows []json.RawMessage, err error) {
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

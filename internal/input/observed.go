package input

import (
	"bytes"
	"reflect"
	"slices"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// observed are the members of a body that machines observed, beside evidence. Their characters are repaired.
var observed = []string{"environment", "metadata"}

// bindObserved binds a body that was refused again, with the repairs of what machines observed in it: a person who files a report cannot
// repair that. ok is false when there is nothing to repair, or evidence cannot be repaired.
func (b *Binding) bindObserved(raw []byte, in reflect.Value) (faults []api.Fault, ok bool) {
	target := in.FieldByIndex(b.Body.index)
	if _, hasRepairs := b.Body.Type.FieldByName("Repairs"); !hasRepairs {
		return nil, false
	}
	var all []api.Repair
	var captured *api.Evidence
	rest, copied := []byte{}, 0
	for name, member := range evidence.Members(raw) {
		var with []byte
		var repairs []api.Repair
		switch {
		case name == "evidence" && member.Raw[0] == '{':
			var err error
			if captured, repairs, err = evidence.Decode(member.Raw); err != nil {
				return nil, false
			}
			with = []byte("{}")
		case slices.Contains(observed, name):
			with, repairs = evidence.RepairCharacters(name, member.Raw)
		default:
			continue
		}
		rest = slices.Concat(rest, raw[copied:member.At], with)
		copied, all = member.At+len(member.Raw), append(all, repairs...)
	}
	target.SetZero()
	faults, err := b.bindStrict(bytes.Join([][]byte{rest, raw[copied:]}, nil), in)
	if err != nil {
		return nil, false
	}
	if len(faults) == 0 {
		body := reflect.Indirect(target)
		body.FieldByName("Repairs").Set(reflect.ValueOf(all))
		if captured != nil {
			body.FieldByName("Evidence").Set(reflect.ValueOf(captured))
		}
	}
	return faults, true
}

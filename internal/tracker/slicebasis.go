package tracker

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// sliceItem is an item of a batch of updates, beside its UpdateSlice.
type sliceItem struct {
	key         request // under which the response is stored; the zero Idempotency for none
	baseVersion *int64
	labels      labelChange
}

// changedSlice is a slice after a request, with whether the request has changed it.
type changedSlice struct {
	api.Slice
	Changed bool `json:"changed"`
}

// labelChange adds labels to those of a slice, and removes some.
type labelChange struct{ add, remove []string }

func (l labelChange) isNone() bool { return len(l.add)+len(l.remove) == 0 }

// patchOf returns the patch of an item. If the item adds or removes labels, the labels of the patch are the added ones:
// they are validated and redacted like other labels, and apply replaces them by all labels of the slice.
func (l labelChange) patchOf(item api.BatchUpdateItem) (api.SlicePatch, error) {
	if l.isNone() {
		return item.Patch, nil
	}
	if hasKey(item.Patch, "labels") {
		return nil, api.InvalidMember("/labels", "repeated",
			"the labels of a slice are either replaced by a patch, or added and removed by addLabels and removeLabels")
	}
	patch := maps.Clone(item.Patch)
	added := make([]any, len(l.add))
	for i, label := range l.add {
		added[i] = label
	}
	patch["labels"] = added
	return patch, nil
}

// apply returns a redacted patch of patchOf with the labels that a slice gets.
func (l labelChange) apply(patch api.SlicePatch, labels []string) (api.SlicePatch, error) {
	if l.isNone() {
		return patch, nil
	}
	var added []string
	if err := throughJSON(patch["labels"], &added); err != nil {
		return nil, err
	}
	next := slices.DeleteFunc(slices.Clone(labels), func(label string) bool {
		return slices.Contains(l.remove, label) && !slices.Contains(added, label)
	})
	for _, label := range added {
		if !slices.Contains(next, label) {
			next = append(next, label)
		}
	}
	if len(next) > maxLabels {
		return nil, api.InvalidMember("/labels", "too_many", "the slice would have more than 50 labels")
	}
	patch = maps.Clone(patch)
	patch["labels"] = next
	return patch, nil
}

const maxLabels = 50

// maxSince is the number of changes of a slice in which checkBase looks for those after a version.
const maxSince = 20

// checkBase refuses a change of members of a locked slice of which one, or one that depends on it, was changed after
// the version on which the change is based, or may have been: after more changes than it reads, and when there was no
// such version.
func checkBase(tx *access.Tx, s store.Slice, base *int64, members []string) error {
	if base == nil || *base == s.Version || len(members) == 0 {
		return nil
	}
	changed, known, err := changedSince(tx.Queries, s, *base)
	if err != nil {
		return err
	}
	var faults []api.Fault
	for _, member := range members {
		if !known || slices.ContainsFunc(changed, func(c string) bool { return dependent(c, member) }) {
			faults = append(faults, api.Fault{Pointer: "/" + member, Code: "changed_meanwhile",
				Detail: "was changed after version " + strconv.FormatInt(*base, 10)})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return api.NewProblem(api.CodePrecondition,
		"Somebody has changed what the change is about: the ETag of the slice is "+
			api.ETag(s.Version)+" now. Read it again before you change it.", faults...)
}

// dependent returns whether two members are one, or of those that depend on each other.
func dependent(a, b string) bool {
	return a == b || slices.Contains(workflowMembers, a) && slices.Contains(workflowMembers, b)
}

// changedSince returns the members of a slice that were changed after a version. known is false when there may be
// more of them.
func changedSince(q access.Queries, s store.Slice, version int64) (members []string, known bool, err error) {
	events, err := q.NewestEventsAbout(s.ID, []api.EventType{api.EventSliceUpdated}, [2]string{}, maxSince)
	if err != nil || version > s.Version {
		return nil, false, err
	}
	for _, e := range events { // the newest one first
		var data struct {
			Slice    struct{ Version int64 }
			Previous map[string]json.RawMessage
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return nil, false, err
		}
		if data.Slice.Version <= version {
			return members, true, nil
		}
		members = slices.AppendSeq(members, maps.Keys(data.Previous))
	}
	return members, len(events) < maxSince, nil
}

// membersOfPatch returns the members that a patch of a slice changes, in order. The labels of a labelChange are none:
// they are added and removed whatever the others are.
func (l labelChange) membersOfPatch(patch api.SlicePatch) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(patch)), func(member string) bool {
		return member == "labels" && !l.isNone()
	})
}

package tracker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// errDryRun rolls back the transaction of a change that is only tried.
var errDryRun = errors.New("the change is only tried")

// ChangeSlice changes a slice, comments on it and marks duplicates of it: all of it or, after any refusal, nothing. The
// refusal has the faults of all parts.
func (t *Tracker) ChangeSlice(ctx context.Context, c access.Caller, v input.Valid[api.ChangeSlice],
) (api.SliceChange, error) {
	in, err := v.Value(c.Allow(api.OpChangeSlice))
	if err != nil {
		return api.SliceChange{}, err
	}
	parts, err := t.prepareChange(ctx, c, in)
	if err != nil {
		return api.SliceChange{}, err
	}
	var tried api.SliceChange
	out, err := access.Write(ctx, t.access, c, api.OpChangeSlice,
		func(tx *access.Tx, c access.Caller) (api.SliceChange, error) {
			s, err := t.lockChange(tx, c, in)
			if err != nil {
				return api.SliceChange{}, err
			}
			if in.Body.DryRun {
				if tried, err = parts.carryOut(t, tx, c, s); err == nil {
					tried.DryRun, err = true, errDryRun
				}
				return api.SliceChange{}, err
			}
			return idempotent(t, tx, c, in, func() (api.SliceChange, error) { return parts.carryOut(t, tx, c, s) })
		})
	if errors.Is(err, errDryRun) {
		return tried, nil
	}
	return out, err
}

// sliceChange has the redacted parts of a ChangeSlice.
type sliceChange struct {
	in         api.ChangeSlice
	update     access.InTransaction[changedSlice] // nil for none
	comment    *api.CommentFields
	duplicates []access.InTransaction[changedSlice]
	newest     *api.ChosenRelease // for which newest stands in the patch; nil without it
	faults     partFaults         // of the parts that were refused before the transaction
}

// prepareChange validates and redacts the parts of a change.
func (t *Tracker) prepareChange(ctx context.Context, c access.Caller, in api.ChangeSlice) (*sliceChange, error) {
	original, w, err := t.sliceAndWorkspace(ctx, c, in.SliceID)
	if err != nil {
		return nil, err
	}
	r, err := t.redactorOf(ctx, c, w)
	if err != nil {
		return nil, err
	}
	r = r.knowing(original)
	p := &sliceChange{in: in}
	prepare := func(pointer string, u api.UpdateSlice) (access.InTransaction[changedSlice], error) {
		v, err := input.Check(u)
		var update access.InTransaction[changedSlice]
		if err == nil {
			update, err = t.prepareUpdate(c, v, sliceItem{key: api.Idempotency{}},
				func(string) (redactor, error) { return r, nil })
		}
		return update, p.faults.add(pointer, err)
	}
	patch := in.Body.Patch
	if patch["fixedInRelease"] == api.NewestRelease {
		patch, err = p.withNewest(t.access.Read(ctx), w.ID)
	}
	if err == nil && len(patch) > 0 {
		p.update, err = prepare("/patch", api.UpdateSlice{SliceID: in.SliceID, Patch: patch})
	}
	for i := 0; err == nil && i < len(in.Body.Duplicates); i++ {
		patch := api.SlicePatch{"status": string(api.Resolved), "resolution": string(api.Duplicate),
			"duplicateOfId": original.ID}
		var mark access.InTransaction[changedSlice]
		mark, err = prepare("/duplicates/"+strconv.Itoa(i),
			api.UpdateSlice{SliceID: in.Body.Duplicates[i], Patch: patch})
		p.duplicates = append(p.duplicates, mark)
	}
	if err == nil && in.Body.Comment != nil {
		p.comment = &api.CommentFields{Body: *in.Body.Comment}
		err = redactFields(r, p.comment, redact.Counts{})
	}
	return p, err
}

// withNewest returns the patch of a change with the newest release of the workspace in the place of newest. Without a
// release that is a fault.
func (p *sliceChange) withNewest(q access.Queries, workspaceID string) (api.SlicePatch, error) {
	newest, err := newestRelease(q, workspaceID)
	if err != nil {
		return nil, err
	}
	patch := maps.Clone(p.in.Body.Patch)
	if newest == nil {
		delete(patch, "fixedInRelease")
		return patch, p.faults.add("/patch", api.InvalidMember("/fixedInRelease", "not_a_release",
			"no report of the workspace names a release"))
	}
	p.newest, patch["fixedInRelease"] = newest, newest.Name
	return patch, nil
}

// lockChange locks what a change may change, in the order in which every transaction does: identifiers, slices. It
// returns the slice itself.
func (t *Tracker) lockChange(tx *access.Tx, c access.Caller, in api.ChangeSlice) (store.Slice, error) {
	names := append([]string{in.SliceID}, in.Body.Duplicates...)
	found, err := c.SliceIDs(tx.Queries, names)
	if err != nil {
		return store.Slice{}, err
	}
	var ids []string
	for _, name := range names {
		ids = append(ids, cmp.Or(found[name], name))
	}
	if externalIDs, ok := t.identifiersOf(in.Body.Patch); ok {
		if err := tx.LockIdentifiers(map[string][]string{ids[0]: externalIDs}); err != nil {
			return store.Slice{}, err
		}
	}
	if _, err := tx.LockSlices(slices.Compact(slices.Sorted(slices.Values(ids)))); err != nil {
		return store.Slice{}, err
	}
	return c.LockSlice(tx, in.SliceID)
}

// carryOut carries out the parts of a change on its locked slice.
func (p *sliceChange) carryOut(t *Tracker, tx *access.Tx, c access.Caller, s store.Slice) (api.SliceChange, error) {
	out := api.SliceChange{Changes: []api.Change{}, Duplicates: []string{}}
	faults := partFaults{p.faults.problem, slices.Clone(p.faults.all)}
	if err := checkIfMatch("slice", p.in.Body.IfMatch, s.Version); err != nil {
		return out, err
	}
	if p.update != nil {
		_, err := p.update(tx, c)
		if err = faults.add("/patch", err); err != nil {
			return out, err
		}
	}
	for i, mark := range p.duplicates {
		if mark == nil {
			continue
		}
		marked, err := mark(tx, c)
		if err = faults.add("/duplicates/"+strconv.Itoa(i), err); err != nil {
			return out, err
		}
		if marked.Changed {
			out.Duplicates = append(out.Duplicates, marked.Reference)
		}
	}
	if err := faults.err(); err != nil {
		return out, err
	}
	if p.comment != nil {
		comment, err := t.insertComment(tx, c, s, *p.comment)
		if err != nil {
			return out, err
		}
		out.Comment = &comment
	}
	after, err := c.LockSlice(tx, s.ID)
	if err != nil {
		return out, err
	}
	out.Slice, out.NewestRelease, out.Warnings = t.show(after), p.newest, warningsOf(s, after)
	out.Changes, err = changesOf(s.SliceFields, after.SliceFields)
	return out, err
}

// warningsOf returns what the caller of a change of a slice should look at.
func warningsOf(before, after store.Slice) []api.ChangeWarning {
	fixed := after.FixedInRelease
	if fixed == nil || equalStrings(fixed, before.FixedInRelease) || !equalStrings(fixed, after.LastRelease()) {
		return nil
	}
	return []api.ChangeWarning{{Code: "still_seen", Detail: "The newest report of the bug names the release in which it is said " +
		"to be fixed. Name a later release if that one does not have the fix."}}
}

// changesOf returns the members of a slice that differ.
func changesOf(before, after api.SliceFields) ([]api.Change, error) {
	from, err := changedMembers(before, after)
	if err != nil {
		return nil, err
	}
	to, err := changedMembers(after, before)
	if err != nil {
		return nil, err
	}
	changes := []api.Change{}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		changes = append(changes, api.Change{Field: name, From: valueOf(from[name]), To: valueOf(to[name])})
	}
	return changes, nil
}

// valueOf returns the value of a member, nil for null.
func valueOf(member any) *any {
	if member == nil {
		return nil
	}
	return &member
}

// partFaults are the faults of the parts of a request, with the first problem.
type partFaults struct {
	problem *api.Problem
	all     []api.Fault
}

// add adds the faults of the part at a pointer. It returns every error but a problem of the input, which it keeps.
func (f *partFaults) add(pointer string, err error) error {
	var problem *api.Problem
	if !errors.As(err, &problem) || problem.Status == http.StatusPreconditionFailed || problem.Status >= 500 {
		return err
	}
	f.problem = cmp.Or(f.problem, problem)
	if len(problem.Errors) == 0 {
		f.all = append(f.all, api.Fault{Pointer: pointer, Code: problem.Code, Detail: problem.Detail})
	}
	for _, fault := range problem.Errors {
		at := pointer
		if pointer == "/patch" { // a duplicate is refused as a whole
			at += fault.Pointer
		}
		f.all = append(f.all, api.Fault{Pointer: at, Code: fault.Code, Detail: fault.Detail})
	}
	return nil
}

// err returns the problem with all faults, nil without any.
func (f *partFaults) err() error {
	if f.problem == nil {
		return nil
	}
	code, first := f.problem.Code, f.all[0]
	if code == api.CodeNotFound { // of a duplicate; the slice itself was found
		code = api.CodeInvalidBody
	}
	return api.NewProblem(code, first.Pointer+": "+first.Detail, f.all...)
}

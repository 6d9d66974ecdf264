package tracker

import (
	"cmp"
	"context"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/redact/decide"
	"bugslice/internal/store"
)

const (
	countedRedactions = 100   // newest slices whose removals are counted
	countedMistakes   = 1_000 // newest slices with a mistake that are counted
)

// MarkRedaction says of a count of a slice's redaction whether its values were no secrets. A mark that the count has
// already changes nothing. It refuses a count that the slice does not have.
func (t *Tracker) MarkRedaction(ctx context.Context, c access.Caller, v input.Valid[api.MarkRedaction],
) (api.Slice, error) {
	in, err := v.Value(c.Allow(api.OpMarkRedaction))
	if err != nil {
		return api.Slice{}, err
	}
	return access.Write(ctx, t.access, c, api.OpMarkRedaction, func(tx *access.Tx, c access.Caller) (api.Slice, error) {
		s, err := c.LockSlice(tx, in.SliceID)
		if err != nil {
			return api.Slice{}, err
		}
		return idempotent(t, tx, c, in, func() (api.Slice, error) {
			err := t.markRedaction(tx, c, &s, in.Body)
			return t.show(s), err
		})
	})
}

// markRedaction sets the mark of a count of a locked slice, and publishes the change.
func (t *Tracker) markRedaction(tx *access.Tx, c access.Caller, s *store.Slice, mark api.RedactionMark) error {
	before := s.Redaction
	i := -1
	if before != nil {
		i = slices.IndexFunc(before.ByRule, func(n api.RuleCount) bool {
			return n.Kind == mark.Kind && n.Rule == mark.Rule && n.Shape == mark.Shape
		})
	}
	if i < 0 {
		return api.InvalidMember("/rule", "unknown", "redaction.byRule of the bug report has no such kind, rule and shape")
	}
	if before.ByRule[i].Mistake == mark.Mistake {
		return nil
	}
	marked := *before
	marked.ByRule = slices.Clone(before.ByRule)
	marked.ByRule[i].Mistake = mark.Mistake
	s.Redaction, s.UpdatedAt = &marked, maxTime(t.clock(), s.UpdatedAt)
	if err := tx.UpdateSlice(s); err != nil {
		return err
	}
	return t.publish(tx, c, s.WorkspaceID, event{api.EventSliceUpdated, s.ID, t.show(*s),
		map[string]any{"redaction": before}})
}

// GetRedactionCounts counts what the rules of a workspace the caller sees have removed.
func (t *Tracker) GetRedactionCounts(ctx context.Context, c access.Caller, v input.Valid[api.GetRedactionCounts],
) (out api.RedactionCounts, err error) {
	in, err := v.Value(c.Allow(api.OpGetRedactionCounts))
	if err != nil {
		return out, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
		return out, err
	}
	w, err := q.Workspace(in.WorkspaceID)
	if err != nil {
		return out, access.OrNotFound(err, "workspace")
	}
	newest, mistaken, err := q.Redactions(in.WorkspaceID, countedRedactions, countedMistakes)
	if err != nil {
		return out, err
	}
	return api.RedactionCounts{Slices: int64(len(newest)), Rules: ruleUses(newest, mistaken, w.Redaction.Off)}, nil
}

// ruleUses returns what each rule has removed from the newest slices, and by mistake from others.
func ruleUses(newest, mistaken []api.Redaction, off []string) []api.RuleUse {
	all := []api.RuleUse{}
	use := func(n api.RuleCount) *api.RuleUse {
		i := slices.IndexFunc(all, func(u api.RuleUse) bool { return u.Kind == n.Kind && u.Rule == n.Rule })
		if i < 0 {
			i, all = len(all), append(all, api.RuleUse{Kind: n.Kind, Rule: n.Rule, Shapes: []string{},
				Off: slices.Contains(off, n.Rule)})
		}
		return &all[i]
	}
	for _, r := range newest {
		for _, n := range r.ByRule {
			use(n).Removed += n.Count
		}
	}
	for _, r := range mistaken {
		for _, n := range r.ByRule {
			if !n.Mistake {
				continue
			}
			u := use(n)
			if u.Mistakes += n.Count; n.Shape != "" && !slices.Contains(u.Shapes, n.Shape) {
				u.Shapes = append(u.Shapes, n.Shape)
			}
		}
	}
	slices.SortFunc(all, func(a, b api.RuleUse) int {
		return cmp.Or(cmp.Compare(b.Mistakes, a.Mistakes), cmp.Compare(b.Removed, a.Removed), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Rule, b.Rule))
	})
	return all
}

// MaySwitchOff reports whether a workspace may switch a rule off: it is one of the built-in ones.
func MaySwitchOff(rule string) bool { return rule != "" && decide.Exists(rule) == nil }

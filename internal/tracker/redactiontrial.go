package tracker

import (
	"cmp"
	"context"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

const (
	triedSlices   = 100
	triedBytes    = 4 << 20 // of all texts together
	triedComments = 50      // of a slice
	maxTried      = 100     // removals in a response
)

// TryRules says what rules would remove from the newest slices of a workspace the caller sees, by the form of each
// value. It stores nothing.
func (t *Tracker) TryRules(ctx context.Context, c access.Caller, v input.Valid[api.TryRules],
) (out api.RuleTrial, err error) {
	in, err := v.Value(c.Allow(api.OpTryRules))
	if err != nil {
		return out, err
	}
	q := t.access.Read(ctx)
	canRead := func(q access.Queries, c access.Caller) error { return errorOf(c.RoleIn(q, in.WorkspaceID)) }
	if err := canRead(q, c); err != nil {
		return out, err
	}
	if in.Body.Rules == nil {
		w, err := q.Workspace(in.WorkspaceID)
		if err != nil {
			return out, access.OrNotFound(err, "workspace")
		}
		in.Body.Rules = &w.Redaction
	}
	r, err := t.dryRunRedactor(ctx, c, api.DryRun{WorkspaceID: in.WorkspaceID,
		Body: api.DryRunFields{Rules: in.Body.Rules}})
	if err != nil {
		return out, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpTryRules)
	if err != nil {
		return out, err
	}
	defer slot.Release()
	g := t.access.NewGuard(ctx, c, api.OpTryRules, canRead)
	all, err := q.Slices(store.SliceFilter{Workspaces: []string{in.WorkspaceID}, Limit: triedSlices})
	if err != nil {
		return out, err
	}
	trial := ruleTrial{redactor: r.Redactor, left: triedBytes}
	for i := range all {
		texts, err := writtenTexts(q, &all[i])
		if err != nil {
			return out, err
		}
		if !trial.try(texts) {
			break
		}
		if err := r.checkCost(); err != nil {
			return out, err
		}
	}
	return trial.result(), g.Allow()
}

// writtenTexts returns the texts of a slice that a person may have written, as they are stored.
func writtenTexts(q access.Queries, s *store.Slice) ([]string, error) {
	texts := []string{s.Summary}
	e := s.Environment
	for _, text := range []*string{s.Description, s.SourceURL, s.FixedInRelease, e.Browser, e.OS, e.Device, e.Viewport,
		e.Screen, e.Locale, e.Timezone, e.AppVersion, e.Release, e.Commit, e.Branch, e.BuildURL} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	for name, value := range s.Metadata {
		texts = append(texts, name+": "+value)
	}
	comments, err := q.NewestComments(s.ID, "", triedComments)
	for _, comment := range comments {
		texts = append(texts, comment.Body)
	}
	return texts, err
}

// ruleTrial counts what a redactor would remove.
type ruleTrial struct {
	redactor *redact.Redactor
	left     int // bytes that may still be read
	slices   int64
	changed  int64
	removals []api.TriedRemoval
}

// try counts what would be removed from the texts of one slice. It returns false, and counts nothing, when the texts
// are more than may be read.
func (t *ruleTrial) try(texts []string) bool {
	for _, text := range texts {
		t.left -= len(text)
	}
	if t.left < 0 {
		return false
	}
	t.slices++
	seen := map[int]bool{} // the removals that this slice has
	for _, text := range texts {
		for _, m := range t.removalsOf(text) {
			i := t.removal(m, redact.Outline(text[m.Start:m.End]))
			if t.removals[i].Count++; !seen[i] {
				seen[i] = true
				t.removals[i].Slices++
			}
		}
	}
	if len(seen) > 0 {
		t.changed++
	}
	return true
}

// removalsOf returns what would be removed from a text. Removals that cannot be located have no extent.
func (t *ruleTrial) removalsOf(text string) []redact.Removal {
	removals, located := t.redactor.Explain(text)
	if located {
		return removals
	}
	counts := redact.Counts{}
	t.redactor.Text(text, counts)
	for _, secret := range counts.Secrets() {
		for range counts[secret] {
			removals = append(removals, redact.Removal{Kind: secret.Kind, ID: secret.Rule})
		}
	}
	return removals
}

// removal returns the index of the removals like one.
func (t *ruleTrial) removal(m redact.Removal, form string) int {
	i := slices.IndexFunc(t.removals, func(r api.TriedRemoval) bool {
		return r.Form == form && r.Kind == m.Kind && r.RuleID == m.ID && (r.Rule == nil) == (m.Rule == "") &&
			(r.Rule == nil || *r.Rule == m.Rule)
	})
	if i < 0 {
		i = len(t.removals)
		added := api.TriedRemoval{Kind: m.Kind, RuleID: m.ID, Form: form}
		if m.Rule != "" {
			added.Rule = &m.Rule
		}
		t.removals = append(t.removals, added)
	}
	return i
}

func (t *ruleTrial) result() api.RuleTrial {
	slices.SortStableFunc(t.removals, func(a, b api.TriedRemoval) int {
		return cmp.Or(cmp.Compare(b.Slices, a.Slices), cmp.Compare(b.Count, a.Count))
	})
	out := api.RuleTrial{Slices: t.slices, Changed: t.changed, Removals: []api.TriedRemoval{}}
	out.Removals = append(out.Removals, t.removals[:min(len(t.removals), maxTried)]...)
	return out
}

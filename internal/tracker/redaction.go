package tracker

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"sync"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// redactors remembers the compiled rules of workspaces at their versions.
type redactors struct {
	mu sync.Mutex
	of map[string]compiled
}

type compiled struct {
	version int64
	*redact.Redactor
	ruleset string
}

const maxRedactors = 1000

// redactor returns what removes secrets for a workspace. Its version comes from the database on
// every request, so that a new rule holds from the next one on.
func (t *Tracker) redactor(tx *store.Tx, workspaceID string) (compiled, error) {
	w, err := tx.Workspace(workspaceID)
	if err != nil {
		return compiled{}, err
	}
	t.redactors.mu.Lock()
	defer t.redactors.mu.Unlock()
	if known, ok := t.redactors.of[workspaceID]; ok && known.version == w.Version {
		return known, nil
	}
	c := compiled{version: w.Version, ruleset: redact.Ruleset}
	if c.Redactor, err = redact.New(rules(w.Redaction)); err != nil {
		return c, err
	}
	if len(w.Redaction.Fields)+len(w.Redaction.Patterns)+len(w.Redaction.Allow) > 0 {
		c.ruleset += "+" + strconv.FormatInt(w.Version, 10)
	}
	for other := range t.redactors.of {
		if len(t.redactors.of) < maxRedactors {
			break
		}
		delete(t.redactors.of, other)
	}
	if t.redactors.of == nil {
		t.redactors.of = map[string]compiled{}
	}
	t.redactors.of[workspaceID] = c
	return c, nil
}

func rules(r api.RedactionRules) redact.Rules {
	return redact.Rules{Fields: r.Fields, Allow: r.Allow,
		Patterns: convert(r.Patterns, func(p api.RedactionPattern) string { return p.Pattern }),
		Masks:    convert(r.Patterns, func(p api.RedactionPattern) string { return p.Mask })}
}

// checkRules refuses rules of a workspace that cannot be carried out.
func checkRules(r api.RedactionRules) error {
	if _, err := redact.New(rules(r)); err != nil {
		return api.InvalidMember("/redaction", "invalid_rule", "redaction/"+err.Error())
	}
	return nil
}

// fields removes the secrets of what a client wrote about a slice.
func (r compiled) fields(f *api.SliceFields, c redact.Counts) {
	f.Summary = r.Text(f.Summary, c)
	if f.Description != nil {
		text := r.Text(*f.Description, c)
		f.Description = &text
	}
	for _, p := range []**string{&f.SourceURL, &f.Environment.BuildURL} {
		if *p != nil {
			text := r.URL(**p, c)
			*p = &text
		}
	}
	if len(f.Metadata) > 0 {
		f.Metadata = maps.Clone(f.Metadata)
		for name, value := range f.Metadata {
			f.Metadata[name] = r.Header(name, value, c)
		}
	}
}

// bounded cuts what masks have made too long for its member.
func bounded(s string, runes int) string {
	n := 0
	for i := range s {
		if n++; n > runes {
			return s[:i]
		}
	}
	return s
}

// told adds what was removed to what a slice says of it.
func (r compiled) told(before *api.Redaction, c redact.Counts) *api.Redaction {
	if len(c) == 0 {
		return before
	}
	sum := api.Redaction{Ruleset: r.ruleset, Counts: map[string]int64{}}
	if before != nil {
		maps.Copy(sum.Counts, before.Counts)
	}
	for kind, n := range c {
		sum.Counts[kind] += int64(n)
	}
	return &sum
}

// cleanText removes the secrets of a comment.
func (t *Tracker) cleanText(tx *store.Tx, workspaceID, text string) (string, error) {
	r, err := t.redactor(tx, workspaceID)
	if err != nil {
		return "", err
	}
	return r.Text(text, redact.Counts{}), nil
}

// evidenceFault says what is wrong with evidence, as a fault of the body it came in.
func evidenceFault(err error) error {
	var bad *evidence.Error
	if errors.As(err, &bad) {
		return api.InvalidMember("/evidence"+bad.Pointer, "invalid_evidence", "evidence"+bad.Pointer+" "+bad.Detail)
	}
	return err
}

// DryRun shows what would be removed, by the rules of a workspace the caller sees or by others.
func (t *Tracker) DryRun(ctx context.Context, c Caller, in api.DryRun) (api.DryRunResult, error) {
	var out api.DryRunResult
	if err := c.Allow(api.OpDryRun); err != nil {
		return out, err
	}
	tx := t.store.Read(ctx)
	if _, err := c.role(tx, in.WorkspaceID); err != nil {
		return out, err
	}
	r, err := t.redactor(tx, in.WorkspaceID)
	if err != nil {
		return out, err
	}
	if in.Body.Rules != nil {
		if r.Redactor, err = redact.New(rules(*in.Body.Rules)); err != nil {
			return out, api.InvalidMember("/rules", "invalid_rule", "rules/"+err.Error())
		}
		r.ruleset = redact.Ruleset + "+try"
	}
	counts := redact.Counts{}
	if in.Body.Text != nil {
		kind := ""
		text := *in.Body.Text
		if in.Body.ContentType != nil {
			kind = *in.Body.ContentType
			text = r.Body(kind, text, counts)
		} else {
			text = r.Text(text, counts)
		}
		out.Text = &text
	}
	if in.Body.Evidence != nil {
		sets, err := evidence.Read(in.Body.Evidence, r.Redactor, counts)
		if err != nil {
			return out, evidenceFault(err)
		}
		if out.Evidence, err = evidence.Show(sets); err != nil {
			return out, err
		}
	}
	out.Redaction = *r.told(&api.Redaction{Ruleset: r.ruleset, Counts: map[string]int64{}}, counts)
	return out, nil
}

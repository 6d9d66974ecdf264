package tracker

import (
	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/fairshare"
	"bugslice/internal/redact"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"sync"
	"unicode/utf8"
)

// redactorCache remembers the compiled rules of workspaces at their versions.
type redactorCache struct {
	mu          sync.Mutex
	byWorkspace map[string]redactor
}

type redactor struct {
	version int64
	*redact.Redactor
	ruleset     string
	pointer     string // to the rules, when they came in the body of the request
	acquireSlot func() (*fairshare.Slot, error)
	secrets     *secret.Ring
}

const maxRedactors = 1000

func (r *redactorCache) get(w store.Workspace) (redactor, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.byWorkspace[w.ID]; ok && known.version == w.Version {
		return known, nil
	}
	c := redactor{version: w.Version, ruleset: redact.Ruleset}
	var err error
	if c.Redactor, err = redact.New(rules(w.Redaction)); err != nil {
		return c, err
	}
	if len(w.Redaction.Fields)+len(w.Redaction.Patterns)+len(w.Redaction.Allow) > 0 {
		c.ruleset += "+" + strconv.FormatInt(w.Version, 10)
	}
	for other := range r.byWorkspace {
		if len(r.byWorkspace) < maxRedactors {
			break
		}
		delete(r.byWorkspace, other)
	}
	if r.byWorkspace == nil {
		r.byWorkspace = map[string]redactor{}
	}
	r.byWorkspace[w.ID] = c
	return c, nil
}

// problem says why what was redacted must not be used: a pattern that costs too much on this input,
// or a request that has ended. What a request costs depends on its input and the rules alone.
func (r redactor) problem() error {
	var costly *redact.CostError
	err := r.Err()
	if !errors.As(err, &costly) {
		return err
	}
	p := api.Refuse(api.CodeRedactionCost,
		fmt.Sprintf("The workspace's own patterns would take too long to try on this. redaction.patterns[%d] costs the most: begin it "+
			"with a literal text, or bound its repetitions; or send less at once. Nothing was stored.", costly.Index))
	if r.pointer != "" {
		p.Errors = []api.Fault{{Pointer: fmt.Sprintf("%s/patterns/%d", r.pointer, costly.Index), Code: "too_costly",
			Detail: "costs the most of the patterns"}}
	}
	return p
}

func rules(r api.RedactionRules) redact.Rules {
	return redact.Rules{Fields: r.Fields, Allow: r.Allow,
		Patterns: convert(r.Patterns, func(p api.RedactionPattern) string { return p.Pattern }),
		Masks:    convert(r.Patterns, func(p api.RedactionPattern) string { return p.Mask })}
}

// compileRules returns the redactor of rules that a client sent at a place of its body.
func compileRules(pointer string, sent api.RedactionRules) (*redact.Redactor, error) {
	r, err := redact.New(rules(sent))
	var bad *redact.RuleError
	switch {
	case errors.As(err, &bad):
		if pointer += "/" + bad.Sort; bad.Index >= 0 {
			pointer += "/" + strconv.Itoa(bad.Index)
		}
		return nil, api.InvalidMember(pointer, "invalid_rule", bad.Detail)
	case err != nil:
		return nil, err
	case r.Steps() > redact.MaxSteps:
		return nil, api.InvalidMember(pointer+"/patterns", "too_costly",
			fmt.Sprintf("the patterns compile to %d steps, more than %d: make repetitions such as {1,90} shorter, or open-ended", r.Steps(),
				redact.MaxSteps))
	}
	return r, nil
}

// checkRules refuses rules of a workspace that cannot be carried out.
func checkRules(r api.RedactionRules) error {
	_, err := compileRules("/redaction", r)
	return err
}

// completeRules makes lists of what was left out.
func completeRules(r *api.RedactionRules) {
	if r.Fields == nil {
		r.Fields = []string{}
	}
	if r.Patterns == nil {
		r.Patterns = []api.RedactionPattern{}
	}
	if r.Allow == nil {
		r.Allow = []string{}
	}
	for i := range r.Patterns {
		if r.Patterns[i].Mask == "" {
			r.Patterns[i].Mask = "[redacted:rule]"
		}
	}
}

// redactFields removes the secrets of the members of a record that say how they are searched. What marks
// have made too long for its member is cut.
func redactFields[T any](r redactor, fields *T, c redact.Counts) error {
	if r.Steps() > 0 || textSize(reflect.ValueOf(fields).Elem()) >= largeText { // else it is quick
		slot, err := r.acquireSlot()
		if err != nil {
			return err
		}
		defer slot.Release()
	}
	r.redactRecord(reflect.ValueOf(fields).Elem(), c)
	return r.problem()
}

// largeText is the size from which redaction takes much of a processor, whatever the patterns.
const largeText = 8 << 10

// textSize returns how many bytes the texts of a record have that stand in it themselves.
func textSize(v reflect.Value) (n int) {
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		if f.Kind() == reflect.String {
			n += f.Len()
		}
	}
	return n
}

func (r redactor) redactRecord(v reflect.Value, c redact.Counts) {
	for i := range v.NumField() {
		f, of := v.Type().Field(i), v.Field(i)
		how := f.Tag.Get("redact")
		longest, _ := strconv.Atoi(f.Tag.Get("maxLength"))
		switch member := of.Addr().Interface().(type) {
		case *string:
			*member = truncateGrown(*member, r.redactMember(how, f.Name, *member, c), longest)
		case **string:
			if *member != nil && how != "" {
				text := truncateGrown(**member, r.redactMember(how, f.Name, **member, c), longest)
				*member = &text
			}
		case *[]string:
			if how == "hash" && *member != nil {
				*member = r.keyedAll(*member, c)
			}
		case *map[string]string:
			cleaned := maps.Clone(*member)
			for name, value := range cleaned {
				cleaned[name] = truncateGrown(value, r.redactMember(how, name, value, c), longest)
			}
			*member = cleaned
		default:
			if of.Kind() == reflect.Struct {
				r.redactRecord(of, c)
			}
		}
	}
}

// truncateGrown cuts what marks have made too long. What came too long is left to be refused.
func truncateGrown(before, after string, longest int) string {
	if utf8.RuneCountInString(before) > longest {
		return after
	}
	return truncate(after, longest)
}

func (r redactor) redactMember(how, name, text string, c redact.Counts) string {
	switch how {
	case "text":
		return r.Text(text, c)
	case "url":
		return r.URL(text, c)
	case "named":
		return r.Header(name, text, c)
	case "hash":
		return r.keyed(text, c)
	}
	return text
}

// redactPatch returns a patch without the secrets that it would write.
func redactPatch[T any](r redactor, patch api.Patch[T], c redact.Counts) (api.Patch[T], error) {
	var fields T
	if _, err := applyPatch(&fields, patch); err != nil {
		return nil, err
	}
	if err := redactFields(r, &fields, c); err != nil {
		return nil, err
	}
	cleaned, err := jsonObject(fields)
	return overlay(patch, cleaned), err
}

// overlay returns a patch with its texts as they are in a record. What it takes away stays taken away.
func overlay(patch, record map[string]any) map[string]any {
	out := maps.Clone(patch)
	for name, value := range out {
		switch value := value.(type) {
		case string, []any:
			out[name] = record[name]
		case map[string]any:
			if inner, ok := record[name].(map[string]any); ok {
				out[name] = overlay(value, inner)
			}
		}
	}
	return out
}

// summary adds what was removed to what a slice says of it.
func (r redactor) summary(before *api.Redaction, c redact.Counts) *api.Redaction {
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

// evidence returns the sets of what came along with a slice, without secrets.
func (r redactor) evidence(in *api.Evidence, c redact.Counts) ([]evidence.Set, error) {
	slot, err := r.acquireSlot()
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	sets, err := evidence.Read(in, r.Redactor, c)
	if fault := r.problem(); fault != nil { // what is wrong with them comes from that
		return nil, fault
	}
	return sets, evidenceProblem(err)
}

// parse reads a file as evidence of a kind, without secrets.
func (r redactor) parse(kind api.AttachmentKind, file []byte, c redact.Counts) (evidence.Set, error) {
	slot, err := r.acquireSlot()
	if err != nil {
		return evidence.Set{}, err
	}
	defer slot.Release()
	return evidence.Parse(kind, file, r.Redactor, c)
}

// text returns a text without secrets: one that stands alone, or the body of a message of a type.
func (r redactor) text(text string, contentType *string, c redact.Counts) (string, error) {
	slot, err := r.acquireSlot()
	if err != nil {
		return "", err
	}
	defer slot.Release()
	if contentType != nil {
		return r.Body(*contentType, text, c), nil
	}
	return r.Text(text, c), nil
}

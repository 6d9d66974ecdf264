package tracker

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/fairshare"
	"bugslice/internal/redact"
	"bugslice/internal/redact/decide"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

// redactorCache caches the redactors of workspaces by their versions.
type redactorCache struct {
	mu          sync.Mutex
	byWorkspace map[string]redactor
}

// redactor removes secrets by the built-in rules and those of a workspace.
type redactor struct {
	version int64
	*redact.Redactor
	ruleset       string
	keepsMetadata bool   // of pictures and videos
	pointer       string // to the rules in the body of the request; empty for those of the workspace
	acquireSlot   func() (*fairshare.Slot, error)
	secrets       *secret.Ring
	known         []string // hashes of the values that were removed from the slice knownOf before
	knownOf       string
	repeats       bool // only values are removed that were removed from other texts of the report
}

const maxRedactors = 1000 // in the cache

// get returns the redactor of a workspace. It compiles the rules of a version that is not in the cache.
func (r *redactorCache) get(w store.Workspace) (redactor, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cached, ok := r.byWorkspace[w.ID]; ok && cached.version == w.Version {
		return cached, nil
	}
	compiled := redactor{version: w.Version, ruleset: redact.Ruleset, keepsMetadata: w.KeepFileMetadata}
	var err error
	if compiled.Redactor, err = redact.New(rules(w.Redaction)); err != nil {
		return compiled, err
	}
	if !w.Redaction.IsEmpty() {
		compiled.ruleset += "+" + strconv.FormatInt(w.Version, 10)
	}
	if r.byWorkspace == nil {
		r.byWorkspace = map[string]redactor{}
	}
	evict(r.byWorkspace, maxRedactors)
	r.byWorkspace[w.ID] = compiled
	return compiled, nil
}

// checkCost returns an error when the redacted text must not be used: a pattern was too expensive on this input, or the
// request has ended. The cost depends only on the input and the rules.
func (r redactor) checkCost() error {
	var costly *redact.CostError
	err := r.Err()
	if !errors.As(err, &costly) {
		return err
	}
	p := api.NewProblem(api.CodeRedactionCost,
		fmt.Sprintf("The redaction patterns of the workspace are too expensive for this input. redaction.patterns[%d] is the most "+
			"expensive: begin it with literal text, or bound its repetitions; or send less at once. Nothing was stored.", costly.Index))
	if r.pointer != "" {
		p.Errors = []api.Fault{{Pointer: fmt.Sprintf("%s/patterns/%d", r.pointer, costly.Index), Code: "too_costly",
			Detail: "is the most expensive of the patterns"}}
	}
	return p
}

// rules converts the rules of a workspace to those of package redact.
func rules(r api.RedactionRules) redact.Rules {
	return redact.Rules{Fields: r.Fields, Allow: r.Allow, Off: r.Off, Added: r.Added,
		Patterns: convert(r.Patterns, func(p api.RedactionPattern) string { return p.Pattern }),
		Masks:    convert(r.Patterns, func(p api.RedactionPattern) string { return p.Mask })}
}

// compileRules compiles the rules at a pointer in the body of a request. It refuses invalid rules, and patterns that
// compile to too many steps.
func compileRules(pointer string, requested api.RedactionRules) (*redact.Redactor, error) {
	r, err := redact.New(rules(requested))
	var invalid redact.RuleErrors
	switch {
	case errors.As(err, &invalid):
		return nil, ruleProblem(pointer, invalid)
	case err != nil:
		return nil, err
	case r.Steps() > redact.MaxSteps:
		return nil, api.InvalidMember(pointer+"/patterns", "too_costly",
			fmt.Sprintf("the patterns compile to %d steps, more than %d: make repetitions such as {1,90} shorter, or open-ended", r.Steps(),
				redact.MaxSteps))
	}
	return r, nil
}

// ruleProblem returns the problem with every rule that is wrong.
func ruleProblem(pointer string, invalid redact.RuleErrors) error {
	faults := convert(invalid, func(e *redact.RuleError) api.Fault {
		at := pointer + "/" + e.Sort
		if e.Index >= 0 {
			at += "/" + strconv.Itoa(e.Index)
		}
		return api.Fault{Pointer: at, Code: "invalid_rule", Detail: e.Detail}
	})
	return api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
}

// checkRules refuses rules of a workspace that compileRules refuses.
func checkRules(r api.RedactionRules) error {
	_, err := compileRules("/redaction", r)
	return err
}

// completeRules sets the defaults of omitted members.
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
	if r.Off == nil {
		r.Off = []string{}
	}
	for i := range r.Patterns {
		if r.Patterns[i].Mask == "" {
			r.Patterns[i].Mask = "[redacted:rule]"
		}
	}
}

// redactFields removes the secrets from the members of a record that have a redact tag. A member that becomes too long
// by the marks is truncated.
func redactFields[T any](r redactor, fields *T, c redact.Counts) error {
	if r.Steps() > 0 || textSize(reflect.ValueOf(fields).Elem()) >= largeText { // else redaction is fast
		slot, err := r.acquireSlot()
		if err != nil {
			return err
		}
		defer slot.Release()
	}
	r.redactRecord(reflect.ValueOf(fields).Elem(), c)
	return r.checkCost()
}

// redactRepeated removes from the members of a record the values that were removed from other texts of the report.
func redactRepeated[T any](r redactor, fields *T, c redact.Counts) {
	r.repeats = true
	r.redactRecord(reflect.ValueOf(fields).Elem(), c)
}

// largeText is the size in bytes from which redaction needs a slot, even without patterns of the workspace.
const largeText = 8 << 10

// textSize returns the bytes of the string members of a record, without those of nested records.
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

// redactRecord redacts the members of a struct by their tags: redact is the mode, maxLength the longest result.
func (r redactor) redactRecord(record reflect.Value, c redact.Counts) {
	for i := range record.NumField() {
		value := record.Field(i)
		if value.IsZero() {
			continue
		}
		field := record.Type().Field(i)
		mode := field.Tag.Get("redact")
		maxLength, _ := strconv.Atoi(field.Tag.Get("maxLength"))
		switch member := value.Addr().Interface().(type) {
		case *string:
			*member = truncateGrown(*member, r.redactMember(mode, field.Name, *member, c), maxLength)
		case **string:
			if *member != nil && mode != "" {
				text := truncateGrown(**member, r.redactMember(mode, field.Name, **member, c), maxLength)
				*member = &text
			}
		case *[]string:
			if mode == "hash" && *member != nil && !r.repeats {
				*member = r.storedLabels(*member, c)
			}
		case *map[string]string:
			redacted := maps.Clone(*member)
			for name, text := range redacted {
				redacted[name] = truncateGrown(text, r.redactMember(mode, name, text, c), maxLength)
			}
			*member = redacted
		default:
			if value.Kind() == reflect.Struct {
				r.redactRecord(value, c)
			}
		}
	}
}

// truncateGrown truncates a text that has become too long by redaction. A text that was too long before is not
// truncated, so that it is refused.
func truncateGrown(before, after string, maxLength int) string {
	if utf8.RuneCountInString(before) > maxLength {
		return after
	}
	return truncate(after, maxLength)
}

// redactMember redacts a text by the mode of its redact tag. In the mode named the name of the member counts, too.
func (r redactor) redactMember(mode, name, text string, c redact.Counts) string {
	if r.repeats {
		if mode == "" || mode == "hash" {
			return text
		}
		return r.RemoveRepeated(text, c)
	}
	switch mode {
	case "text":
		return r.removeKnown(r.Text(text, c), c)
	case "url":
		return r.URL(text, c)
	case "named":
		return r.Header(name, text, c)
	case "hash":
		return r.storedForm(text, c)
	}
	return text
}

// redactPatch returns a patch of a T with redacted values.
func redactPatch[T any](r redactor, patch map[string]any, c redact.Counts) (map[string]any, error) {
	var fields T
	if !hasRedactedMember(reflect.TypeOf(fields), patch) {
		return patch, nil
	}
	if err := mergePatch(&fields, patch); err != nil {
		return nil, err
	}
	if err := redactFields(r, &fields, c); err != nil {
		return nil, err
	}
	redacted, err := membersOf(fields, patch)
	return overlay(patch, redacted), err
}

// hasRedactedMember reports whether a patch of a record has a member with a redact tag, or one that may contain some.
func hasRedactedMember(record reflect.Type, patch map[string]any) bool {
	for i := range record.NumField() {
		field := record.Field(i)
		if field.Tag.Get("redact") == "" && field.Type.Kind() != reflect.Struct {
			continue
		}
		if hasKey(patch, memberName(field)) {
			return true
		}
	}
	return false
}

// overlay returns a patch whose strings and arrays are replaced by those of a record. Its null members stay null.
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

// summary adds counts to the redaction summary of a slice.
func (r redactor) summary(before *api.Redaction, c redact.Counts) *api.Redaction {
	if len(c) == 0 {
		return before
	}
	sum := api.Redaction{Ruleset: r.ruleset, Counts: map[string]int64{}}
	if before != nil {
		maps.Copy(sum.Counts, before.Counts)
		sum.ByRule = slices.Clone(before.ByRule)
	}
	for kind, n := range c.ByKind() {
		sum.Counts[kind] += int64(n)
	}
	for _, secret := range c.Secrets() {
		rule := secret.Rule
		if secret.Kind == decide.KindRule { // its text is for members who may read the workspace
			rule = ""
		}
		sum.ByRule = addRuleCount(sum.ByRule, api.RuleCount{Kind: secret.Kind, Rule: rule, Shape: secret.Shape,
			Count: int64(c[secret])})
	}
	slices.SortStableFunc(sum.ByRule, func(a, b api.RuleCount) int { return cmp.Compare(b.Count, a.Count) })
	return &sum
}

const maxRuleCounts = 50 // of a slice

// addRuleCount adds a count to that of the same rule and shape. A further one beyond maxRuleCounts is left out.
func addRuleCount(all []api.RuleCount, added api.RuleCount) []api.RuleCount {
	for i, n := range all {
		if n.Kind == added.Kind && n.Rule == added.Rule && n.Shape == added.Shape {
			all[i].Count += added.Count
			return all
		}
	}
	if len(all) < maxRuleCounts {
		all = append(all, added)
	}
	return all
}

// evidence returns the redacted evidence of a new slice.
func (r redactor) evidence(in *api.Evidence, c redact.Counts) ([]evidence.Set, error) {
	slot, err := r.acquireSlot()
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	sets, err := evidence.Read(in, r.Redactor, c)
	if problem := r.checkCost(); problem != nil { // it may be the cause of err
		return nil, problem
	}
	return sets, evidenceProblem(err)
}

// parse parses a file as evidence of a kind, and redacts it.
func (r redactor) parse(kind api.AttachmentKind, file []byte, c redact.Counts) (evidence.Set, error) {
	slot, err := r.acquireSlot()
	if err != nil {
		return evidence.Set{}, err
	}
	defer slot.Release()
	return evidence.Parse(kind, file, r.Redactor, c)
}

// text returns a redacted text. With a content type it is parsed as an HTTP body of that type.
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

// explain returns the parts of a text that are removed; nil when they cannot be located.
func (r redactor) explain(text string) (*[]api.Removal, error) {
	slot, err := r.acquireSlot()
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	found, ok := r.Explain(text)
	if !ok {
		return nil, nil
	}
	removals, at, points := []api.Removal{}, 0, 0
	position := func(to int) int64 {
		points += utf8.RuneCountInString(text[at:to])
		at = to
		return int64(points)
	}
	for _, m := range found {
		removal := api.Removal{Start: position(m.Start), End: position(m.End), Kind: m.Kind, RuleID: m.ID}
		if m.Rule != "" {
			removal.Rule = &m.Rule
		}
		removals = append(removals, removal)
	}
	return &removals, nil
}

package api

// Redaction says how many secrets were removed from a slice and its evidence before they were stored.
type Redaction struct {
	// The version of the built-in rules, with a mark when the workspace has rules of its own.
	Ruleset string `json:"ruleset" example:"2"`
	// The number of removed secrets of each kind.
	Counts map[string]int64 `json:"counts"`
	// The same by rule and by the shape of the secret, the most frequent first; at most 50.
	ByRule []RuleCount `json:"byRule,omitzero"`
}

// RuleCount is the number of secrets of one shape that a rule has removed.
type RuleCount struct {
	// The kind of the secret, as in counts.
	Kind string `json:"kind" example:"token"`
	// The identifier of a built-in or added rule; empty for a field or pattern of the workspace, and when no rule was asked.
	Rule string `json:"rule" example:"github"`
	// What the secret looked like, such as random, words or number; empty when it was removed unseen.
	Shape string `json:"shape" example:"random"`
	Count int64  `json:"count" minimum:"1" example:"2"`
	// True when somebody has said that these were no secrets.
	Mistake bool `json:"mistake,omitzero"`
}

// RedactionRules are the rules of a workspace, which are applied in addition to the built-in ones.
type RedactionRules struct {
	// Names of further members, headers and parameters whose values are removed. Case, - and _ are ignored; * at the
	// start or the end of a name matches any characters.
	// Example: ["customerNumber","iban*"]
	Fields []string `json:"fields" maxItems:"50" minLength:"1" maxLength:"200"`
	// Further patterns whose matches are removed.
	Patterns []RedactionPattern `json:"patterns" maxItems:"50"`
	// Names whose values are not removed, although the built-in rules list the names.
	Allow []string `json:"allow" maxItems:"50" minLength:"1" maxLength:"200" example:"[\"sessionId\"]"`
	// Identifiers of built-in rules that do not apply, as dry runs name them.
	Off []string `json:"off" maxItems:"50" minLength:"1" maxLength:"200" example:"[\"notion\"]" untrusted:"true"`
	// Further rules in the form of the built-in ones, with a blank line between two: a line for the rule, and lines for
	// what it needs, with at least one example and one counterexample.
	Added string `json:"added" maxLength:"5000" example:"token acme acme_\nthen alnum 4\nexample acme_9kQ2\nnot acme_x" untrusted:"true"`
}

// NoRedactionRules returns the rules of a workspace without any.
func NoRedactionRules() RedactionRules {
	return RedactionRules{Fields: []string{}, Patterns: []RedactionPattern{}, Allow: []string{}, Off: []string{}}
}

// IsEmpty reports whether there are no rules.
func (r RedactionRules) IsEmpty() bool {
	return len(r.Fields)+len(r.Patterns)+len(r.Allow)+len(r.Off)+len(r.Added) == 0
}

// RedactionPattern is a pattern of a workspace.
type RedactionPattern struct {
	// A regular expression in RE2 syntax. If it has a group named secret, only the text of that group is removed.
	Pattern string `json:"pattern" create:"required" minLength:"1" maxLength:"200" example:"CUST-[0-9]{6}"`
	// The text that replaces the match.
	Mask string `json:"mask" maxLength:"100" default:"[redacted:rule]" example:"CUST-******"`
}

// DryRun returns a text or evidence as it would be stored. Nothing is stored.
type DryRun struct {
	Returns[DryRunResult]
	Idempotency
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	Body        DryRunFields
}

// DryRunFields is the body of DryRun.
type DryRunFields struct {
	// A text, such as a description, a comment or a log.
	Text *string `json:"text" maxLength:"262144"`
	// The media type of the text; plain text by default.
	ContentType *string   `json:"contentType" maxLength:"200" example:"application/json"`
	Evidence    *Evidence `json:"evidence"`
	// Rules that are applied instead of those of the workspace.
	Rules   *RedactionRules `json:"rules"`
	Repairs []Repair        `json:"-"` // made before the body was validated
}

// DryRunResult is the text and the evidence as they would be stored.
type DryRunResult struct {
	Text      *string   `json:"text" untrusted:"true"`
	Evidence  *Evidence `json:"evidence"`
	Redaction Redaction `json:"redaction"`
	// The parts of the text that are removed, in order; null without a plain text, and when they cannot be located in
	// it.
	Removals *[]Removal `json:"removals"`
	// What of the evidence was invalid and would be stored otherwise or not at all; at most 100 places.
	Repairs []Repair `json:"repairs,omitzero"`
}

// Removal is a part of a text that is removed before the text is stored.
type Removal struct {
	// The positions of its first character and of the one after its last, in Unicode code points.
	Start int64 `json:"start" minimum:"0" example:"9"`
	End   int64 `json:"end" minimum:"1" example:"16"`
	// The kind of the secret, as in Redaction.counts.
	Kind string `json:"kind" example:"field"`
	// The name or the pattern of the workspace's rules that removes it; null for a built-in or an added rule.
	Rule *string `json:"rule" example:"customerNumber"`
	// The identifier of the built-in or added rule that removes it; absent when a name or a pattern does.
	RuleID string `json:"ruleId,omitzero" example:"github"`
}

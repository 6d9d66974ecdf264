package api

// MarkRedaction says that values which a rule has removed from a slice were no secrets, or takes that back. The values
// do not come back.
type MarkRedaction struct {
	Returns[Slice]
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
	Body    RedactionMark
}

// RedactionMark is the body of MarkRedaction: the kind, the rule and the shape of a count of the slice.
type RedactionMark struct {
	// The kind of the values, as in redaction.byRule.
	Kind string `json:"kind" create:"required" minLength:"1" maxLength:"200" example:"token"`
	// Their rule, as in redaction.byRule; empty there and here for a field or a pattern of the workspace.
	Rule string `json:"rule" create:"required" maxLength:"200" example:"github"`
	// Their shape, as in redaction.byRule.
	Shape string `json:"shape" create:"required" maxLength:"200" example:"random"`
	// True for values that were no secrets, false for secrets.
	Mistake bool `json:"mistake" create:"required" example:"true"`
}

// GetRedactionCounts returns how often the rules of a workspace have removed something.
type GetRedactionCounts struct {
	Returns[RedactionCounts]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
}

// RedactionCounts are the numbers of values that rules have removed. They contain no value.
type RedactionCounts struct {
	// The number of the newest slices whose removals are counted, at most 100.
	Slices int64 `json:"slices" minimum:"0" example:"100"`
	// The rules that have removed something from them, or of which somebody has said that it was no secret: those with
	// the most mistakes first, and then those with the most removals.
	Rules []RuleUse `json:"rules"`
}

// RuleUse is what a rule has removed.
type RuleUse struct {
	// The kind of the secrets, as in Redaction.counts.
	Kind string `json:"kind" example:"token"`
	// The identifier of the rule, as in Redaction.byRule.
	Rule string `json:"rule" example:"github"`
	// The values that it has removed from the newest slices.
	Removed int64 `json:"removed" minimum:"0" example:"12"`
	// The values that it has removed and of which somebody has said that they were no secrets: of the newest 1,000
	// slices with a mistake.
	Mistakes int64 `json:"mistakes" minimum:"0" example:"3"`
	// The shapes of these values.
	Shapes []string `json:"shapes" example:"[\"words\"]"`
	// Whether the workspace has switched the rule off.
	Off bool `json:"off"`
}

// TryRules says what rules would remove from the newest slices of a workspace. Nothing is stored.
type TryRules struct {
	Returns[RuleTrial]
	Idempotency
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	Body        TriedRules
}

// TriedRules is the body of TryRules.
type TriedRules struct {
	// The rules that are tried; by default those of the workspace.
	Rules *RedactionRules `json:"rules"`
}

// RuleTrial is what rules would remove from the texts of slices as they are stored: summary, description, address,
// environment, metadata and comments, without evidence.
type RuleTrial struct {
	// The number of the newest slices that were read, at most 100. It is smaller when their texts have more than 4 MiB.
	Slices int64 `json:"slices" minimum:"0" example:"100"`
	// The number of those from which something would be removed.
	Changed int64 `json:"changed" minimum:"0" example:"2"`
	// What would be removed, the most frequent first; at most 100.
	Removals []TriedRemoval `json:"removals"`
}

// TriedRemoval is the number of values of one form that a rule would remove.
type TriedRemoval struct {
	Kind string `json:"kind" example:"token"`
	// The name or the pattern of the rules that removes them; null for a built-in or an added rule.
	Rule *string `json:"rule" example:"customerNumber"`
	// The identifier of the built-in or added rule that removes them; absent when a name or a pattern does.
	RuleID string `json:"ruleId,omitzero" example:"acme"`
	// The form of the values: a for a small letter, A for a capital, 9 for a digit, and signs as they are. Of more than 40
	// characters it is the beginning with …. It is empty for values that cannot be located.
	Form  string `json:"form" example:"aaaa_9aA9" untrusted:"true"`
	Count int64  `json:"count" minimum:"1" example:"2"`
	// The number of slices that have some.
	Slices int64 `json:"slices" minimum:"1" example:"2"`
}

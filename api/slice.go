package api

import "reflect"

// Status is the step of the workflow at which a slice is.
type Status string

// The statuses of a slice.
const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Resolved   Status = "resolved"
	Closed     Status = "closed"
)

// Values lists the statuses.
func (Status) Values() []string { return names(Open, InProgress, Resolved, Closed) }

// Resolution says why a slice is resolved or closed.
type Resolution string

// The resolutions of a slice.
const (
	Fixed           Resolution = "fixed"
	Duplicate       Resolution = "duplicate"
	WontFix         Resolution = "wont_fix"
	CannotReproduce Resolution = "cannot_reproduce"
	NotABug         Resolution = "not_a_bug"
)

// Values lists the resolutions.
func (Resolution) Values() []string {
	return names(Fixed, Duplicate, WontFix, CannotReproduce, NotABug)
}

// Priority says how soon a slice needs attention.
type Priority string

// Values lists the priorities.
func (Priority) Values() []string { return []string{"urgent", "high", "medium", "low"} }

// PriorityFilter is a priority by which slices are listed, or none.
type PriorityFilter string

// Values lists the filters.
func (PriorityFilter) Values() []string { return append(Priority("").Values(), "none") }

// Severity says how much harm a bug does.
type Severity string

// Values lists the severities.
func (Severity) Values() []string {
	return []string{"blocker", "critical", "major", "minor", "trivial"}
}

// SeverityFilter is a severity by which slices are listed, or none.
type SeverityFilter string

// Values lists the filters.
func (SeverityFilter) Values() []string { return append(Severity("").Values(), "none") }

// Environment describes the system on which a bug was seen. Every member is optional.
type Environment struct {
	Browser          *string  `json:"browser" redact:"text" maxLength:"200" example:"Firefox 144"`
	OS               *string  `json:"os" redact:"text" maxLength:"200" example:"Windows 11"`
	Device           *string  `json:"device" redact:"text" maxLength:"200" example:"ThinkPad X1"`
	Viewport         *string  `json:"viewport" redact:"text" maxLength:"200" example:"1440x812"`
	Screen           *string  `json:"screen" redact:"text" maxLength:"200" example:"2880x1800"`
	DevicePixelRatio *float64 `json:"devicePixelRatio" minimum:"0" maximum:"100" example:"2"`
	Locale           *string  `json:"locale" redact:"text" maxLength:"200" example:"sv-SE"`
	Timezone         *string  `json:"timezone" redact:"text" maxLength:"200" example:"Europe/Stockholm"`
	AppVersion       *string  `json:"appVersion" redact:"text" maxLength:"200" example:"4.18.2"`
	Release          *string  `json:"release" redact:"text" maxLength:"200" example:"2026.11.3"`
	Commit           *string  `json:"commit" redact:"text" maxLength:"200" example:"9f1c2ab"`
	Branch           *string  `json:"branch" redact:"text" maxLength:"200" example:"main"`
	// The User-Agent header of the browser. It is not stored: it fills browser and os when they are empty.
	UserAgent *string `json:"userAgent,omitempty" input:"only" maxLength:"1000"`
	BuildURL  *string `json:"buildUrl" redact:"url" maxLength:"2048" example:"https://ci.example.com/builds/8123"`
}

// SliceFields are the members of a slice that clients write. The tag redact says how a member is searched for secrets:
// as text, as a URL, as a value with a name (named), or as an identifier whose replacement is the same for the same
// value, so that filters still find it (hash).
type SliceFields struct {
	// A space of the slice's workspace; null for none.
	SpaceID *string `json:"spaceId"`
	// One line of at most 200 characters.
	// Example: Checkout button does nothing in Firefox
	Summary string `json:"summary" redact:"text" create:"required" minLength:"1" maxLength:"200" pattern:"\\S"`
	// Markdown of at most 65,536 characters.
	Description *string `json:"description" redact:"text" maxLength:"65536" example:"1. Put two items in the cart\n2. Press **Checkout**"`
	// The step of the workflow; open by default.
	Status Status `json:"status" example:"open"`
	// Why the slice is resolved or closed, and null in every other status; fixed by default.
	Resolution *Resolution `json:"resolution" example:"null"`
	// The release with which the bug is gone, of a slice that is resolved or closed; null in every other status. It need
	// not have been seen yet. It is no word of filters, such as newest.
	FixedInRelease *string `json:"fixedInRelease" redact:"text" minLength:"1" maxLength:"200" pattern:"\\S" example:"null"`
	// How soon the bug needs attention.
	Priority *Priority `json:"priority" example:"high"`
	// How much harm the bug does.
	Severity *Severity `json:"severity" example:"major"`
	// At most 50 labels of at most 50 characters each. A label contains no comma. Labels are stored in the
	// normalization form C of Unicode, without control characters, direction marks and other invisible characters.
	// Example: ["checkout","firefox"]
	Labels []string `json:"labels" redact:"hash" maxItems:"50" uniqueItems:"true" minLength:"1" maxLength:"50" pattern:"^[^,\\x00-\\x1f]+$"`
	// A member of the workspace; null for nobody.
	AssigneeID *string `json:"assigneeId"`
	// The page on which the bug was seen.
	SourceURL *string `json:"sourceUrl" redact:"url" maxLength:"2048" example:"https://shop.example.com/cart"`
	// The system on which the bug was seen: browser, device, release and similar facts.
	Environment Environment `json:"environment"`
	// At most 50 pairs. A name has at most 100 characters, a value at most 500.
	Metadata map[string]string `json:"metadata" redact:"named" maxProperties:"50" maxLength:"500" nameLength:"100"`
	// The client's own identifier. It is unique in the workspace among the slices that are not deleted.
	ExternalID *string `json:"externalId" redact:"hash" minLength:"1" maxLength:"200" example:"ci-8123-checkout"`
	// The slice of the same workspace that reports the same bug; null for none. A patch without it that opens a slice
	// of the resolution duplicate sets it to null.
	DuplicateOfID *string `json:"duplicateOfId"`
}

// SlicePatch is a merge patch of a slice.
type SlicePatch map[string]any

// Of returns the type whose members the patch changes.
func (SlicePatch) Of() reflect.Type { return reflect.TypeFor[SliceFields]() }

// Slice is a bug report.
type Slice struct {
	ID string `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// Counts the slices of the workspace from 1, without gaps or repetition.
	Number int64 `json:"number" minimum:"1" example:"42"`
	// Names the slice for people: the key of its workspace and its number. Paths accept it instead of the id.
	Reference   string   `json:"reference" example:"WEB-42"`
	WorkspaceID string   `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Reporter    Reporter `json:"reporter"`
	// The key with which the slice was filed; null for a person in the web application.
	Via *Via `json:"via"`
	// The visitor who filed the slice by a source, without an account; null for all others.
	Visitor *Visitor `json:"visitor"`
	SliceFields
	// Identifies the bug. Another report with the same fingerprint counts as an occurrence of this slice while it is
	// open or in progress.
	Fingerprint *string `json:"fingerprint" untrusted:"true"`
	// How often the bug was reported.
	OccurrenceCount int64 `json:"occurrenceCount" minimum:"0" example:"1"`
	// When the bug was last reported.
	LastSeenAt Time `json:"lastSeenAt"`
	// How the newest report differs from the first one; null while there is only one.
	LastOccurrence *Occurrence `json:"lastOccurrence"`
	// Which secrets were removed before the slice was stored; null for none.
	Redaction       *Redaction `json:"redaction"`
	AttachmentCount int64      `json:"attachmentCount" minimum:"0"`
	// What evidence is stored, of all reports together.
	Evidence     EvidenceSummary `json:"evidence"`
	CommentCount int64           `json:"commentCount" minimum:"0"`
	// Increases with every change. The ETag is made from it.
	Version int64 `json:"version" minimum:"1" example:"1"`
	// The slice's page in the web application.
	URL       string `json:"url" example:"https://bugs.example.com/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
	// When the slice was last resolved or closed; null while it is open or in progress.
	ResolvedAt *Time `json:"resolvedAt"`
}

// Occurrence is how a later report of a bug differs from the first one.
type Occurrence struct {
	At Time `json:"at"`
	// The name of the reporter at that time.
	ReporterName string `json:"reporterName" example:"nightly" untrusted:"true"`
	// The system on which the bug was seen that time: commit, build and similar facts.
	Environment Environment `json:"environment"`
	// The externalId of that report.
	ExternalID *string `json:"externalId" maxLength:"200" example:"ci-8123-checkout" untrusted:"true"`
	// The pairs of that report that differ from those of the slice.
	Metadata map[string]string `json:"metadata" maxProperties:"50" maxLength:"500" nameLength:"100" untrusted:"true"`
}

// NewSlice is the body of CreateSlice. The summary is required, and the workspace when the caller is a PAT that
// reaches several.
type NewSlice struct {
	// The default is the workspace of a WST, and the only workspace of the user of a PAT. Required for a PAT that
	// reaches several.
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true"`
	SliceFields
	// Identifies the bug. While a slice of the workspace with this fingerprint is open or in progress, the report
	// counts as an occurrence of that slice, and the status is 200.
	Fingerprint *string `json:"fingerprint,omitempty" nullable:"true" minLength:"1" maxLength:"200" example:"TypeError@checkout.js:42"`
	// Assigns a new slice to the member of the workspace who has this e-mail address, when assigneeId is null. An
	// address that no member has is ignored. It is not stored.
	AssigneeEmail *string `json:"assigneeEmail,omitempty" nullable:"true" maxLength:"254" example:"ada@example.com"`
	// The evidence that a tool captured: console, network, actions, replay.
	Evidence *Evidence `json:"evidence,omitempty" nullable:"true"`
	Repairs  []Repair  `json:"-"` // of what tools observed, made before the body was validated
}

// FiledSlice is the slice that CreateSlice created or found by its fingerprint.
type FiledSlice struct {
	Slice
	// Slices that may report the same bug, when the request has hints=true. No slice is merged automatically.
	Similar []Similar `json:"similar,omitzero"`
	// What of the evidence, the environment and the metadata was invalid and is stored otherwise or not at all; at
	// most 100 places.
	Repairs []Repair `json:"repairs,omitzero"`
	// Whether the slice is closed, or resolved other than as fixed, and has stayed so: nothing was written. Only with
	// keepClosed=true.
	Kept bool `json:"kept,omitzero"`
}

// Existing reports whether the slice existed before the request.
func (f FiledSlice) Existing() bool { return f.Kept || f.OccurrenceCount > 1 }

// GetSlice returns one slice.
type GetSlice struct {
	Returns[Slice]
	SliceID string `path:"sliceId" id:"slc"`
	// The maximum length of the Markdown in tokens, by an estimate that is seldom below what the tokenizers of
	// language models count. What does not fit is listed, with the requests that return it. JSON is always complete.
	MaxTokens int `query:"maxTokens" minimum:"500" maximum:"100000" default:"4000"`
	// The report with this number, of which the Markdown shows the environment and the evidence. The default is the
	// newest one, with the newest evidence. JSON is the same for all.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
}

// CreateSlice creates a slice, or records an occurrence of an existing one.
type CreateSlice struct {
	Returns[FiledSlice]
	Idempotency
	// Whether the response lists similar slices, too.
	Hints bool `query:"hints"`
	// Whether a resolved or closed slice with the same fingerprint is reopened, instead of creating a new slice.
	Reopen bool `query:"reopen"`
	// Whether a slice with the same fingerprint stays as it is when it is closed, or resolved other than as fixed, and
	// none is open. Nothing is written then, the status is 200, and `kept` is true. With reopen, only a fixed one is
	// reopened.
	KeepClosed bool `query:"keepClosed"`
	Body       NewSlice
}

// UpdateSlice changes a slice by a JSON Merge Patch (RFC 7396) of its SliceFields.
type UpdateSlice struct {
	Returns[Slice]
	SliceID string `path:"sliceId" id:"slc"`
	// The ETag on which the change is based. When the slice has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
	Patch   SlicePatch
}

// DeleteSlice deletes a slice. It can be restored for 30 days.
type DeleteSlice struct {
	Returns[Nothing]
	SliceID string `path:"sliceId" id:"slc"`
	// The ETag on which the deletion is based. When the slice has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
}

// RestoreSlice restores a deleted slice.
type RestoreSlice struct {
	Returns[Slice]
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
}

// Similar is a slice that may report the same bug as another one.
type Similar struct {
	ID        string `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Number    int64  `json:"number" minimum:"1" example:"17"`
	Reference string `json:"reference" example:"WEB-17"`
	Summary   string `json:"summary" example:"Checkout does nothing" untrusted:"true"`
	Status    Status `json:"status" example:"open"`
	// The share of the rare words that both slices contain, in their summaries or in all; 1 is all of them. Forms of a
	// word are the same, such as fails and failed. A word that no slice has counts in part as one that is spelt alike.
	Score float64 `json:"score" minimum:"0" maximum:"1" example:"0.62"`
	URL   string  `json:"url" example:"https://bugs.example.com/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// Why: at most 3 parts of the slice with words that both have.
	Matches []Match `json:"matches"`
}

// ListSimilar returns slices of the workspace that may report the same bug, the most similar first.
type ListSimilar struct {
	Returns[Page[Similar]]
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}

// ListSimilarToDraft returns slices of a workspace that may report the same bug as a report that is not filed yet.
type ListSimilarToDraft struct {
	Returns[Page[Similar]]
	Paging
	Body SliceDraft
}

// SliceDraft is a report that is not filed yet.
type SliceDraft struct {
	// The default is the workspace of a WST, and the only workspace of the user of a PAT. Required for a PAT that
	// reaches several.
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true"`
	// One line of at most 200 characters.
	// Example: Checkout button does nothing in Firefox
	Summary string `json:"summary" create:"required" minLength:"1" maxLength:"200" pattern:"\\S"`
	// Markdown of at most 65,536 characters. Reports are compared without their descriptions.
	Description *string `json:"description" maxLength:"65536" example:"1. Put two items in the cart\n2. Press **Checkout**"`
	// The page on which the bug was seen.
	SourceURL *string `json:"sourceUrl" maxLength:"2048" example:"https://shop.example.com/cart"`
	// The messages of the errors in the console and the URLs of the requests that failed, the first one first.
	// Example: ["TypeError: cart.total is undefined"]
	Errors []string `json:"errors" maxItems:"50" maxLength:"4000"`
}

// SliceMember is a member by which items of a list are chosen.
type SliceMember string

// Values lists the members of a slice.
func (SliceMember) Values() []string {
	return memberPaths(reflect.TypeFor[Slice]())
}

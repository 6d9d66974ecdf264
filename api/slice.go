package api

import (
	"reflect"
	"strconv"
)

// Status is where a slice stands.
type Status string

// The statuses of a slice.
const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Resolved   Status = "resolved"
	Closed     Status = "closed"
)

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

// Priority says how soon a slice should be looked at.
type Priority string

// Severity says how much harm a slice does.
type Severity string

// Reporter is who filed a slice, as they were called then.
type Reporter struct {
	// user for a PAT, service for a WST, guest for a report from outside.
	Type string `json:"type" enum:"user,service,guest" example:"user"`
	// The user's id, or the key's id for a service; null for a guest.
	ID   *string `json:"id" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name string  `json:"name" example:"Mara Lindqvist"`
}

// Environment is where a bug was seen. Every member is optional.
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
	BuildURL         *string  `json:"buildUrl" redact:"url" maxLength:"2048" example:"https://ci.example.com/builds/8123"`
}

// SliceFields are the members of a slice that clients write. Those with the tag redact are
// searched for secrets: as text, as a URL, as values whose names tell, or as values that are
// looked up and stay equal.
type SliceFields struct {
	// A space of the slice's workspace, or null.
	SpaceID *string `json:"spaceId" example:"spc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// One line, at most 200 characters.
	// Example: Checkout button does nothing in Firefox
	Summary string `json:"summary" redact:"text" create:"required" minLength:"1" maxLength:"200" pattern:"\\S"`
	// Markdown, at most 65,536 characters.
	Description *string `json:"description" redact:"text" maxLength:"65536" example:"1. Put two items in the cart\n2. Press **Checkout**"`
	// Where the slice stands; open when not said.
	Status Status `json:"status" enum:"open,in_progress,resolved,closed" example:"open"`
	// Set exactly when the status is resolved or closed; fixed when not said.
	Resolution *Resolution `json:"resolution" enum:"fixed,duplicate,wont_fix,cannot_reproduce,not_a_bug"`
	// How soon it should be looked at.
	Priority *Priority `json:"priority" enum:"urgent,high,medium,low" example:"high"`
	// How much harm it does.
	Severity *Severity `json:"severity" enum:"blocker,critical,major,minor,trivial" example:"major"`
	// At most 50 of at most 50 characters, without commas.
	// Example: ["checkout","firefox"]
	Labels []string `json:"labels" redact:"keyed" maxItems:"50" uniqueItems:"true" minLength:"1" maxLength:"50" pattern:"^[^,\\x00-\\x1f]+$"`
	// A member of the workspace, or null.
	AssigneeID *string `json:"assigneeId"`
	// Where the bug was seen.
	SourceURL *string `json:"sourceUrl" redact:"url" maxLength:"2048" example:"https://shop.example.com/cart"`
	// Where the bug was seen: browser, device, release and the like.
	Environment Environment `json:"environment"`
	// At most 50 pairs; names of at most 100 characters, values of at most 500.
	Metadata map[string]string `json:"metadata" redact:"named" maxProperties:"50" maxLength:"500" nameLength:"100"`
	// The client's own identifier, unique among the live slices of a workspace.
	ExternalID *string `json:"externalId" redact:"keyed" minLength:"1" maxLength:"200" example:"ci-8123-checkout"`
	// The slice of the same workspace that this one repeats, or null.
	DuplicateOfID *string `json:"duplicateOfId"`
}

// Slice is a bug report.
type Slice struct {
	ID string `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// Counts from 1 within the workspace, without gaps or repeats.
	Number      int64    `json:"number" minimum:"1" example:"42"`
	WorkspaceID string   `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Reporter    Reporter `json:"reporter"`
	SliceFields
	// What tells this bug from others; filing it again while it is open counts an occurrence.
	Fingerprint *string `json:"fingerprint"`
	// How often it was filed.
	OccurrenceCount int64 `json:"occurrenceCount" minimum:"0" example:"1"`
	// When it was last filed.
	LastSeenAt Time `json:"lastSeenAt"`
	// What the newest filing said; null until it is filed again.
	LastOccurrence *Occurrence `json:"lastOccurrence"`
	// What was removed before it was stored; null when nothing was.
	Redaction       *Redaction `json:"redaction"`
	AttachmentCount int64      `json:"attachmentCount" minimum:"0"`
	CommentCount    int64      `json:"commentCount" minimum:"0"`
	// Grows with every change; the ETag is made from it.
	Version int64 `json:"version" minimum:"1" example:"1"`
	// The slice's page in the web application.
	URL       string `json:"url" example:"https://bugs.example.com/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
	// When the slice was last resolved or closed; null while it is open or in progress.
	ResolvedAt *Time `json:"resolvedAt"`
}

// Occurrence is what tells a filing from the first one of its slice.
type Occurrence struct {
	At Time `json:"at"`
	// Who filed it, as they were called then.
	ReporterName string `json:"reporterName" example:"nightly"`
	// Where the bug was seen then: commit, build and the like.
	Environment Environment `json:"environment"`
	// The identifier it came with.
	ExternalID *string `json:"externalId" maxLength:"200" example:"ci-8123-checkout"`
	// The pairs that are other than those of the slice.
	Metadata map[string]string `json:"metadata" maxProperties:"50" maxLength:"500" nameLength:"100"`
}

// NewSlice is the body that files a slice. Only the summary is required, and the
// workspace when the caller is a PAT.
type NewSlice struct {
	// Required for a PAT. A WST has its own workspace and may leave it out.
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true"`
	SliceFields
	// What tells this bug from others. While a slice of the workspace with this fingerprint is open or in progress,
	// filing it again counts an occurrence of that one, and the answer is 200.
	Fingerprint *string `json:"fingerprint,omitempty" nullable:"true" minLength:"1" maxLength:"200" example:"TypeError@checkout.js:42"`
	// What a tool captured: console, network, actions, replay.
	Evidence *Evidence `json:"evidence,omitempty" nullable:"true"`
}

// FiledSlice is the slice that was filed, or that counted an occurrence.
type FiledSlice struct {
	Slice
	// Slices that may be about the same, when hints was asked for. Nothing is merged by itself.
	Similar []Similar `json:"similar,omitzero"`
}

// Existing says that the slice was there before.
func (f FiledSlice) Existing() bool { return f.OccurrenceCount > 1 }

// ListSlices asks for a page of the slices the caller can see.
type ListSlices struct {
	Paging
	// Only slices of this workspace. Left out, a WST lists its own workspace and a PAT all that its user is a member
	// of.
	WorkspaceID string `query:"workspaceId"`
	// Only slices in one of these spaces; none for slices in no space.
	SpaceID []string `query:"spaceId"`
	// Only slices in one of these statuses.
	Status []Status `query:"status" enum:"open,in_progress,resolved,closed"`
	// Only slices of one of these priorities.
	Priority []Priority `query:"priority" enum:"urgent,high,medium,low"`
	// Only slices of one of these severities.
	Severity []Severity `query:"severity" enum:"blocker,critical,major,minor,trivial"`
	// Only slices with at least one of these labels.
	Label []string `query:"label"`
	// Only slices assigned to one of these users; me for the caller, none for nobody.
	AssigneeID []string `query:"assigneeId"`
	// Only slices filed by one of these users or keys; me for the caller.
	ReporterID []string `query:"reporterId"`
	// Only slices with one of these external ids.
	ExternalID []string `query:"externalId"`
	// Only slices with one of these fingerprints.
	Fingerprint []string `query:"fingerprint"`
	// Only the slice of this number, in each workspace.
	Number int `query:"number" minimum:"1" maximum:"2147483647"`
	// Only slices created at or after this RFC 3339 time.
	CreatedAfter *Time `query:"createdAfter"`
	// Only slices created before this RFC 3339 time.
	CreatedBefore *Time `query:"createdBefore"`
	// Only slices updated at or after this RFC 3339 time.
	UpdatedAfter *Time `query:"updatedAfter"`
	// Only slices whose summary or description has all these words, whatever their case and accents.
	Q string `query:"q" maxLength:"500"`
	// What the list is ordered by.
	Sort string `query:"sort" enum:"createdAt,updatedAt" default:"createdAt"`
	// Newest first (desc) or oldest first (asc).
	Order string `query:"order" enum:"desc,asc" default:"desc"`
}

// GetSlice asks for one slice.
type GetSlice struct {
	SliceID string `path:"sliceId" id:"slc"`
	// How long the Markdown may be, in tokens of about four characters. JSON is always whole.
	MaxTokens int `query:"maxTokens" minimum:"500" maximum:"100000" default:"4000"`
}

// CreateSlice files a bug report.
type CreateSlice struct {
	Idempotency
	// Whether to answer with similar slices, too.
	Hints bool `query:"hints"`
	// Whether a fingerprint that is known from a resolved or closed slice opens that one again, instead of a new one.
	Reopen bool `query:"reopen"`
	Body   NewSlice
}

// UpdateSlice changes a slice by a JSON Merge Patch (RFC 7396) of its SliceFields.
type UpdateSlice struct {
	SliceID string `path:"sliceId" id:"slc"`
	// The ETag the change is based on; another one at the server answers 412 and changes nothing.
	IfMatch string `header:"If-Match"`
	Patch   Patch[SliceFields]
}

// DeleteSlice hides a slice at once. It can be restored for 30 days.
type DeleteSlice struct {
	SliceID string `path:"sliceId" id:"slc"`
	// The ETag the deletion is based on; another one at the server answers 412 and changes nothing.
	IfMatch string `header:"If-Match"`
}

// RestoreSlice brings a deleted slice back.
type RestoreSlice struct {
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
}

// Patch is a JSON Merge Patch (RFC 7396) of the members of T: a member that is absent
// stays, null removes, anything else replaces.
type Patch[T any] map[string]any

// Of returns the type whose members the patch changes.
func (Patch[T]) Of() reflect.Type { return reflect.TypeFor[T]() }

// ETag is the entity tag of a slice at a version.
func ETag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

package api

import "reflect"

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
	Type string  `json:"type" enum:"user,service,guest" example:"user" doc:"user for a PAT, service for a WST, guest for a report from outside."`
	ID   *string `json:"id" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz" doc:"The user's id, or the key's id for a service; null for a guest."`
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
	SpaceID       *string           `json:"spaceId" example:"spc_01ja8m2c9tf3qb6h0v5r4x7kyz" doc:"A space of the slice's workspace, or null."`
	Summary       string            `json:"summary" redact:"text" create:"required" minLength:"1" maxLength:"200" pattern:"\\S" example:"Checkout button does nothing in Firefox" doc:"One line, at most 200 characters."`
	Description   *string           `json:"description" redact:"text" maxLength:"65536" example:"1. Put two items in the cart\n2. Press **Checkout**" doc:"Markdown, at most 65,536 characters."`
	Status        Status            `json:"status" enum:"open,in_progress,resolved,closed" example:"open" doc:"Where the slice stands; open when not said."`
	Resolution    *Resolution       `json:"resolution" enum:"fixed,duplicate,wont_fix,cannot_reproduce,not_a_bug" doc:"Set exactly when the status is resolved or closed; fixed when not said."`
	Priority      *Priority         `json:"priority" enum:"urgent,high,medium,low" example:"high" doc:"How soon it should be looked at."`
	Severity      *Severity         `json:"severity" enum:"blocker,critical,major,minor,trivial" example:"major" doc:"How much harm it does."`
	Labels        []string          `json:"labels" redact:"keyed" maxItems:"50" uniqueItems:"true" minLength:"1" maxLength:"50" pattern:"^[^,\\x00-\\x1f]+$" example:"[\"checkout\",\"firefox\"]" doc:"At most 50 of at most 50 characters, without commas."`
	AssigneeID    *string           `json:"assigneeId" doc:"A member of the workspace, or null."`
	SourceURL     *string           `json:"sourceUrl" redact:"url" maxLength:"2048" example:"https://shop.example.com/cart" doc:"Where the bug was seen."`
	Environment   Environment       `json:"environment" doc:"Where the bug was seen: browser, device, release and the like."`
	Metadata      map[string]string `json:"metadata" redact:"named" maxProperties:"50" maxLength:"500" nameLength:"100" doc:"At most 50 pairs; names of at most 100 characters, values of at most 500."`
	ExternalID    *string           `json:"externalId" redact:"keyed" minLength:"1" maxLength:"200" example:"ci-8123-checkout" doc:"The client's own identifier, unique among the live slices of a workspace."`
	DuplicateOfID *string           `json:"duplicateOfId" doc:"The slice of the same workspace that this one repeats, or null."`
}

// Slice is a bug report.
type Slice struct {
	ID          string   `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Number      int64    `json:"number" minimum:"1" example:"42" doc:"Counts from 1 within the workspace, without gaps or repeats."`
	WorkspaceID string   `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Reporter    Reporter `json:"reporter"`
	SliceFields
	Fingerprint     *string     `json:"fingerprint" doc:"What tells this bug from others; filing it again while it is open counts an occurrence."`
	OccurrenceCount int64       `json:"occurrenceCount" minimum:"0" example:"1" doc:"How often it was filed."`
	LastSeenAt      Time        `json:"lastSeenAt" doc:"When it was last filed."`
	LastOccurrence  *Occurrence `json:"lastOccurrence" doc:"What the newest filing said; null until it is filed again."`
	Redaction       *Redaction  `json:"redaction" doc:"What was removed before it was stored; null when nothing was."`
	AttachmentCount int64       `json:"attachmentCount" minimum:"0"`
	CommentCount    int64       `json:"commentCount" minimum:"0"`
	Version         int64       `json:"version" minimum:"1" example:"1" doc:"Grows with every change; the ETag is made from it."`
	URL             string      `json:"url" example:"https://bugs.example.com/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz" doc:"The slice's page in the web application."`
	CreatedAt       Time        `json:"createdAt"`
	UpdatedAt       Time        `json:"updatedAt"`
	ResolvedAt      *Time       `json:"resolvedAt" doc:"When the slice was last resolved or closed; null while it is open or in progress."`
}

// Occurrence is what tells a filing from the first one of its slice.
type Occurrence struct {
	At           Time              `json:"at"`
	ReporterName string            `json:"reporterName" example:"nightly" doc:"Who filed it, as they were called then."`
	Environment  Environment       `json:"environment" doc:"Where the bug was seen then: commit, build and the like."`
	ExternalID   *string           `json:"externalId" maxLength:"200" example:"ci-8123-checkout" doc:"The identifier it came with."`
	Metadata     map[string]string `json:"metadata" maxProperties:"50" maxLength:"500" nameLength:"100" doc:"The pairs that are other than those of the slice."`
}

// NewSlice is the body that files a slice. Only the summary is required, and the
// workspace when the caller is a PAT.
type NewSlice struct {
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true" doc:"Required for a PAT. A WST has its own workspace and may leave it out."`
	SliceFields
	Fingerprint *string   `json:"fingerprint,omitempty" nullable:"true" minLength:"1" maxLength:"200" example:"TypeError@checkout.js:42" doc:"What tells this bug from others. While a slice of the workspace with this fingerprint is open or in progress, filing it again counts an occurrence of that one, and the answer is 200."`
	Evidence    *Evidence `json:"evidence,omitempty" nullable:"true" doc:"What a tool captured: console, network, actions, replay."`
}

// FiledSlice is the slice that was filed, or that counted an occurrence.
type FiledSlice struct {
	Slice
	Similar []Similar `json:"similar,omitzero" doc:"Slices that may be about the same, when hints was asked for. Nothing is merged by itself."`
}

// Existing says that the slice was there before.
func (f FiledSlice) Existing() bool { return f.OccurrenceCount > 1 }

// ListSlices asks for a page of the slices the caller can see.
type ListSlices struct {
	Paging
	WorkspaceID   string     `query:"workspaceId" doc:"Only slices of this workspace. Left out, a WST lists its own workspace and a PAT all that its user is a member of."`
	SpaceID       []string   `query:"spaceId" doc:"Only slices in one of these spaces; none for slices in no space."`
	Status        []Status   `query:"status" enum:"open,in_progress,resolved,closed" doc:"Only slices in one of these statuses."`
	Priority      []Priority `query:"priority" enum:"urgent,high,medium,low" doc:"Only slices of one of these priorities."`
	Severity      []Severity `query:"severity" enum:"blocker,critical,major,minor,trivial" doc:"Only slices of one of these severities."`
	Label         []string   `query:"label" doc:"Only slices with at least one of these labels."`
	AssigneeID    []string   `query:"assigneeId" doc:"Only slices assigned to one of these users; me for the caller, none for nobody."`
	ReporterID    []string   `query:"reporterId" doc:"Only slices filed by one of these users or keys; me for the caller."`
	ExternalID    []string   `query:"externalId" doc:"Only slices with one of these external ids."`
	Fingerprint   []string   `query:"fingerprint" doc:"Only slices with one of these fingerprints."`
	Number        int        `query:"number" minimum:"1" maximum:"2147483647" doc:"Only the slice of this number, in each workspace."`
	CreatedAfter  *Time      `query:"createdAfter" doc:"Only slices created at or after this RFC 3339 time."`
	CreatedBefore *Time      `query:"createdBefore" doc:"Only slices created before this RFC 3339 time."`
	UpdatedAfter  *Time      `query:"updatedAfter" doc:"Only slices updated at or after this RFC 3339 time."`
	Q             string     `query:"q" maxLength:"500" doc:"Only slices whose summary or description has all these words, whatever their case and accents."`
	Sort          string     `query:"sort" enum:"createdAt,updatedAt" default:"createdAt" doc:"What the list is ordered by."`
	Order         string     `query:"order" enum:"desc,asc" default:"desc" doc:"Newest first (desc) or oldest first (asc)."`
}

// GetSlice asks for one slice.
type GetSlice struct {
	SliceID   string `path:"sliceId" id:"slc"`
	MaxTokens int    `query:"maxTokens" minimum:"500" maximum:"100000" default:"4000" doc:"How long the Markdown may be, in tokens of about four characters. JSON is always whole."`
}

// CreateSlice files a bug report.
type CreateSlice struct {
	Idempotency
	Hints  bool `query:"hints" doc:"Whether to answer with similar slices, too."`
	Reopen bool `query:"reopen" doc:"Whether a fingerprint that is known from a resolved or closed slice opens that one again, instead of a new one."`
	Body   NewSlice
}

// UpdateSlice changes a slice by a JSON Merge Patch (RFC 7396) of its SliceFields.
type UpdateSlice struct {
	SliceID string `path:"sliceId" id:"slc"`
	IfMatch string `header:"If-Match" doc:"The ETag the change is based on; another one at the server answers 412 and changes nothing."`
	Patch   Patch[SliceFields]
}

// DeleteSlice hides a slice at once. It can be restored for 30 days.
type DeleteSlice struct {
	SliceID string `path:"sliceId" id:"slc"`
	IfMatch string `header:"If-Match" doc:"The ETag the deletion is based on; another one at the server answers 412 and changes nothing."`
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

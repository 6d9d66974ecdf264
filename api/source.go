package api

import "reflect"

// Source is a site or an application whose visitors report without an account.
type Source struct {
	ID          string `json:"id" example:"src_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The public key, which pages contain. It is an address and no secret: it reads nothing, and no operation accepts it.
	Key string `json:"key" example:"svc_pub_4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2K"`
	SourceFields
	// The last four characters of the newest secret; null for a source that never had one.
	SecretLast4 *string  `json:"secretLast4" minLength:"4" maxLength:"4" example:"Pd2K"`
	Creator     KeyMaker `json:"creator"`
	// Increases with every change. The ETag is made from it.
	Version   int64 `json:"version" minimum:"1" example:"1"`
	CreatedAt Time  `json:"createdAt"`
	UpdatedAt Time  `json:"updatedAt"`
}

// SourceFields are the members of a source that clients write.
type SourceFields struct {
	// One line, which reports of the source show.
	Name string `json:"name" redact:"text" create:"required" minLength:"1" maxLength:"100" pattern:"\\S" example:"Shop" untrusted:"true"`
	// The origins of the pages that may report: exact ones, such as https://shop.example.com or http://localhost:3000, and with
	// *. every host below a domain, such as https://*.example.com. None is every page.
	// Example: ["https://shop.example.com"]
	Origins []string `json:"origins" maxItems:"50" uniqueItems:"true" minLength:"1" maxLength:"300" untrusted:"true"`
	// What the script records for a report; all by default.
	// Example: ["console","network","replay","picture","actions","metadata"]
	Captures []CapturePart `json:"captures" uniqueItems:"true" grows:"true"`
	// The space of new reports; null for none.
	SpaceID *string `json:"spaceId"`
	// The labels of new reports.
	// Example: ["shop"]
	Labels []string `json:"labels" redact:"hash" maxItems:"20" uniqueItems:"true" minLength:"1" maxLength:"50" pattern:"^[^,\\x00-\\x1f]+$"`
	// Who may report. anyone: every visitor. signed: visitors whose identity the site signs with the source's secret.
	Reporters ReporterPolicy `json:"reporters" default:"anyone" grows:"true"`
	// How many reports are taken.
	Limits SourceLimits `json:"limits" default:"{\"perMinute\":60,\"perHour\":600,\"perDay\":2000,\"perAddressHour\":10}"`
	// The maximum bytes of a report with its evidence.
	MaxReportBytes int64 `json:"maxReportBytes" minimum:"65536" maximum:"104857600" default:"26214400" example:"26214400"`
	// The maximum bytes of the reports of a day of UTC, all together.
	MaxDailyBytes int64 `json:"maxDailyBytes" minimum:"65536" maximum:"107374182400" default:"1073741824" example:"1073741824"`
	// Whether reports wait until a member accepts them.
	Approval bool `json:"approval"`
	// Whether a reporter gets the address of a page of the report: its state, the comments that are visible to reporters, answers and
	// erasure.
	ReporterPage bool `json:"reporterPage"`
	// Whether the source takes no reports.
	Paused bool `json:"paused"`
}

// SourceLimits are how many reports of a source are taken.
type SourceLimits struct {
	PerMinute int64 `json:"perMinute" minimum:"1" maximum:"10000" default:"60" example:"60"`
	PerHour   int64 `json:"perHour" minimum:"1" maximum:"100000" default:"600" example:"600"`
	// Of a day of UTC.
	PerDay int64 `json:"perDay" minimum:"1" maximum:"1000000" default:"2000" example:"2000"`
	// Of one network address in an hour.
	PerAddressHour int64 `json:"perAddressHour" minimum:"1" maximum:"100000" default:"10" example:"10"`
}

// SourcePatch is a merge patch of a source.
type SourcePatch map[string]any

// Of returns the type whose members the patch changes.
func (SourcePatch) Of() reflect.Type { return reflect.TypeFor[SourceFields]() }

// CapturePart is something that the script records for a report.
type CapturePart string

// The parts.
const (
	CaptureConsole  CapturePart = "console"
	CaptureNetwork  CapturePart = "network"
	CaptureReplay   CapturePart = "replay"
	CapturePicture  CapturePart = "picture"
	CaptureActions  CapturePart = "actions"
	CaptureMetadata CapturePart = "metadata"
)

// Values lists the parts.
func (CapturePart) Values() []string {
	return names(CaptureConsole, CaptureNetwork, CaptureReplay, CapturePicture, CaptureActions, CaptureMetadata)
}

// ReporterPolicy says who may report.
type ReporterPolicy string

// The policies.
const (
	ReportersAnyone ReporterPolicy = "anyone"
	ReportersSigned ReporterPolicy = "signed"
)

// Values lists the policies.
func (ReporterPolicy) Values() []string { return names(ReportersAnyone, ReportersSigned) }

// Visitor is who filed a slice from outside of the organisation, by a source. Nothing of it is verified but the source, and
// the identity when verified says so.
type Visitor struct {
	// The source; null for one of another instance.
	SourceID *string `json:"sourceId" example:"src_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The name of the source at that time.
	SourceName string `json:"sourceName" example:"Shop" untrusted:"true"`
	// The origin of the page, as the browser names it; null for none.
	Origin *string `json:"origin" maxLength:"300" example:"https://shop.example.com" untrusted:"true"`
	// Whether the site has signed the identity.
	Verified bool `json:"verified" example:"false"`
	// The site's own id of the visitor; null for none.
	UserID *string `json:"userId" maxLength:"200" example:"customer-4711" untrusted:"true"`
	// The name that the site or the visitor gave; null for none.
	Name *string `json:"name" maxLength:"200" example:"Ada" untrusted:"true"`
	// The e-mail address that the site or the visitor gave; null for none.
	Email *string `json:"email" maxLength:"254" example:"ada@example.com" untrusted:"true"`
}

// NewSource is the body of CreateSource.
type NewSource struct {
	// The default is the workspace of a WST, and the only workspace of the user of a PAT. Required for a PAT that
	// reaches several.
	WorkspaceID *string `json:"workspaceId,omitempty"`
	SourceFields
}

// SourceSecret is a source with its new secret.
type SourceSecret struct {
	Source
	// The secret by which the site signs who its reporters are. Only this response contains it.
	Secret string `json:"secret" example:"svc_sgn_4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2KfXr8sTq5vYb0Nc1aE7z"`
}

// ListSources returns the sources of the workspaces that the caller administers, oldest first.
type ListSources struct {
	Returns[Page[Source]]
	Paging
	// Only sources of this workspace.
	WorkspaceID string `query:"workspaceId"`
}

// CreateSource creates a source.
type CreateSource struct {
	Returns[Source]
	Idempotency
	Body NewSource
}

// GetSource returns one source.
type GetSource struct {
	Returns[Source]
	SourceID string `path:"sourceId" id:"src"`
}

// UpdateSource changes a source by a JSON Merge Patch.
type UpdateSource struct {
	Returns[Source]
	SourceID string `path:"sourceId" id:"src"`
	// The ETag on which the change is based. When the source has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
	Patch   SourcePatch
}

// DeleteSource deletes a source. The reports of its visitors stay.
type DeleteSource struct {
	Returns[Nothing]
	SourceID string `path:"sourceId" id:"src"`
	// The ETag on which the deletion is based. When the source has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
}

// RotateSourceSecret gives a source a new secret.
type RotateSourceSecret struct {
	Returns[SourceSecret]
	Idempotency
	SourceID string              `path:"sourceId" id:"src"`
	Body     *RotateSourceFields `required:"false"`
}

// RotateSourceFields is the optional body of RotateSourceSecret.
type RotateSourceFields struct {
	// For how many seconds identities that are signed by the former secret are good, too, up to 604,800 (7 days).
	GracePeriodSeconds int64 `json:"gracePeriodSeconds" minimum:"0" maximum:"604800" default:"86400" example:"86400"`
}

// GetSourceUsage returns what became of the reports of a source.
type GetSourceUsage struct {
	Returns[SourceUsage]
	SourceID string `path:"sourceId" id:"src"`
	// How many days of UTC, the last of which is today.
	Days int `query:"days" minimum:"1" maximum:"90" default:"30"`
}

// SourceUsage is what became of the reports of a source.
type SourceUsage struct {
	// Every day of the period, oldest first.
	Days []SourceDay `json:"days"`
}

// SourceDay is what became of the reports of a source in a day of UTC.
type SourceDay struct {
	Day string `json:"day" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" example:"2026-11-03"`
	// Reports that became slices or occurrences.
	Accepted int64 `json:"accepted" minimum:"0" example:"12"`
	// Reports that wait for a decision.
	Waiting int64 `json:"waiting" minimum:"0" example:"3"`
	Spam    int64 `json:"spam" minimum:"0" example:"1"`
	// Reports that were refused, by reason.
	Refused []RefusedReports `json:"refused"`
	// The bytes of the reports that were taken.
	Bytes int64 `json:"bytes" minimum:"0" example:"1048576"`
}

// RefusedReports are the reports that were refused for a reason.
type RefusedReports struct {
	// A word such as rate, origin, token or signature.
	Reason string `json:"reason" example:"rate"`
	Count  int64  `json:"count" minimum:"1" example:"4"`
}

// RemoveSourceReports deletes what the visitors of a source have reported since a time.
type RemoveSourceReports struct {
	Returns[RemovedReports]
	Idempotency
	SourceID string `path:"sourceId" id:"src"`
	Body     RemoveReportsFields
}

// RemoveReportsFields is the body of RemoveSourceReports.
type RemoveReportsFields struct {
	// An RFC 3339 time. Reports at or after it are removed.
	Since Time `json:"since" create:"required"`
}

// RemovedReports is the result of RemoveSourceReports.
type RemovedReports struct {
	// Reports that waited, or were marked as spam. They are deleted for good.
	Submissions int64 `json:"submissions" minimum:"0" example:"40"`
	// Slices. They can be restored for 30 days.
	Slices int64 `json:"slices" minimum:"0" example:"12"`
	// Whether there are more, which the same request removes.
	More bool `json:"more"`
}

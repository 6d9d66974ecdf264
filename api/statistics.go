package api

// GetStatistics returns statistics of the slices of a workspace over a period of whole days.
type GetStatistics struct {
	Returns[Statistics]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	// The first day of the period, such as 2026-11-01. The default is 29 days before the last one.
	From string `query:"from" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"`
	// The last day of the period, today by default. A period has at most 366 days.
	To string `query:"to" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"`
	// The time zone of the days, by its name in the IANA database. The default is that of the workspace.
	TimeZone string `query:"timezone" maxLength:"100"`
}

// Statistics count the slices of a workspace that are not deleted. They are of the present state: a reopened slice
// does not count as resolved, and a label counts from the day when its slice was created.
type Statistics struct {
	// The first day of the period.
	From string `json:"from" example:"2026-10-24"`
	// The last day of the period.
	To string `json:"to" example:"2026-11-22"`
	// The time zone of the days.
	TimeZone string `json:"timezone" example:"Europe/Stockholm"`
	// Each day of the period, also without slices.
	Days []DayStatistics `json:"days"`
	// The slices that are open or in progress now, of any period, by age.
	Open []AgeStatistics `json:"open"`
	// How long it took to resolve the slices that were resolved or closed in the period.
	TimeToResolve TimeToResolve `json:"timeToResolve"`
	// The most frequent labels of the slices that were created in the period.
	Labels TopValues `json:"labels"`
	// The most frequent releases of the slices that were created in the period.
	Releases TopValues `json:"releases"`
	// The fingerprints that were reported most often, of the slices that were created in the period.
	Fingerprints TopFingerprints `json:"fingerprints"`
	// The deliveries of webhooks; null without the scope webhooks:manage, and for members who do not administer the
	// workspace.
	Webhooks *WebhookStatistics `json:"webhooks"`
}

// DayStatistics count the slices of a day.
type DayStatistics struct {
	Date string `json:"date" example:"2026-11-22"`
	// Slices that were created on the day.
	Opened int64 `json:"opened" minimum:"0" example:"17"`
	// Slices that were resolved or closed on the day, and still are.
	Resolved int64 `json:"resolved" minimum:"0" example:"12"`
}

// AgeStatistics count the open slices of an age in days. A slice that was created today is 0 days old.
type AgeStatistics struct {
	MinDays int64 `json:"minDays" minimum:"0" example:"1"`
	// Null for the greatest age.
	MaxDays *int64 `json:"maxDays" minimum:"0" example:"6"`
	Count   int64  `json:"count" minimum:"0" example:"23"`
}

// TimeToResolve is the time from the creation of slices to their resolution. A time differs by at most 10 % from the
// exact one.
type TimeToResolve struct {
	// The slices that were resolved or closed in the period.
	Count int64 `json:"count" minimum:"0" example:"311"`
	// In seconds; null without slices.
	Median *int64 `json:"median" minimum:"0" example:"93600"`
	// Nine of ten slices took at most these seconds; null without slices.
	P90 *int64 `json:"p90" minimum:"0" example:"1209600"`
}

// TopValues are the most frequent values, at most 10, the most frequent first.
type TopValues struct {
	Data []ValueCount `json:"data"`
	// Whether all of the period was counted. Otherwise the newest part was, and each count is a lower bound.
	Complete bool `json:"complete"`
}

// ValueCount is the number of slices with a value.
type ValueCount struct {
	Value string `json:"value" example:"checkout" untrusted:"true"`
	Count int64  `json:"count" minimum:"1" example:"57"`
}

// TopFingerprints are the fingerprints that were reported most often, at most 10, the most frequent first. A
// fingerprint is among them from two reports on, of one slice or of several.
type TopFingerprints struct {
	Data []FingerprintCount `json:"data"`
	// Whether all of the period was counted. Otherwise the fingerprints are those of the newest 10,000 slices with a
	// fingerprint that was reported more than once.
	Complete bool `json:"complete"`
}

// FingerprintCount is the number of reports with a fingerprint.
type FingerprintCount struct {
	Fingerprint string `json:"fingerprint" example:"TypeError@checkout.js:42" untrusted:"true"`
	// The reports of the slices of the period, those after the period included.
	Occurrences int64 `json:"occurrences" minimum:"2" example:"140"`
	// The newest slice with the fingerprint; null without the scope slices:read.
	Slice *SliceLink `json:"slice"`
}

// WebhookStatistics count the deliveries of the webhooks of a workspace, the oldest webhook first.
type WebhookStatistics struct {
	Data []DeliveryStatistics `json:"data"`
}

// DeliveryStatistics count the deliveries of a webhook that were created in the period, and are not deleted yet, by
// status.
type DeliveryStatistics struct {
	WebhookID string `json:"webhookId" example:"whk_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	URL       string `json:"url" example:"https://hooks.example.com/bugslice"`
	Delivered int64  `json:"delivered" minimum:"0" example:"412"`
	Failed    int64  `json:"failed" minimum:"0" example:"3"`
	Pending   int64  `json:"pending" minimum:"0" example:"0"`
	// Whether all deliveries were counted. Otherwise the newest 10,000 were.
	Complete bool `json:"complete"`
}

// SliceLink names a slice.
type SliceLink struct {
	ID        string `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Reference string `json:"reference" example:"WEB-17"`
	Summary   string `json:"summary" example:"Checkout does nothing" untrusted:"true"`
	Status    Status `json:"status" example:"open"`
	URL       string `json:"url" example:"https://bugs.example.com/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
}

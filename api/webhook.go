package api

import "reflect"

// Webhook sends the events of a workspace to an address, by Standard Webhooks 1.0.0.
type Webhook struct {
	ID          string `json:"id" example:"whk_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WebhookFields
	// Why the webhook is disabled; null while it is enabled. paused: a user or key disabled it. gone: the receiver
	// responded with 410. failing: no delivery succeeded for 5 days. rights_lost: the key or user on whose behalf it
	// sends may no longer read the events.
	DisabledReason *DisabledReason `json:"disabledReason" grows:"true"`
	DisabledAt     *Time           `json:"disabledAt"`
	// Since when no delivery has succeeded; null unless the last attempt failed.
	FailingSince *Time `json:"failingSince"`
	// The last four characters of the newest secret.
	SecretLast4 string   `json:"secretLast4" minLength:"4" maxLength:"4" example:"Rk8="`
	Creator     KeyMaker `json:"creator"`
	// Increases with every change, also when deliveries begin to fail or succeed again. The ETag is made from it.
	Version   int64 `json:"version" minimum:"1" example:"1"`
	CreatedAt Time  `json:"createdAt"`
	UpdatedAt Time  `json:"updatedAt"`
}

// WebhookFields are the members of a webhook that clients write.
type WebhookFields struct {
	// An https URL with a public address. The operator can allow other addresses by --webhook-allow. It is stored and
	// asked in one form: percent-encoded, with its host in ASCII and without a fragment.
	URL         string  `json:"url" create:"required" minLength:"1" maxLength:"2000" example:"https://hooks.example.com/bugslice"`
	Description *string `json:"description" redact:"text" maxLength:"500" example:"Posts to the team's channel" untrusted:"true"`
	// The events to send. Each type requires the scope that reads its subject. *, which must be the only item, is
	// every event that the key may read.
	// Example: ["slice.created","slice.status_changed"]
	EventTypes []Subscription `json:"eventTypes" minItems:"1" uniqueItems:"true" grows:"true" default:"[\"*\"]"`
	// Whether the webhook sends. While it is disabled, events are not queued; recover queues the missed ones.
	Enabled bool `json:"enabled" default:"true"`
	// How events are written. standard: as JSON by Standard Webhooks, with a signature. slack, discord, mattermost and teams:
	// as messages for people, by the incoming webhooks of that service (Workflows of Microsoft Teams). Events that are not
	// about slices are not sent then. discord: a slice has one message, which is changed.
	Format WebhookFormat `json:"format" default:"standard" grows:"true"`
	// Only events of slices that this search selects when they are sent, such as label:checkout priority:urgent; null for
	// all events. It is in the language of q of GET /v1/slices. Events that are not about slices are not sent then.
	Query *string `json:"query" minLength:"1" maxLength:"500" pattern:"\\S" example:"null" untrusted:"true"`
}

// WebhookPatch is a merge patch of a webhook.
type WebhookPatch map[string]any

// Of returns the type whose members the patch changes.
func (WebhookPatch) Of() reflect.Type { return reflect.TypeFor[WebhookFields]() }

// WebhookFormat is how a webhook writes events.
type WebhookFormat string

// The formats.
const (
	FormatStandard   WebhookFormat = "standard"
	FormatSlack      WebhookFormat = "slack"
	FormatDiscord    WebhookFormat = "discord"
	FormatMattermost WebhookFormat = "mattermost"
	FormatTeams      WebhookFormat = "teams"
)

// Values lists the formats.
func (WebhookFormat) Values() []string {
	return names(FormatStandard, FormatSlack, FormatDiscord, FormatMattermost, FormatTeams)
}

// DisabledReason says why a webhook is disabled.
type DisabledReason string

// The reasons.
const (
	WebhookPaused     DisabledReason = "paused"
	WebhookGone       DisabledReason = "gone"
	WebhookFailing    DisabledReason = "failing"
	WebhookRightsLost DisabledReason = "rights_lost"
)

// Values lists the reasons.
func (DisabledReason) Values() []string {
	return names(WebhookPaused, WebhookGone, WebhookFailing, WebhookRightsLost)
}

// WebhookSecret is a webhook with its new secret.
type WebhookSecret struct {
	Webhook
	// The secret that verifies the messages. Only this response contains it.
	Secret string `json:"secret" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// NewWebhook is the body of CreateWebhook.
type NewWebhook struct {
	// The default is the workspace of a WST, and the only workspace of the user of a PAT. Required for a PAT that
	// reaches several.
	WorkspaceID *string `json:"workspaceId,omitempty"`
	WebhookFields
}

// ListWebhooks returns the webhooks of the workspaces that the caller administers, oldest first.
type ListWebhooks struct {
	Returns[Page[Webhook]]
	Paging
	// Only webhooks of this workspace.
	WorkspaceID string `query:"workspaceId"`
}

// CreateWebhook creates a webhook.
type CreateWebhook struct {
	Returns[WebhookSecret]
	Idempotency
	Body NewWebhook
}

// GetWebhook returns one webhook.
type GetWebhook struct {
	Returns[Webhook]
	WebhookID string `path:"webhookId" id:"whk"`
}

// UpdateWebhook changes a webhook by a JSON Merge Patch.
type UpdateWebhook struct {
	Returns[Webhook]
	WebhookID string `path:"webhookId" id:"whk"`
	// The ETag on which the change is based. When the webhook has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
	Patch   WebhookPatch
}

// DeleteWebhook deletes a webhook and its deliveries.
type DeleteWebhook struct {
	Returns[Nothing]
	WebhookID string `path:"webhookId" id:"whk"`
	// The ETag on which the deletion is based. When the webhook has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
}

// EnableWebhook enables a webhook.
type EnableWebhook struct {
	Returns[Webhook]
	Idempotency
	WebhookID string `path:"webhookId" id:"whk"`
}

// RotateSecret gives a webhook a new secret.
type RotateSecret struct {
	Returns[WebhookSecret]
	Idempotency
	WebhookID string              `path:"webhookId" id:"whk"`
	Body      *RotateSecretFields `required:"false"`
}

// RotateSecretFields is the optional body of RotateSecret.
type RotateSecretFields struct {
	// For how many seconds messages carry a signature by the former secret, too, up to 604,800 (7 days).
	GracePeriodSeconds int64 `json:"gracePeriodSeconds" minimum:"0" maximum:"604800" default:"86400" example:"86400"`
}

// SecretGrace is the default of RotateSecretFields.GracePeriodSeconds.
const SecretGrace = 24 * 60 * 60

// TestWebhook sends a ping to a webhook, whether or not it is enabled.
type TestWebhook struct {
	Returns[WebhookTest]
	Idempotency
	WebhookID string `path:"webhookId" id:"whk"`
}

// WebhookTest is the result of a ping.
type WebhookTest struct {
	// The webhook-id of the ping.
	EventID string `json:"eventId" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// Whether the receiver accepted the ping.
	Delivered bool    `json:"delivered" example:"true"`
	Attempt   Attempt `json:"attempt"`
}

// Attempt is an attempt to deliver a message.
type Attempt struct {
	At Time `json:"at"`
	// The duration in milliseconds; 0 when the address is not allowed.
	DurationMs int64 `json:"durationMs" minimum:"0" example:"83"`
	// The status of the receiver's response; null when there was none.
	Status *int64 `json:"status" minimum:"100" maximum:"999" example:"204"`
	// Why the delivery failed; null when it succeeded. status: the status of the response was not 2xx.
	// address_not_allowed: the host name has no address, or one that is neither public nor allowed by --webhook-allow;
	// the server's log says which. dns: no longer used. rights_lost: the key or user on whose behalf the webhook sends
	// may not read the event.
	Error *AttemptError `json:"error" grows:"true"`
	// The first 4 KiB of the response, when it is text and the address is public.
	ResponseBody *string `json:"responseBody" maxLength:"4096" untrusted:"true"`
}

// AttemptError says why an attempt failed.
type AttemptError string

// The reasons.
const (
	AttemptStatus     AttemptError = "status"
	AttemptRedirect   AttemptError = "redirect"
	AttemptTimeout    AttemptError = "timeout"
	AttemptConnection AttemptError = "connection"
	AttemptTLS        AttemptError = "tls"
	AttemptAddress    AttemptError = "address_not_allowed"
	AttemptProtocol   AttemptError = "protocol"
	AttemptRights     AttemptError = "rights_lost"
	AttemptInternal   AttemptError = "internal"

	attemptDNS AttemptError = "dns" // no longer used
)

// Values lists the reasons.
func (AttemptError) Values() []string {
	return names(AttemptStatus, AttemptRedirect, AttemptTimeout, AttemptConnection, attemptDNS, AttemptTLS,
		AttemptAddress,
		AttemptProtocol, AttemptRights, AttemptInternal)
}

// DeliveryStatus is the status of a delivery.
type DeliveryStatus string

// The statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed"
)

// Values lists the statuses.
func (DeliveryStatus) Values() []string {
	return names(DeliveryPending, DeliveryDelivered, DeliveryFailed)
}

// Delivery is an event that is queued for a webhook, or was sent to it.
type Delivery struct {
	ID          string `json:"id" example:"dlv_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WebhookID   string `json:"webhookId" example:"whk_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The webhook-id of the message, the same at every attempt.
	EventID   string    `json:"eventId" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	EventType EventType `json:"eventType" grows:"true" example:"slice.created"`
	// failed: there are no further automatic attempts.
	Status       DeliveryStatus `json:"status" example:"delivered"`
	AttemptCount int64          `json:"attemptCount" minimum:"0" example:"1"`
	// When the next attempt is due; null unless the delivery is pending.
	NextAttemptAt *Time `json:"nextAttemptAt"`
	CreatedAt     Time  `json:"createdAt"`
	// When the delivery succeeded or finally failed; null while it is pending.
	FinishedAt *Time `json:"finishedAt"`
}

// DeliveryDetail is a delivery with its message and the log of its attempts.
type DeliveryDetail struct {
	Delivery
	// The body of the message, as the next attempt would send it; null when the caller may not read the event.
	Payload *string `json:"payload" example:"{\"id\":\"evt_01ja8m2c9tf3qb6h0v5r4x7kyz\",\"type\":\"slice.created\"}" untrusted:"true"`
	// The newest 30 attempts, oldest first.
	Attempts []Attempt `json:"attempts"`
}

// ListDeliveries returns the deliveries of a webhook, newest first.
type ListDeliveries struct {
	Returns[Page[Delivery]]
	Paging
	WebhookID string `path:"webhookId" id:"whk"`
	// Only deliveries in one of these statuses.
	Status []DeliveryStatus `query:"status"`
	// Only deliveries of events of these types.
	EventType []EventType `query:"eventType"`
	// Only deliveries created at or after this time.
	Since *Time `query:"since"`
	// Only deliveries created before this time.
	Until *Time `query:"until"`
}

// GetDelivery returns one delivery with its attempts.
type GetDelivery struct {
	Returns[DeliveryDetail]
	DeliveryID string `path:"deliveryId" id:"dlv"`
}

// Redeliver repeats a delivery.
type Redeliver struct {
	Returns[Delivery]
	Idempotency
	DeliveryID string `path:"deliveryId" id:"dlv"`
}

// RecoverDeliveries queues the failed deliveries of a webhook, and the events that were not queued for it.
type RecoverDeliveries struct {
	Returns[Recovered]
	Idempotency
	WebhookID string `path:"webhookId" id:"whk"`
	Body      RecoverFields
}

// RecoverFields is the body of RecoverDeliveries.
type RecoverFields struct {
	// An RFC 3339 time. Deliveries that failed, and events that were not queued, at or after it are queued.
	Since Time `json:"since" create:"required"`
}

// Recovered is the result of RecoverDeliveries.
type Recovered struct {
	// The number of deliveries that are queued again: those that have failed, and those that waited for another
	// attempt.
	Failed int64 `json:"failed" minimum:"0" example:"12"`
	// The number of events that were not queued while the webhook was disabled, and now are.
	Missed int64 `json:"missed" minimum:"0" example:"3"`
}

package api

// Webhook sends what happens in a workspace to an address, by Standard Webhooks 1.0.0.
type Webhook struct {
	ID          string `json:"id" example:"whk_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WebhookFields
	// Why it is not enabled; null while it is. paused: somebody paused it. gone: the receiver answered 410. failing:
	// no message was taken for 5 days. rights_lost: whoever it acts for may no longer see what it sends.
	DisabledReason *DisabledReason `json:"disabledReason" grows:"true" enum:"paused,gone,failing,rights_lost"`
	DisabledAt     *Time           `json:"disabledAt"`
	// The last four characters of the newest secret.
	SecretLast4 string   `json:"secretLast4" minLength:"4" maxLength:"4" example:"Rk8="`
	Creator     KeyMaker `json:"creator"`
	CreatedAt   Time     `json:"createdAt"`
	UpdatedAt   Time     `json:"updatedAt"`
}

// WebhookFields are the members of a webhook that clients write.
type WebhookFields struct {
	// An https address on the public internet. The operator may allow others by --webhook-allow.
	URL         string  `json:"url" create:"required" minLength:"1" maxLength:"2000" example:"https://hooks.example.com/bugslice"`
	Description *string `json:"description" maxLength:"500" example:"Posts to the team's channel"`
	// What is sent; each type takes the scope that reads its subject. * stands alone: every event that the key may
	// read.
	// Example: ["slice.created","slice.status_changed"]
	EventTypes []Subscription `json:"eventTypes" minItems:"1" uniqueItems:"true" grows:"true" default:"[\"*\"]"`
	// Whether it sends. While it does not, nothing is queued; recover sends what was missed.
	Enabled bool `json:"enabled" default:"true"`
}

// DisabledReason says why a webhook does not send.
type DisabledReason string

// The reasons.
const (
	WebhookPaused     DisabledReason = "paused"
	WebhookGone       DisabledReason = "gone"
	WebhookFailing    DisabledReason = "failing"
	WebhookRightsLost DisabledReason = "rights_lost"
)

// WebhookSecret is a webhook together with its newest secret, which is shown this once.
type WebhookSecret struct {
	Webhook
	// Verifies the messages. Shown in this answer alone.
	Secret string `json:"secret" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// NewWebhook is the body that makes a webhook.
type NewWebhook struct {
	// Required for a PAT. A WST has its own workspace and may leave it out.
	WorkspaceID *string `json:"workspaceId,omitempty"`
	WebhookFields
}

// ListWebhooks asks for the webhooks of workspaces the caller administers, oldest first.
type ListWebhooks struct {
	Paging
	// Only webhooks of this workspace.
	WorkspaceID string `query:"workspaceId"`
}

// CreateWebhook makes a webhook.
type CreateWebhook struct {
	Idempotency
	Body NewWebhook
}

// GetWebhook asks for one webhook.
type GetWebhook struct {
	WebhookID string `path:"webhookId" id:"whk"`
}

// UpdateWebhook changes a webhook by a JSON Merge Patch.
type UpdateWebhook struct {
	WebhookID string `path:"webhookId" id:"whk"`
	Patch     Patch[WebhookFields]
}

// DeleteWebhook removes a webhook with its deliveries.
type DeleteWebhook struct {
	WebhookID string `path:"webhookId" id:"whk"`
}

// EnableWebhook lets a webhook send again.
type EnableWebhook struct {
	Idempotency
	WebhookID string `path:"webhookId" id:"whk"`
}

// RotateSecret gives a webhook a new secret.
type RotateSecret struct {
	Idempotency
	WebhookID string              `path:"webhookId" id:"whk"`
	Body      *RotateSecretFields `required:"false"`
}

// RotateSecretFields is the optional body of a secret's rotation.
type RotateSecretFields struct {
	// How long messages are signed with the former secret too, up to 7 days.
	GracePeriodSeconds int64 `json:"gracePeriodSeconds" minimum:"0" maximum:"604800" default:"86400" example:"86400"`
}

// SecretGrace is how many seconds a former secret signs when a rotation does not say.
const SecretGrace = 24 * 60 * 60

// TestWebhook sends a ping to a webhook, enabled or not.
type TestWebhook struct {
	Idempotency
	WebhookID string `path:"webhookId" id:"whk"`
}

// WebhookTest is what came of a ping.
type WebhookTest struct {
	// The webhook-id of the ping.
	EventID string `json:"eventId" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// Whether the receiver took it.
	Delivered bool    `json:"delivered" example:"true"`
	Attempt   Attempt `json:"attempt"`
}

// Attempt is one try to deliver a message.
type Attempt struct {
	At Time `json:"at"`
	// 0 of one whose address is not allowed.
	DurationMs int64 `json:"durationMs" minimum:"0" example:"83"`
	// The receiver's answer; null when there was none.
	Status *int64 `json:"status" minimum:"100" maximum:"999" example:"204"`
	// Why it was not taken; null when it was. status: an answer other than 2xx. address_not_allowed: the name leads to
	// no address, or to one that is not public and that --webhook-allow does not name; which of them is in the log of
	// the server. dns is not used any more. rights_lost: whoever the webhook acts for may not read it.
	Error *AttemptError `json:"error" grows:"true" enum:"status,redirect,timeout,connection,dns,tls,address_not_allowed,protocol,rights_lost,internal"`
	// The first 4 KiB of the answer, when it is text and came from a public address.
	ResponseBody *string `json:"responseBody" maxLength:"4096"`
}

// AttemptError says why a message was not taken.
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
)

// DeliveryStatus is where a delivery stands.
type DeliveryStatus string

// The statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed"
)

// Delivery is an event on its way to a webhook.
type Delivery struct {
	ID          string `json:"id" example:"dlv_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WebhookID   string `json:"webhookId" example:"whk_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The webhook-id of the message, the same on every try.
	EventID   string    `json:"eventId" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	EventType EventType `json:"eventType" grows:"true" example:"slice.created"`
	// failed: it is not tried again by itself.
	Status       DeliveryStatus `json:"status" enum:"pending,delivered,failed" example:"delivered"`
	AttemptCount int64          `json:"attemptCount" minimum:"0" example:"1"`
	// Null unless pending.
	NextAttemptAt *Time `json:"nextAttemptAt"`
	CreatedAt     Time  `json:"createdAt"`
	// When it was delivered or given up; null while pending.
	FinishedAt *Time `json:"finishedAt"`
}

// DeliveryDetail is a delivery with the log of its attempts.
type DeliveryDetail struct {
	Delivery
	// Oldest first, at most the newest 30.
	Attempts []Attempt `json:"attempts"`
}

// ListDeliveries asks for what a webhook sent, newest first.
type ListDeliveries struct {
	Paging
	WebhookID string `path:"webhookId" id:"whk"`
	// Only deliveries in one of these statuses.
	Status []DeliveryStatus `query:"status" enum:"pending,delivered,failed"`
	// Only deliveries of events of these types.
	EventType []EventType `query:"eventType"`
	// Only deliveries made at or after this RFC 3339 time.
	Since *Time `query:"since"`
}

// GetDelivery asks for one delivery with its attempts.
type GetDelivery struct {
	DeliveryID string `path:"deliveryId" id:"dlv"`
}

// Redeliver sends a delivery again.
type Redeliver struct {
	Idempotency
	DeliveryID string `path:"deliveryId" id:"dlv"`
}

// RecoverDeliveries sends again what a webhook has missed.
type RecoverDeliveries struct {
	Idempotency
	WebhookID string `path:"webhookId" id:"whk"`
	Body      RecoverFields
}

// RecoverFields says from when on.
type RecoverFields struct {
	// Deliveries that failed, and events that were never queued, at or after this RFC 3339 time.
	Since Time `json:"since" create:"required"`
}

// Recovered says how much is sent again.
type Recovered struct {
	// Failed deliveries that are tried again.
	Failed int64 `json:"failed" minimum:"0" example:"12"`
	// Events that were never queued, because the webhook was not enabled, and now are.
	Missed int64 `json:"missed" minimum:"0" example:"3"`
}

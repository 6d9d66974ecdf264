package api

import "net/http"

// Operation is one row of the contract: what routing, scope checks, the OpenAPI document,
// the reference page and the authorisation tests are all made from.
type Operation struct {
	ID      string // operationId, and the name of the tracker's method in lower camel case
	Method  string
	Path    string
	In      any   // a value of the input's type: each operation has a type of its own
	Out     any   // a value of the answer's type
	Scope   Scope // NoScope: any live key
	Effect  Effect
	Status  int // of success
	Tag     string
	Summary string
	Detail  string
	Codes   []string // of refusal, beyond those every operation shares
	Secret  bool     // the answer holds a secret: never stored, never cached
	MaxBody int64    // in bytes; DefaultBody when 0
	Upload  bool     // the body is a file
	Media   []string // media types of the response beside JSON, which Accept may ask for
}

// Effect says what carrying out an operation leaves behind. It decides what a superseded token, one
// in its grace period, may still do, what is locked meanwhile, and what a full disk refuses. Every
// operation has one.
type Effect string

// The effects.
const (
	Reads   Effect = "reads"   // nothing
	Content Effect = "content" // slices, comments and evidence: any live token
	Lasting Effect = "lasting" // what outlives the token; refused to a superseded one
	Ending  Effect = "ending"  // the end of the caller's own key: any live token
)

// Outlives says whether the effect stands or falls with the caller's credential, which is locked then.
func (e Effect) Outlives() bool { return e == Lasting || e == Ending }

// Stores says whether an operation adds to what is stored. One that deletes does not.
func (o *Operation) Stores() bool {
	return o.Effect != Reads && o.Method != http.MethodDelete
}

// DefaultBody is how many bytes a body may have unless its operation says more.
const DefaultBody = 1 << 20

// The operations' names.
const (
	OpGetMe           = "getMe"
	OpListWorkspaces  = "listWorkspaces"
	OpCreateWorkspace = "createWorkspace"
	OpGetWorkspace    = "getWorkspace"
	OpUpdateWorkspace = "updateWorkspace"
	OpListMembers     = "listMembers"
	OpListSpaces      = "listSpaces"
	OpCreateSpace     = "createSpace"
	OpListSlices      = "listSlices"
	OpCreateSlice     = "createSlice"
	OpGetSlice        = "getSlice"
	OpUpdateSlice     = "updateSlice"
	OpDeleteSlice     = "deleteSlice"
	OpRestoreSlice    = "restoreSlice"
	OpListKeys        = "listKeys"
	OpCreateKey       = "createKey"
	OpGetKey          = "getKey"
	OpRevokeKey       = "revokeKey"
	OpRevokeSelf      = "revokeSelf"
	OpRotateKey       = "rotateKey"
	OpListEvents      = "listEvents"

	OpListAttachments  = "listAttachments"
	OpCreateAttachment = "createAttachment"
	OpGetAttachment    = "getAttachment"
	OpGetThumbnail     = "getThumbnail"
	OpUpdateAttachment = "updateAttachment"
	OpDeleteAttachment = "deleteAttachment"
	OpListConsole      = "listConsole"
	OpListNetwork      = "listNetwork"
	OpListActions      = "listActions"
	OpGetArchive       = "getNetworkArchive"
	OpGetReplay        = "getReplay"
	OpListComments     = "listComments"
	OpCreateComment    = "createComment"
	OpUpdateComment    = "updateComment"
	OpDeleteComment    = "deleteComment"
	OpListActivity     = "listActivity"
	OpListSimilar      = "listSimilarSlices"
	OpDryRun           = "redactionDryRun"

	OpListWebhooks      = "listWebhooks"
	OpCreateWebhook     = "createWebhook"
	OpGetWebhook        = "getWebhook"
	OpUpdateWebhook     = "updateWebhook"
	OpDeleteWebhook     = "deleteWebhook"
	OpEnableWebhook     = "enableWebhook"
	OpRotateSecret      = "rotateWebhookSecret"
	OpTestWebhook       = "testWebhook"
	OpListDeliveries    = "listDeliveries"
	OpRecoverDeliveries = "recoverDeliveries"
	OpGetDelivery       = "getDelivery"
	OpRedeliver         = "redeliver"
)

// Operations is the whole API, in the order the documents show it.
var Operations = []Operation{
	{ID: OpGetMe, Method: "GET", Path: "/v1/me", In: GetMe{}, Out: Me{},
		Scope: UserRead, Effect: Reads, Tag: "Profile", Summary: "Who am I",
		Detail: "The caller behind the key: a user for a PAT, a service for a WST, with the key's scopes and expiry."},

	{ID: OpListWorkspaces, Method: "GET", Path: "/v1/workspaces", In: ListWorkspaces{}, Out: Page[Workspace]{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "List workspaces",
		Detail: "The workspaces the caller's user is a member of, oldest first; for a WST its own."},
	{ID: OpCreateWorkspace, Method: "POST", Path: "/v1/workspaces", In: CreateWorkspace{}, Out: Workspace{},
		Scope: WorkspacesWrite, Effect: Lasting, Status: http.StatusCreated, Tag: "Workspaces", Summary: "Create a workspace",
		Detail: "The calling user becomes its admin. A WST never creates a workspace.", Codes: []string{CodeForbidden}},
	{ID: OpGetWorkspace, Method: "GET", Path: "/v1/workspaces/{workspaceId}", In: GetWorkspace{}, Out: Workspace{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "View a workspace"},
	{ID: OpUpdateWorkspace, Method: "PATCH", Path: "/v1/workspaces/{workspaceId}", In: UpdateWorkspace{}, Out: Workspace{},
		Scope: WorkspacesWrite, Effect: Lasting, Tag: "Workspaces", Summary: "Update a workspace",
		Detail: "For the workspace's admins and its WSTs.", Codes: []string{CodeForbidden}},
	{ID: OpListMembers, Method: "GET", Path: "/v1/workspaces/{workspaceId}/members", In: ListMembers{}, Out: Page[Member]{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "List the members of a workspace",
		Detail: "Ordered by user id. E-mail addresses are shown to workspace admins alone."},

	{ID: OpListSpaces, Method: "GET", Path: "/v1/workspaces/{workspaceId}/spaces", In: ListSpaces{}, Out: Page[Space]{},
		Scope: SpacesRead, Effect: Reads, Tag: "Spaces", Summary: "List the spaces of a workspace",
		Detail: "Oldest first."},
	{ID: OpCreateSpace, Method: "POST", Path: "/v1/workspaces/{workspaceId}/spaces", In: CreateSpace{}, Out: Space{},
		Scope: SpacesWrite, Effect: Lasting, Status: http.StatusCreated, Tag: "Spaces", Summary: "Create a space"},

	{ID: OpListSlices, Method: "GET", Path: "/v1/slices", In: ListSlices{}, Out: Page[Slice]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Slices", Summary: "List bug reports",
		Detail: "Newest first unless sorted otherwise. Filters combine with and; several values of one filter, " +
			"separated by commas, with or.",
		Codes: []string{CodeNotFound}},
	{ID: OpCreateSlice, Method: "POST", Path: "/v1/slices", In: CreateSlice{}, Out: FiledSlice{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusCreated, Tag: "Slices", Summary: "File a bug report",
		Detail: "Send an Idempotency-Key to make retries safe. Evidence of up to 10 MiB may come along. Secrets are removed from all of " +
			"it before it is stored.\n\n" +
			"A `fingerprint` that is known from a slice that is open or in progress counts an occurrence of that one instead, and the " +
			"answer is 200: `occurrenceCount` and `lastSeenAt` grow, and its evidence is kept for the first 10 occurrences.",
		Codes: []string{CodeNotFound, CodeExternalIDTaken, CodeDailyLimit, CodeRedactionCost}, MaxBody: 10 << 20},
	{ID: OpGetSlice, Method: "GET", Path: "/v1/slices/{sliceId}", In: GetSlice{}, Out: Slice{},
		Scope: SlicesRead, Effect: Reads, Tag: "Slices", Summary: "View a bug report",
		Detail: "Under `Accept: text/markdown` the whole report as compact Markdown, for people and agents: steps, errors with their " +
			"stacks, failed requests, environment, comments. What strangers wrote is fenced and labelled as untrusted; what does not fit " +
			"within `maxTokens` is left out, and it says so.",
		Media: []string{"text/markdown"}},
	{ID: OpUpdateSlice, Method: "PATCH", Path: "/v1/slices/{sliceId}", In: UpdateSlice{}, Out: Slice{},
		Scope: SlicesWrite, Effect: Content, Tag: "Slices", Summary: "Update a bug report",
		Detail: "A JSON Merge Patch. Send If-Match to change only what you have seen. A change that changes nothing raises no version.",
		Codes:  []string{CodeExternalIDTaken, CodeTransition, CodePrecondition, CodeRedactionCost}},
	{ID: OpDeleteSlice, Method: "DELETE", Path: "/v1/slices/{sliceId}", In: DeleteSlice{}, Out: Nothing{},
		Scope: SlicesDelete, Effect: Content, Status: http.StatusNoContent, Tag: "Slices", Summary: "Delete a bug report",
		Detail: "Hides it at once. It can be restored for 30 days; then it is purged.", Codes: []string{CodePrecondition}},
	{ID: OpRestoreSlice, Method: "POST", Path: "/v1/slices/{sliceId}/restore", In: RestoreSlice{}, Out: Slice{},
		Scope: SlicesDelete, Effect: Content, Tag: "Slices", Summary: "Restore a deleted bug report",
		Detail: "Brings back what was deleted in the last 30 days. A slice that is not deleted is answered as it is.",
		Codes:  []string{CodeExternalIDTaken}},

	{ID: OpListAttachments, Method: "GET", Path: "/v1/slices/{sliceId}/attachments", In: ListAttachments{}, Out: Page[Attachment]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List the attachments of a bug report",
		Detail: "Oldest first."},
	{ID: OpCreateAttachment, Method: "POST", Path: "/v1/slices/{sliceId}/attachments", In: CreateAttachment{}, Out: Attachment{},
		Upload: true,
		Scope:  SlicesWrite, Effect: Content, Status: http.StatusCreated, Tag: "Evidence", Summary: "Attach a file",
		Detail: "The file is the body, with its `Content-Type` and a name in `Content-Disposition`, or one part with a filename of " +
			"`multipart/form-data`. At most 100 MiB unless the operator says otherwise. Text is searched for secrets before it is " +
			"stored. Console, network (HAR), actions and replay are read as such when `kind` says so or their content does.",
		Codes: []string{CodeTooLarge, CodeMediaType, CodeMalformedBody, CodeInvalidBody, CodeDigest, CodeRequestTimeout,
			CodeRedactionCost}},
	{ID: OpGetAttachment, Method: "GET", Path: "/v1/attachments/{attachmentId}", In: GetAttachment{}, Out: Nothing{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Read a file",
		Detail: "Its bytes, with `ETag` and ranges. What a browser might run comes as a download, in a sandbox.", Media: []string{"*/*"},
		Codes: []string{CodePrecondition, CodeRange}},
	{ID: OpGetThumbnail, Method: "GET", Path: "/v1/attachments/{attachmentId}/thumbnail", In: GetThumbnail{}, Out: Nothing{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Read a small picture of an image",
		Detail: "JPEG or PNG of at most 480 by 360 pixels.", Media: []string{"image/*"}, Codes: []string{CodePrecondition, CodeRange}},
	{ID: OpUpdateAttachment, Method: "PATCH", Path: "/v1/attachments/{attachmentId}", In: UpdateAttachment{}, Out: Attachment{},
		Scope: SlicesWrite, Effect: Content, Tag: "Evidence", Summary: "Rename a file",
		Detail: "Its name and its kind. Files that were read as evidence keep their kind.", Codes: []string{CodeRedactionCost}},
	{ID: OpDeleteAttachment, Method: "DELETE", Path: "/v1/attachments/{attachmentId}", In: DeleteAttachment{}, Out: Nothing{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusNoContent, Tag: "Evidence", Summary: "Delete a file"},
	{ID: OpListConsole, Method: "GET", Path: "/v1/slices/{sliceId}/console", In: ListConsole{}, Out: Page[ConsoleEntry]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List the lines of the console",
		Detail: "In the order they were captured. A page is made from a bounded part of the evidence: while `hasMore` is true it may " +
			"hold fewer than `limit`, or none."},
	{ID: OpListNetwork, Method: "GET", Path: "/v1/slices/{sliceId}/network", In: ListNetwork{}, Out: Page[NetworkEntry]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List the requests",
		Detail: "In the order they were captured. A page is made from a bounded part of the evidence: while `hasMore` is true it may " +
			"hold fewer than `limit`, or none."},
	{ID: OpGetArchive, Method: "GET", Path: "/v1/slices/{sliceId}/network.har", In: GetArchive{}, Out: Archive{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Read the requests as HAR 1.2",
		Detail: "As they were sent, without secrets."},
	{ID: OpListActions, Method: "GET", Path: "/v1/slices/{sliceId}/actions", In: ListActions{}, Out: Page[ActionEntry]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List what the user did",
		Detail: "In the order it was captured. A page is made from a bounded part of the evidence: while `hasMore` is true it may hold " +
			"fewer than `limit`, or none."},
	{ID: OpGetReplay, Method: "GET", Path: "/v1/slices/{sliceId}/replay", In: GetReplay{}, Out: Replay{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Read the replay",
		Detail: "The events of rrweb, as one list."},
	{ID: OpDryRun, Method: "POST", Path: "/v1/workspaces/{workspaceId}/redaction/dry-run", In: DryRun{}, Out: DryRunResult{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Evidence", Summary: "Try what would be removed",
		Detail: "Answers with what would be stored of a text or of evidence, by the workspace's rules or by others. Nothing is stored.",
		Codes:  []string{CodeRedactionCost}, MaxBody: 10 << 20},

	{ID: OpListComments, Method: "GET", Path: "/v1/slices/{sliceId}/comments", In: ListComments{}, Out: Page[Comment]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Comments", Summary: "List the comments of a bug report",
		Detail: "Oldest first."},
	{ID: OpCreateComment, Method: "POST", Path: "/v1/slices/{sliceId}/comments", In: CreateComment{}, Out: Comment{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusCreated, Tag: "Comments", Summary: "Comment on a bug report",
		Codes: []string{CodeRedactionCost}},
	{ID: OpUpdateComment, Method: "PATCH", Path: "/v1/comments/{commentId}", In: UpdateComment{}, Out: Comment{},
		Scope: SlicesWrite, Effect: Content, Tag: "Comments", Summary: "Edit a comment",
		Detail: "One's own alone.", Codes: []string{CodeForbidden, CodeRedactionCost}},
	{ID: OpDeleteComment, Method: "DELETE", Path: "/v1/comments/{commentId}", In: DeleteComment{}, Out: Nothing{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusNoContent, Tag: "Comments", Summary: "Delete a comment",
		Detail: "One's own; the workspace's admins delete any.", Codes: []string{CodeForbidden}},
	{ID: OpListActivity, Method: "GET", Path: "/v1/slices/{sliceId}/activity", In: ListActivity{}, Out: Page[Activity]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Comments", Summary: "List what was done with a bug report",
		Detail: "Every change with who, when, from and to, oldest first."},
	{ID: OpListSimilar, Method: "GET", Path: "/v1/slices/{sliceId}/similar", In: ListSimilar{}, Out: Page[Similar]{},
		Scope: SlicesRead, Effect: Reads, Tag: "Comments", Summary: "List similar bug reports",
		Detail: "Slices of the workspace that share rare words with this one, in summary, description, error messages and URL. At most " +
			"25."},

	{ID: OpListKeys, Method: "GET", Path: "/v1/api-keys", In: ListKeys{}, Out: Page[Key]{},
		Scope: KeysManage, Effect: Reads, Tag: "API keys", Summary: "List API keys",
		Detail: "One's own PATs and the WSTs of workspaces where one is admin, oldest first; for a WST those of its workspace. Revoked " +
			"keys are not shown."},
	{ID: OpCreateKey, Method: "POST", Path: "/v1/api-keys", In: CreateKey{}, Out: NewKey{},
		Scope: KeysManage, Effect: Lasting, Status: http.StatusCreated, Tag: "API keys", Summary: "Create an API key", Secret: true,
		Detail: "A key mints at most its own scopes and lifetime; a WST mints only WSTs of its workspace. The token is in this answer " +
			"alone.",
		Codes: []string{CodeForbidden, CodeNotFound, CodeReplaySecret}},
	{ID: OpGetKey, Method: "GET", Path: "/v1/api-keys/{keyId}", In: GetKey{}, Out: Key{},
		Scope: KeysManage, Effect: Reads, Tag: "API keys", Summary: "View an API key"},
	{ID: OpRevokeSelf, Method: "DELETE", Path: "/v1/api-keys/self", In: RevokeSelf{}, Out: Nothing{},
		Scope: NoScope, Effect: Ending, Status: http.StatusNoContent, Tag: "API keys", Summary: "Revoke the calling key",
		Detail: "A key may always revoke itself. It works no more from the next request on."},
	{ID: OpRevokeKey, Method: "DELETE", Path: "/v1/api-keys/{keyId}", In: RevokeKey{}, Out: Nothing{},
		Scope: KeysManage, Effect: Lasting, Status: http.StatusNoContent, Tag: "API keys", Summary: "Revoke an API key",
		Detail: "Ends every token of the key from the next request on, on every node."},
	{ID: OpRotateKey, Method: "POST", Path: "/v1/api-keys/{keyId}/rotate", In: RotateKey{}, Out: NewKey{},
		Scope: KeysManage, Effect: Lasting, Tag: "API keys", Summary: "Rotate an API key", Secret: true,
		Detail: "Gives the key a new token and keeps its id. During the grace period the former token still reads, and writes slices, " +
			"comments and evidence; what would outlive it is refused (`token_superseded`).",
		Codes: []string{CodeForbidden, CodeKeyExpired, CodeReplaySecret}},

	{ID: OpListEvents, Method: "GET", Path: "/v1/events", In: ListEvents{}, Out: Page[Event]{},
		Scope: NoScope, Effect: Reads, Tag: "Events", Summary: "List what happened in a workspace",
		Detail: "Oldest first, in the order it was committed: no event ever appears behind one already read. Keep the id of the last " +
			"event you handled and pass it as `after` to go on, for as long as it is kept (30 days). " +
			"A key sees the events whose subject its scopes read: `slices:read`, `workspaces:read`, `spaces:read`, and for the " +
			"workspace's admins `keys:manage` and `webhooks:manage`.\n\n" +
			"Under `Accept: text/event-stream` the same events come as they happen, as server-sent events: each with its `id`, its type " +
			"as `event` and the event as `data`. Take the last id of a page as `after`, or let the browser send `Last-Event-ID`, and " +
			"nothing is lost in between. The stream ends when the key does.",
		Codes: []string{CodeNotFound, CodeEventsGone}, Media: []string{"text/event-stream"}},

	{ID: OpListWebhooks, Method: "GET", Path: "/v1/webhooks", In: ListWebhooks{}, Out: Page[Webhook]{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "List webhooks",
		Detail: "Those of workspaces where one is admin, oldest first; for a WST those of its workspace.",
		Codes:  []string{CodeForbidden, CodeNotFound}},
	{ID: OpCreateWebhook, Method: "POST", Path: "/v1/webhooks", In: CreateWebhook{}, Out: WebhookSecret{},
		Scope: WebhooksManage, Effect: Lasting, Status: http.StatusCreated, Tag: "Webhooks", Summary: "Create a webhook", Secret: true,
		Detail: "For the workspace's admins and its WSTs, at most 25 in a workspace. It sends what the key it is made with may read, for " +
			"as long as that key is not revoked and whoever is behind it may. The secret is in this answer alone.",
		Codes: []string{CodeForbidden, CodeNotFound, CodeTooManyWebhooks, CodeReplaySecret}},
	{ID: OpGetWebhook, Method: "GET", Path: "/v1/webhooks/{webhookId}", In: GetWebhook{}, Out: Webhook{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "View a webhook"},
	{ID: OpUpdateWebhook, Method: "PATCH", Path: "/v1/webhooks/{webhookId}", In: UpdateWebhook{}, Out: Webhook{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Update a webhook",
		Detail: "A JSON Merge Patch. Whoever changes where or what it sends, or enables it, is whom it acts for from then on.",
		Codes:  []string{CodeForbidden}},
	{ID: OpDeleteWebhook, Method: "DELETE", Path: "/v1/webhooks/{webhookId}", In: DeleteWebhook{}, Out: Nothing{},
		Scope: WebhooksManage, Effect: Lasting, Status: http.StatusNoContent, Tag: "Webhooks", Summary: "Delete a webhook",
		Detail: "It sends nothing more, what was waiting included."},
	{ID: OpEnableWebhook, Method: "POST", Path: "/v1/webhooks/{webhookId}/enable", In: EnableWebhook{}, Out: Webhook{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Enable a webhook",
		Detail: "Lets a webhook send again. What it missed is sent by recover.", Codes: []string{CodeForbidden}},
	{ID: OpRotateSecret, Method: "POST", Path: "/v1/webhooks/{webhookId}/rotate-secret", In: RotateSecret{}, Out: WebhookSecret{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Rotate a webhook's secret", Secret: true,
		Detail: "During the grace period each message carries both signatures. The secret is in this answer alone.",
		Codes:  []string{CodeReplaySecret}},
	{ID: OpTestWebhook, Method: "POST", Path: "/v1/webhooks/{webhookId}/test", In: TestWebhook{}, Out: WebhookTest{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Send a ping",
		Detail: "Sends a signed `ping` at once, to a webhook that is not enabled too, and answers with what came of it, within 15 " +
			"seconds."},
	{ID: OpListDeliveries, Method: "GET", Path: "/v1/webhooks/{webhookId}/deliveries", In: ListDeliveries{}, Out: Page[Delivery]{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "List what a webhook sent",
		Detail: "Newest first. Finished deliveries are kept as long as events are (30 days)."},
	{ID: OpRecoverDeliveries, Method: "POST", Path: "/v1/webhooks/{webhookId}/recover", In: RecoverDeliveries{}, Out: Recovered{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Send again what was missed",
		Detail: "Every delivery that failed since a time, and every event since then that was never queued because the webhook was not " +
			"enabled. Each keeps its `webhook-id`. At most 10,000 of each at once; call again for more.",
		Codes: []string{CodeWebhookDisabled}},
	{ID: OpGetDelivery, Method: "GET", Path: "/v1/deliveries/{deliveryId}", In: GetDelivery{}, Out: DeliveryDetail{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "View a delivery and its attempts"},
	{ID: OpRedeliver, Method: "POST", Path: "/v1/deliveries/{deliveryId}/redeliver", In: Redeliver{}, Out: Delivery{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Send a delivery again",
		Detail: "At once, whatever came of it before, with the same `webhook-id`.", Codes: []string{CodeWebhookDisabled}},
}

var byID = func() map[string]*Operation {
	m := make(map[string]*Operation, len(Operations))
	for i := range Operations {
		op := &Operations[i]
		if op.Status == 0 {
			op.Status = http.StatusOK
		}
		m[op.ID] = op
	}
	return m
}()

// Lookup returns the operation of that name. An unknown name is a mistake in the program and panics.
func Lookup(id string) *Operation {
	op, ok := byID[id]
	if !ok {
		panic("api: no operation " + id)
	}
	return op
}

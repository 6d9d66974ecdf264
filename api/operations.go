package api

import "net/http"

const batchDetail = ": one that is refused does not stop the others. The status is 200 with a result for each item, " +
	"in the order of the items: the status and the slice or the problem of the single operation. A slice that the caller cannot see " +
	"is 404 in its place. A list of items that is empty, too long or names a slice twice is refused as a whole.\n\n" +
	"A batch counts as one request for each item against the rate limit. A retry with the same Idempotency-Key returns the results " +
	"of the items that were carried out, and carries out the others."

// Operations has every operation of the API, in the order of the reference page.
var Operations = []Operation{
	{ID: OpGetMe, Method: "GET", Path: "/v1/me", In: GetMe{},
		Scope: UserRead, Effect: Reads, Tag: "Profile", Summary: "Who am I",
		Detail: "The caller: the user of a PAT, or the service of a WST, with the scopes and the expiry of the key."},

	{ID: OpListWorkspaces, Method: "GET", Path: "/v1/workspaces", In: ListWorkspaces{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "List workspaces",
		Detail: "The workspaces that the user is a member of, oldest first. A WST lists its own workspace."},
	{ID: OpCreateWorkspace, Method: "POST", Path: "/v1/workspaces", In: CreateWorkspace{},
		Scope: WorkspacesWrite, Effect: Lasting, Status: http.StatusCreated, Tag: "Workspaces",
		Summary: "Create a workspace",
		Detail:  "The calling user becomes its admin. A WST cannot create a workspace.",
		Codes:   []string{CodeForbidden, CodeWorkspaceKeyTaken}},
	{ID: OpGetWorkspace, Method: "GET", Path: "/v1/workspaces/{workspaceId}", In: GetWorkspace{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "View a workspace"},
	{ID: OpUpdateWorkspace, Method: "PATCH", Path: "/v1/workspaces/{workspaceId}", In: UpdateWorkspace{},
		Scope: WorkspacesWrite, Effect: Lasting, Tag: "Workspaces", Summary: "Update a workspace",
		Detail: "For the admins and the WSTs of the workspace. Send If-Match to change only the version that you have read.",
		Codes:  []string{CodeForbidden, CodePrecondition, CodeWorkspaceKeyTaken}},
	{ID: OpListMembers, Method: "GET", Path: "/v1/workspaces/{workspaceId}/members", In: ListMembers{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "List the members of a workspace",
		Detail: "Ordered by user id. Only workspace admins see e-mail addresses."},
	{ID: OpListLabels, Method: "GET", Path: "/v1/workspaces/{workspaceId}/labels", In: ListLabels{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "List the labels of a workspace",
		Detail: "The labels of its slices in alphabetical order, each with the number of slices that have it, counted to 1,000."},
	{ID: OpListReleases, Method: "GET", Path: "/v1/workspaces/{workspaceId}/releases", In: ListReleases{},
		Scope: SlicesRead, Effect: Reads, Tag: "Workspaces", Summary: "List the releases of a workspace",
		Detail: "Every release that reports of its slices or their fixes have named, the newest first. Versions are in the order of " +
			"semantic versions, such as `v1.2.3-rc.1` before `1.2.3`; other names are in the order in which they were first seen, and " +
			"stand between the versions by that time. Deleted slices do not count, but the times may be those of one.\n\n" +
			"Of more than 10,000 releases, those that were seen last are listed. Filters of slices take `newest` for the first one " +
			"that a report names. A version more than a hundred times above the next one, or a name above all versions, counts for " +
			"that from its second report on; the answer names those that were passed over."},
	{ID: OpGetStatistics, Method: "GET", Path: "/v1/workspaces/{workspaceId}/statistics", In: GetStatistics{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Workspaces", Summary: "View the statistics of a workspace",
		Media: []string{"text/markdown"},
		Detail: "Of a period of days in a time zone: slices that were opened and resolved by day, the times to resolve, and the most " +
			"frequent labels, releases and fingerprints; and the open slices by age. Deleted slices do not count.\n\n" +
			"The days are those of `timezone`. Labels, releases and fingerprints are of slices that were created in the period. " +
			"A list of them that is not `complete` counted only the newest part of the period."},

	{ID: OpListSpaces, Method: "GET", Path: "/v1/workspaces/{workspaceId}/spaces", In: ListSpaces{},
		Scope: SpacesRead, Effect: Reads, Tag: "Spaces", Summary: "List the spaces of a workspace",
		Detail: "Oldest first."},
	{ID: OpCreateSpace, Method: "POST", Path: "/v1/workspaces/{workspaceId}/spaces", In: CreateSpace{},
		Scope: SpacesWrite, Effect: Lasting, Status: http.StatusCreated, Tag: "Spaces", Summary: "Create a space"},
	{ID: OpGetSpace, Method: "GET", Path: "/v1/workspaces/{workspaceId}/spaces/{spaceId}", In: GetSpace{},
		Scope: SpacesRead, Effect: Reads, Tag: "Spaces", Summary: "View a space"},
	{ID: OpUpdateSpace, Method: "PATCH", Path: "/v1/workspaces/{workspaceId}/spaces/{spaceId}", In: UpdateSpace{},
		Scope: SpacesWrite, With: WorkspacesWrite, Effect: Lasting, Tag: "Spaces", Summary: "Update a space",
		Detail: "For the admins and the WSTs of the workspace. Send If-Match to change only the version that you have read.",
		Codes:  []string{CodeForbidden, CodePrecondition}},
	{ID: OpDeleteSpace, Method: "DELETE", Path: "/v1/workspaces/{workspaceId}/spaces/{spaceId}", In: DeleteSpace{},
		Scope: SpacesWrite, With: WorkspacesWrite, Effect: Lasting, Status: http.StatusNoContent, Tag: "Spaces",
		Summary: "Delete a space",
		Detail: "For the admins and the WSTs of the workspace. The bug reports of the space stay. They have no space from then on; " +
			"their versions and events follow in the background.", Codes: []string{CodeForbidden, CodePrecondition}},

	{ID: OpListViews, Method: "GET", Path: "/v1/views", In: ListViews{},
		Scope: SlicesRead, Effect: Reads, Tag: "Views", Summary: "List saved views",
		Detail: "The views of the workspaces that the caller sees, and those of the caller alone, oldest first.",
		Codes:  []string{CodeNotFound}},
	{ID: OpCreateView, Method: "POST", Path: "/v1/views", In: CreateView{},
		Scope: SlicesWrite, Effect: Lasting, Status: http.StatusCreated, Tag: "Views", Summary: "Save a view",
		Detail: "A view of a workspace is created by its admins and WSTs. A workspace and a user have at most 100 views each. " +
			"A query that cannot be parsed is refused with the position of each fault.",
		Codes: []string{CodeForbidden, CodeNotFound, CodeTooManyViews}},
	{ID: OpUpdateView, Method: "PATCH", Path: "/v1/views/{viewId}", In: UpdateView{},
		Scope: SlicesWrite, Effect: Lasting, Tag: "Views", Summary: "Update a view",
		Detail: "A JSON Merge Patch. A view of a workspace is changed by its admins and WSTs. Send If-Match to change only the version " +
			"that you have read.",
		Codes: []string{CodeForbidden, CodePrecondition}},
	{ID: OpDeleteView, Method: "DELETE", Path: "/v1/views/{viewId}", In: DeleteView{},
		Scope: SlicesWrite, Effect: Lasting, Status: http.StatusNoContent, Tag: "Views", Summary: "Delete a view",
		Detail: "A view of a workspace is deleted by its admins and WSTs.",
		Codes:  []string{CodeForbidden, CodePrecondition}},

	{ID: OpSearch, Method: "GET", Path: "/v1/search", In: Search{},
		Scope: SlicesRead, With: WorkspacesRead, Effect: Reads, Tag: "Slices", Summary: "Find records by a text",
		Media: []string{"text/markdown"},
		Detail: "For a search box that completes what is typed. Beginnings of words are compared with the summaries of the newest " +
			"1,000 slices; of older slices, the summary or the description contains all of the words. A text without letters and digits " +
			"finds nothing.",
		Codes: []string{CodeNotFound}},
	{ID: OpListSlices, Method: "GET", Path: "/v1/slices", In: ListSlices{},
		Scope: SlicesRead, Effect: Reads, Tag: "Slices", Summary: "List bug reports",
		Media: []string{"text/markdown"},
		Detail: "Newest first, unless `sort` or `order` says otherwise. Filters are combined by AND; " +
			"several values of one filter, separated by commas, are combined by OR. `not[status]=closed` leaves out the bug reports with " +
			"one of the values. A list for which the database needs more than a second is refused as `query_too_broad`.",
		Codes: []string{CodeNotFound, CodeTooBroad}},
	{ID: OpCountSlices, Method: "GET", Path: "/v1/slices/counts", In: CountSlices{},
		Scope: SlicesRead, Effect: Reads, Tag: "Slices", Summary: "Count bug reports",
		Media: []string{"text/markdown"},
		Detail: "The numbers of bug reports that the same filters list, by the values of one member. " +
			"Each value is counted to 1,000. The counts of at most 3,000 bug reports are complete, and so are those by status, priority " +
			"and severity, and those of the labels of all bug reports or of those with some statuses. Otherwise the newest 3,000 are " +
			"counted, and `more` is true for each value. Counts for which the database needs more than a second are refused as " +
			"`query_too_broad`.",
		Codes: []string{CodeNotFound, CodeTooBroad}},
	{ID: OpCreateSlice, Method: "POST", Path: "/v1/slices", In: CreateSlice{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusCreated, Tag: "Slices", Summary: "File a bug report",
		Detail: "Send an Idempotency-Key to make retries safe. The body may contain evidence of up to 10 MiB. " +
			"Secrets are removed from all of it before it is stored.\n\n" +
			"If a slice with the same `fingerprint` is open or in progress, the request counts an occurrence of that slice instead, " +
			"and the status is 200: `occurrenceCount` and `lastSeenAt` change, and evidence is stored for the first 10 occurrences. " +
			"With `keepClosed=true`, a bug that somebody has closed, or resolved other than as fixed, stays closed.",
		Codes: []string{CodeNotFound, CodeExternalIDTaken, CodeDailyLimit, CodeRedactionCost}, MaxBody: 10 << 20},
	{ID: OpGetSlice, Method: "GET", Path: "/v1/slices/{sliceId}", In: GetSlice{},
		Scope: SlicesRead, Effect: Reads, Tag: "Slices", Summary: "View a bug report",
		Detail: "With `Accept: text/markdown`, the report as compact Markdown for people and agents: environment, one time line of " +
			"actions, console and requests around each failure, requests that succeeded and look wrong, comments. " +
			"Text of others is fenced and labelled as untrusted. " +
			"The report is truncated to `maxTokens`, and says so.",
		Media: []string{"text/markdown"}},
	{ID: OpUpdateSlice, Method: "PATCH", Path: "/v1/slices/{sliceId}", In: UpdateSlice{},
		Scope: SlicesWrite, Effect: Content, Tag: "Slices", Summary: "Update a bug report",
		Detail: "A JSON Merge Patch. Send If-Match to change only the version that you have read. " +
			"A patch without a change keeps the version.",
		Codes: []string{CodeExternalIDTaken, CodePrecondition, CodeRedactionCost}},
	{ID: OpChangeSlice, Method: "POST", Path: "/v1/slices/{sliceId}/changes", In: ChangeSlice{},
		Scope: SlicesWrite, Effect: Content, Tag: "Slices", Summary: "Update, comment and mark duplicates at once",
		Detail: "All of it, or nothing: a refusal has the faults of all parts. With `dryRun`, the response says what would change, " +
			"and nothing is stored. `newest` as `fixedInRelease` is the newest release; a warning says when the bug was last seen in " +
			"the release of the fix. Send an Idempotency-Key to make retries safe.",
		Codes: []string{CodeExternalIDTaken, CodePrecondition, CodeRedactionCost}},
	{ID: OpDeleteSlice, Method: "DELETE", Path: "/v1/slices/{sliceId}", In: DeleteSlice{},
		Scope: SlicesDelete, Effect: Content, Status: http.StatusNoContent, Tag: "Slices",
		Summary: "Delete a bug report",
		Detail:  "The slice is hidden at once. It can be restored for 30 days, and is deleted for good afterwards.",
		Codes:   []string{CodePrecondition}},
	{ID: OpRestoreSlice, Method: "POST", Path: "/v1/slices/{sliceId}/restore", In: RestoreSlice{},
		Scope: SlicesDelete, Effect: Content, Tag: "Slices", Summary: "Restore a deleted bug report",
		Detail: "Restores a slice that was deleted in the last 30 days. A slice that is not deleted is returned unchanged.",
		Codes:  []string{CodeExternalIDTaken}},
	{ID: OpBatchUpdate, Method: "POST", Path: "/v1/slices/batch-update", In: BatchUpdateSlices{},
		Scope: SlicesWrite, Effect: Content, Tag: "Slices", Summary: "Update several bug reports",
		Detail: "Each item is carried out as the update of one bug report, in order" + batchDetail},
	{ID: OpBatchDelete, Method: "POST", Path: "/v1/slices/batch-delete", In: BatchDeleteSlices{}, Deletes: true,
		Scope: SlicesDelete, Effect: Content, Tag: "Slices", Summary: "Delete several bug reports",
		Detail: "Each item is carried out as the deletion of one bug report, in order" + batchDetail},
	{ID: OpBatchRestore, Method: "POST", Path: "/v1/slices/batch-restore", In: BatchRestoreSlices{},
		Scope: SlicesDelete, Effect: Content, Tag: "Slices", Summary: "Restore several deleted bug reports",
		Detail: "Each item is carried out as the restoration of one bug report, in order" + batchDetail},
	{ID: OpListOccurrences, Method: "GET", Path: "/v1/slices/{sliceId}/occurrences", In: ListOccurrences{},
		Scope: SlicesRead, Effect: Reads, Tag: "Slices", Summary: "List the occurrences of a bug",
		Detail: "Each report of the bug, newest first: the one that created the slice, and those that a fingerprint added to it."},

	{ID: OpListAttachments, Method: "GET", Path: "/v1/slices/{sliceId}/attachments", In: ListAttachments{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List the attachments of a bug report",
		Detail: "Oldest first."},
	{ID: OpCreateAttachment, Method: "POST", Path: "/v1/slices/{sliceId}/attachments", In: CreateAttachment{},
		Upload: true,
		Scope:  SlicesWrite, Effect: Content, Status: http.StatusCreated, Tag: "Evidence", Summary: "Attach a file",
		Detail: "The file is the body, with its `Content-Type` and a name in `Content-Disposition`, or the part of a " +
			"`multipart/form-data` body that has a filename. At most 100 MiB, unless the operator sets another limit. " +
			"Secrets are removed from text before it is stored. " +
			"Console, network (HAR), actions and replay are recognised by `kind`, or by their content.",
		Codes: []string{CodeTooLarge, CodeMediaType, CodeMalformedBody, CodeInvalidBody, CodeDigest,
			CodeRequestTimeout, CodeRedactionCost}},
	{ID: OpGetAttachment, Method: "GET", Path: "/v1/attachments/{attachmentId}", In: GetAttachment{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Download a file",
		Detail: "The bytes of the file, with `ETag` and ranges. A file that a browser could run is a download, in a sandbox.",
		Media:  []string{"*/*"}, Codes: []string{CodePrecondition, CodeRange}},
	{ID: OpGetThumbnail, Method: "GET", Path: "/v1/attachments/{attachmentId}/thumbnail", In: GetThumbnail{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Download the thumbnail of an image",
		Detail: "JPEG or PNG of at most 480 by 360 pixels.", Media: []string{"image/*"},
		Codes: []string{CodePrecondition, CodeRange}},
	{ID: OpUpdateAttachment, Method: "PATCH", Path: "/v1/attachments/{attachmentId}", In: UpdateAttachment{},
		Scope: SlicesWrite, Effect: Content, Tag: "Evidence", Summary: "Rename a file",
		Detail: "Changes its name and its kind. A file that was stored as evidence keeps its kind. With `reviewed`, somebody says " +
			"that a screenshot or a video shows no secret, or takes that back.",
		Codes: []string{CodeRedactionCost}},
	{ID: OpDeleteAttachment, Method: "DELETE", Path: "/v1/attachments/{attachmentId}", In: DeleteAttachment{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusNoContent, Tag: "Evidence", Summary: "Delete a file"},
	{ID: OpListConsole, Method: "GET", Path: "/v1/slices/{sliceId}/console", In: ListConsole{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List the console entries",
		Detail: "In the order in which they were captured. A page is made from a limited part of the evidence: " +
			"while `hasMore` is true it may have fewer than `limit` entries, or none."},
	{ID: OpListNetwork, Method: "GET", Path: "/v1/slices/{sliceId}/network", In: ListNetwork{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List the network requests",
		Detail: "In the order in which they were captured. A page is made from a limited part of the evidence: " +
			"while `hasMore` is true it may have fewer than `limit` entries, or none."},
	{ID: OpGetArchive, Method: "GET", Path: "/v1/slices/{sliceId}/network.har", In: GetArchive{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Download the network requests as HAR 1.2",
		Detail: "As they were captured, without secrets, of one report of the bug."},
	{ID: OpListActions, Method: "GET", Path: "/v1/slices/{sliceId}/actions", In: ListActions{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "List the actions of the user",
		Detail: "In the order in which they were captured. A page is made from a limited part of the evidence: " +
			"while `hasMore` is true it may have fewer than `limit` entries, or none."},
	{ID: OpGetReplay, Method: "GET", Path: "/v1/slices/{sliceId}/replay", In: GetReplay{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Download the replay",
		Detail: "The rrweb events of one report of the bug, as one list."},
	{ID: OpGetScreen, Method: "GET", Path: "/v1/slices/{sliceId}/screen", In: GetScreen{},
		Scope: SlicesRead, Effect: Reads, Tag: "Evidence", Summary: "Read what the page showed",
		Detail: "The text of the page at a moment of the replay of one report of the bug."},
	{ID: OpDryRun, Method: "POST", Path: "/v1/workspaces/{workspaceId}/redaction/dry-run", In: DryRun{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Evidence", Summary: "Test the redaction of a text",
		Detail: "Returns a text or evidence as it would be stored, by the rules of the workspace or by other rules. Nothing is stored.",
		Codes:  []string{CodeRedactionCost}, MaxBody: 10 << 20},
	{ID: OpTryRules, Method: "POST", Path: "/v1/workspaces/{workspaceId}/redaction/trial", In: TryRules{},
		Scope: SlicesRead, With: WorkspacesRead, Effect: Reads, Tag: "Evidence",
		Summary: "Try redaction rules on the newest bug reports",
		Detail: "What rules would remove from the texts of the newest 100 slices of the workspace: the form of each value, and " +
			"never the value. Nothing is stored, and nothing is removed.",
		Codes: []string{CodeRedactionCost}},
	{ID: OpGetRedactionCounts, Method: "GET", Path: "/v1/workspaces/{workspaceId}/redaction/counts",
		In:    GetRedactionCounts{},
		Scope: SlicesRead, With: WorkspacesRead, Effect: Reads, Tag: "Evidence",
		Summary: "Count what the rules of redaction remove",
		Detail:  "By rule, of the newest 100 slices, and how often somebody has said that it was no secret."},
	{ID: OpMarkRedaction, Method: "POST", Path: "/v1/slices/{sliceId}/redaction/marks", In: MarkRedaction{},
		Scope: SlicesWrite, Effect: Content, Tag: "Evidence", Summary: "Say that removed values were no secrets",
		Detail: "The mark is on a count of `redaction.byRule`, and is counted for the workspace. The values were not stored and do " +
			"not come back: an admin may switch the rule off."},

	{ID: OpListComments, Method: "GET", Path: "/v1/slices/{sliceId}/comments", In: ListComments{},
		Scope: SlicesRead, Effect: Reads, Tag: "Comments", Summary: "List the comments of a bug report",
		Media:  []string{"text/markdown"},
		Detail: "Oldest first."},
	{ID: OpCreateComment, Method: "POST", Path: "/v1/slices/{sliceId}/comments", In: CreateComment{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusCreated, Tag: "Comments",
		Summary: "Comment on a bug report",
		Codes:   []string{CodeRedactionCost}},
	{ID: OpUpdateComment, Method: "PATCH", Path: "/v1/comments/{commentId}", In: UpdateComment{},
		Scope: SlicesWrite, Effect: Content, Tag: "Comments", Summary: "Edit a comment",
		Detail: "Only the author may edit a comment.", Codes: []string{CodeForbidden, CodeRedactionCost}},
	{ID: OpDeleteComment, Method: "DELETE", Path: "/v1/comments/{commentId}", In: DeleteComment{},
		Scope: SlicesWrite, Effect: Content, Status: http.StatusNoContent, Tag: "Comments", Summary: "Delete a comment",
		Detail: "The author and the admins of the workspace may delete a comment.", Codes: []string{CodeForbidden}},
	{ID: OpSetReaction, Method: "POST", Path: "/v1/comments/{commentId}/reactions", In: SetReaction{},
		Scope: SlicesWrite, Effect: Content, Tag: "Comments", Summary: "React to a comment",
		Detail: "Adds a reaction of the user, or takes it back with `remove`. A repeated request changes nothing. " +
			"A WST cannot react: reactions are those of people.",
		Codes: []string{CodeForbidden}},
	{ID: OpListActivity, Method: "GET", Path: "/v1/slices/{sliceId}/activity", In: ListActivity{},
		Scope: SlicesRead, Effect: Reads, Tag: "Comments", Summary: "List the activity of a bug report",
		Media:  []string{"text/markdown"},
		Detail: "Every change with its actor, time, former and new values, oldest first."},
	{ID: OpListSimilar, Method: "GET", Path: "/v1/slices/{sliceId}/similar", In: ListSimilar{},
		Scope: SlicesRead, Effect: Reads, Tag: "Comments", Summary: "List similar bug reports",
		Media: []string{"text/markdown"},
		Detail: "Slices of the workspace that have rare words in common with this one, in summary, error messages and URL. " +
			"At most 25."},
	{ID: OpListSimilarToDraft, Method: "POST", Path: "/v1/slices/similar", In: ListSimilarToDraft{},
		Scope: SlicesRead, Effect: Reads, Tag: "Comments", Summary: "List bug reports that are similar to a draft",
		Media: []string{"text/markdown"},
		Detail: "The slices that would be similar to a report if it were filed. What filing would refuse is refused. " +
			"Nothing is stored. At most 25.",
		Codes: []string{CodeNotFound, CodeRedactionCost}},

	{ID: OpListShares, Method: "GET", Path: "/v1/slices/{sliceId}/shares", In: ListShares{},
		Scope: SlicesWrite, Effect: Reads, Tag: "Shares", Summary: "List the shares of a bug report",
		Detail: "Those that have neither expired nor been revoked, oldest first."},
	{ID: OpCreateShare, Method: "POST", Path: "/v1/slices/{sliceId}/shares", In: CreateShare{},
		Scope: SlicesWrite, Effect: Lasting, Proof: true, Status: http.StatusCreated, Secret: true,
		Tag: "Shares", Summary: "Share a bug report",
		Detail: "The link shows the summary, the description, the status, the environment, screenshots, videos and the replay, and the " +
			"chosen parts, to everybody who has it, until it expires or is revoked. It does not work while the slice is deleted, or its " +
			"creator has no right to the slice. A slice has at most 50 shares. The link is only in this response.",
		Codes: []string{CodeForbidden, CodeTooManyShares, CodeReplaySecret}},
	{ID: OpRevokeShare, Method: "DELETE", Path: "/v1/shares/{shareId}", In: RevokeShare{},
		Scope: SlicesWrite, Effect: Lasting, Status: http.StatusNoContent, Tag: "Shares", Summary: "Revoke a share",
		Detail: "The next request with the link is refused, and requests in progress end. Every member of the workspace may do this."},

	{ID: OpRecordTestRun, Method: "POST", Path: "/v1/tests/runs", In: RecordTestRun{},
		Scope: SlicesWrite, Effect: Content, Tag: "Tests", MaxBody: 4 << 20,
		Summary: "Count a run of tests",
		Detail: "How often the tests of a run passed, failed and were flaky, as `bugslice ci report` sends it. A run with more " +
			"tests is sent in parts. Counts are kept for 30 days, and no pass is stored by itself.",
		Codes: []string{CodeNotFound}},
	{ID: OpListTests, Method: "GET", Path: "/v1/tests", In: ListTests{},
		Scope: SlicesRead, Effect: Reads, Tag: "Tests", Summary: "List tests",
		Detail: "The tests of the runs of the last 30 days, with their runs by day and the slice that reports their failure.",
		Codes:  []string{CodeNotFound}},
	{ID: OpGetTestStatistics, Method: "GET", Path: "/v1/tests/statistics", In: GetTestStatistics{},
		Scope: SlicesRead, Effect: Reads, Tag: "Tests", Summary: "View the statistics of tests",
		Detail: "The runs of all tests in the last 30 days, by day and by suite.",
		Codes:  []string{CodeNotFound}},

	{ID: OpListNotices, Method: "GET", Path: "/v1/notices", In: ListNotices{}, Callers: UsersOnly,
		Scope: SlicesRead, Effect: Reads, Tag: "Inbox", Summary: "List notices",
		Detail: "What the user of a PAT is told, newest first: of bug reports that the user may read now. The user is told of mentions, " +
			"of assignments, of comments and statuses of bug reports that the user reported, has commented on, is assigned or was " +
			"mentioned in, and of what the user watches; never of what the user has done. A WST has no inbox. Notices that are done are " +
			"kept for 30 days, others for 90 days, and at most 10,000.",
		Codes: []string{CodeForbidden, CodeNotFound}},
	{ID: OpUpdateNotices, Method: "POST", Path: "/v1/notices/update", In: UpdateNotices{}, Callers: UsersOnly,
		Scope: SlicesWrite, Effect: Content, Tag: "Inbox", Summary: "Update notices",
		Detail: "Marks notices as read, unread, done or snoozed, by their ids, by their bug report, or up to one. `restored` with the " +
			"`at` of the response as `doneAt` undoes it.",
		Codes: []string{CodeForbidden, CodeNotFound}},
	{ID: OpListWatches, Method: "GET", Path: "/v1/watches", In: ListWatches{}, Callers: UsersOnly,
		Scope: SlicesRead, Effect: Reads, Tag: "Inbox", Summary: "List what the user watches",
		Detail: "What the user of a PAT has chosen to watch and to mute, by id.",
		Codes:  []string{CodeForbidden}},
	{ID: OpGetWatch, Method: "GET", Path: "/v1/watch", In: GetWatch{}, Callers: UsersOnly,
		Scope: SlicesRead, Effect: Reads, Tag: "Inbox", Summary: "View whether the user watches something",
		Detail: "A bug report, a view, a space or a workspace.",
		Codes:  []string{CodeForbidden, CodeNotFound}},
	{ID: OpSetWatch, Method: "POST", Path: "/v1/watch", In: SetWatch{}, Callers: UsersOnly,
		Scope: SlicesWrite, Effect: Content, Tag: "Inbox", Summary: "Watch or mute something",
		Detail: "A bug report, a view, a space or a workspace. The choice for a bug report counts before that for its space, " +
			"and that before the one for its workspace. A watched view tells of each bug report that it gets, once. A user " +
			"watches at most 20 views.",
		Codes: []string{CodeForbidden, CodeNotFound, CodeTooManyViews}},

	{ID: OpListKeys, Method: "GET", Path: "/v1/api-keys", In: ListKeys{},
		Scope: KeysManage, Effect: Reads, Tag: "API keys", Summary: "List API keys",
		Detail: "The PATs of the user and the WSTs of the workspaces that the user administers, oldest first. " +
			"A WST lists the WSTs of its workspace. Revoked keys are not listed."},
	{ID: OpCreateKey, Method: "POST", Path: "/v1/api-keys", In: CreateKey{},
		Scope: KeysManage, Effect: Lasting, Proof: true, Status: http.StatusCreated, Secret: true,
		Tag: "API keys", Summary: "Create an API key",
		Detail: "The new key has at most the scopes and the lifetime of the calling key. A WST creates only WSTs of its workspace. " +
			"The token is only in this response.",
		Codes: []string{CodeForbidden, CodeNotFound, CodeReplaySecret}},
	{ID: OpGetKey, Method: "GET", Path: "/v1/api-keys/{keyId}", In: GetKey{},
		Scope: KeysManage, Effect: Reads, Tag: "API keys", Summary: "View an API key"},
	{ID: OpRevokeSelf, Method: "DELETE", Path: "/v1/api-keys/self", In: RevokeSelf{},
		Scope: NoScope, Effect: Ending, Status: http.StatusNoContent, Tag: "API keys",
		Summary: "Revoke the calling key",
		Detail:  "A key may revoke itself, unless it files reports only. The next request with it is refused.",
		Codes:   []string{CodeForbidden}},
	{ID: OpRevokeKey, Method: "DELETE", Path: "/v1/api-keys/{keyId}", In: RevokeKey{},
		Scope: KeysManage, Effect: Lasting, Status: http.StatusNoContent, Tag: "API keys", Summary: "Revoke an API key",
		Detail: "The next request with any token of the key is refused, on every node."},
	{ID: OpRotateKey, Method: "POST", Path: "/v1/api-keys/{keyId}/rotate", In: RotateKey{},
		Scope: KeysManage, Effect: Lasting, Proof: true, Tag: "API keys", Summary: "Rotate an API key", Secret: true,
		Detail: "The key gets a new token and keeps its id. During the grace period the former token may still read, " +
			"and may write slices, comments and evidence; other operations are refused (`token_superseded`).",
		Codes: []string{CodeForbidden, CodeKeyExpired, CodeReplaySecret}},

	{ID: OpListEvents, Method: "GET", Path: "/v1/events", In: ListEvents{},
		Scope: NoScope, Effect: Reads, Tag: "Events", Summary: "List the events of a workspace",
		Detail: "Oldest first, in the order of commit: no event is ever added before one that was listed. " +
			"Store the id of the last event and send it as `after` to continue, within the retention of events (30 days). " +
			"A key reads the events whose subject its scopes read: `slices:read`, `workspaces:read`, `spaces:read`, " +
			"and for admins of the workspace `keys:manage` and `webhooks:manage`.\n\n" +
			"With `Accept: text/event-stream`, the same events as server-sent events, as they happen: " +
			"each with its `id`, its type as `event` and the event as `data`. Send the last id of a page as `after`, " +
			"or let the browser send `Last-Event-ID`, and no event is lost. The stream ends when the key ends.",
		Codes: []string{CodeNotFound, CodeEventsGone}, Media: []string{"text/event-stream"}},

	{ID: OpListWebhooks, Method: "GET", Path: "/v1/webhooks", In: ListWebhooks{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "List webhooks",
		Detail: "The webhooks of the workspaces that the user administers, oldest first. A WST lists the webhooks of its workspace.",
		Codes:  []string{CodeForbidden, CodeNotFound}},
	{ID: OpCreateWebhook, Method: "POST", Path: "/v1/webhooks", In: CreateWebhook{},
		Scope: WebhooksManage, Effect: Lasting, Proof: true, Status: http.StatusCreated,
		Tag: "Webhooks", Summary: "Create a webhook", Secret: true,
		Detail: "For the admins and the WSTs of the workspace, which may have 25 webhooks. " +
			"The webhook sends the events that the calling key may read, " +
			"until the key is revoked or its owner loses the right. The secret is only in this response.",
		Codes: []string{CodeForbidden, CodeNotFound, CodeTooManyWebhooks, CodeReplaySecret}},
	{ID: OpGetWebhook, Method: "GET", Path: "/v1/webhooks/{webhookId}", In: GetWebhook{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "View a webhook"},
	{ID: OpUpdateWebhook, Method: "PATCH", Path: "/v1/webhooks/{webhookId}", In: UpdateWebhook{},
		Scope: WebhooksManage, Effect: Lasting, Proof: true, Tag: "Webhooks", Summary: "Update a webhook",
		Detail: "A JSON Merge Patch. The webhook acts for the caller from then on if the patch changes its URL or its events, " +
			"or enables it. Send If-Match to change only the version that you have read.",
		Codes: []string{CodeForbidden, CodePrecondition}},
	{ID: OpDeleteWebhook, Method: "DELETE", Path: "/v1/webhooks/{webhookId}", In: DeleteWebhook{},
		Scope: WebhooksManage, Effect: Lasting, Status: http.StatusNoContent, Tag: "Webhooks",
		Summary: "Delete a webhook",
		Detail:  "Its pending deliveries are not sent.", Codes: []string{CodePrecondition}},
	{ID: OpEnableWebhook, Method: "POST", Path: "/v1/webhooks/{webhookId}/enable", In: EnableWebhook{},
		Scope: WebhooksManage, Effect: Lasting, Proof: true, Tag: "Webhooks", Summary: "Enable a webhook",
		Detail: "The webhook sends events again. Use recover for the events since it was disabled.",
		Codes:  []string{CodeForbidden}},
	{ID: OpRotateSecret, Method: "POST", Path: "/v1/webhooks/{webhookId}/rotate-secret", In: RotateSecret{},
		Scope: WebhooksManage, Effect: Lasting, Proof: true, Tag: "Webhooks", Summary: "Rotate a webhook's secret",
		Secret: true,
		Detail: "During the grace period each message has both signatures. The secret is only in this response.",
		Codes:  []string{CodeReplaySecret}},
	{ID: OpTestWebhook, Method: "POST", Path: "/v1/webhooks/{webhookId}/test", In: TestWebhook{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Send a ping",
		Detail: "Sends a signed `ping` at once, also for a webhook that is not enabled, and returns the result within 15 seconds."},
	{ID: OpListDeliveries, Method: "GET", Path: "/v1/webhooks/{webhookId}/deliveries", In: ListDeliveries{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "List the deliveries of a webhook",
		Detail: "Newest first. Finished deliveries have the retention of events (30 days)."},
	{ID: OpRecoverDeliveries, Method: "POST", Path: "/v1/webhooks/{webhookId}/recover", In: RecoverDeliveries{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Send missed events",
		Detail: "Queues every delivery since a time that has failed or waits for another attempt, and every event since then " +
			"that was not queued because the webhook was not enabled. Each has the same `webhook-id` as before. " +
			"At most 10,000 of each in one request; repeat the request for more.",
		Codes: []string{CodeWebhookDisabled}},
	{ID: OpGetDelivery, Method: "GET", Path: "/v1/deliveries/{deliveryId}", In: GetDelivery{},
		Scope: WebhooksManage, Effect: Reads, Tag: "Webhooks", Summary: "View a delivery and its attempts"},
	{ID: OpRedeliver, Method: "POST", Path: "/v1/deliveries/{deliveryId}/redeliver", In: Redeliver{},
		Scope: WebhooksManage, Effect: Lasting, Tag: "Webhooks", Summary: "Send a delivery again",
		Detail: "At once, whatever its status, with the same `webhook-id`.", Codes: []string{CodeWebhookDisabled}},

	{ID: OpListSources, Method: "GET", Path: "/v1/sources", In: ListSources{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Sources", Summary: "List sources of visitors' reports",
		Detail: "The sources of the workspaces that the user administers, oldest first. A WST lists the sources of its workspace.",
		Codes:  []string{CodeForbidden, CodeNotFound}},
	{ID: OpCreateSource, Method: "POST", Path: "/v1/sources", In: CreateSource{},
		Scope: WorkspacesWrite, Effect: Lasting, Status: http.StatusCreated, Tag: "Sources",
		Summary: "Create a source",
		Detail: "For the admins and the WSTs of the workspace, which may have 50 sources. Its key is public: the capture script on the " +
			"pages of the source files reports of visitors by it, and it does nothing else.",
		Codes: []string{CodeForbidden, CodeNotFound, CodeTooManySources}},
	{ID: OpGetSource, Method: "GET", Path: "/v1/sources/{sourceId}", In: GetSource{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Sources", Summary: "View a source"},
	{ID: OpUpdateSource, Method: "PATCH", Path: "/v1/sources/{sourceId}", In: UpdateSource{},
		Scope: WorkspacesWrite, Effect: Lasting, Tag: "Sources", Summary: "Update a source",
		Detail: "A JSON Merge Patch. `paused` takes effect at once on all nodes. Send If-Match to change only the version " +
			"that you have read.",
		Codes: []string{CodePrecondition}},
	{ID: OpDeleteSource, Method: "DELETE", Path: "/v1/sources/{sourceId}", In: DeleteSource{},
		Scope: WorkspacesWrite, Effect: Lasting, Status: http.StatusNoContent, Tag: "Sources", Summary: "Delete a source",
		Detail: "It takes no reports from then on. The reports of its visitors stay, also those that wait.",
		Codes:  []string{CodePrecondition}},
	{ID: OpRotateSourceSecret, Method: "POST", Path: "/v1/sources/{sourceId}/rotate-secret", In: RotateSourceSecret{},
		Scope: WorkspacesWrite, Effect: Lasting, Proof: true, Tag: "Sources", Summary: "Rotate a source's secret", Secret: true,
		Detail: "The first call creates it. During the grace period identities that are signed by either secret are good. " +
			"The secret is only in this response.",
		Codes: []string{CodeReplaySecret}},
	{ID: OpGetSourceUsage, Method: "GET", Path: "/v1/sources/{sourceId}/usage", In: GetSourceUsage{},
		Scope: WorkspacesRead, Effect: Reads, Tag: "Sources", Summary: "View the usage of a source",
		Detail: "What became of the reports of each day of UTC. A report counts for the day on which it arrived."},
	{ID: OpRemoveSourceReports, Method: "POST", Path: "/v1/sources/{sourceId}/remove-reports", In: RemoveSourceReports{},
		Scope: WorkspacesWrite, With: SlicesWrite, Effect: Lasting, Tag: "Sources", Summary: "Remove the reports of a source",
		Detail: "Everything that its visitors have reported since a time: waiting reports are deleted for good, slices as by " +
			"`deleteSlice`. A slice that somebody else has reported first stays. At most 1,000 of each at once; `more` says whether " +
			"the same request has more to remove."},
	{ID: OpListSubmissions, Method: "GET", Path: "/v1/submissions", In: ListSubmissions{},
		Scope: SlicesRead, Effect: Reads, Tag: "Sources", Summary: "List reports that wait",
		Detail: "Reports of visitors that wait for a decision, or were marked as spam or accepted lately, newest first. A source with " +
			"`approval` makes its reports wait.",
		Codes: []string{CodeNotFound}},
	{ID: OpDecideSubmissions, Method: "POST", Path: "/v1/submissions/batch-decide", In: DecideSubmissions{},
		Scope: SlicesWrite, Effect: Content, Tag: "Sources", Summary: "Decide about reports that wait",
		Detail: "Accepts them, marks them as spam, or lets them wait again, each on its own: the result of each is its state or " +
			"its problem."},
}

// OpGetSharedSlice reads the slice of a share.
const OpGetSharedSlice = "getSharedSlice"

// ShareOperations are the operations of a share alone. Pages offer them. They have no path, because /v1 does not.
var ShareOperations = []Operation{{ID: OpGetSharedSlice, Scope: SlicesRead, Effect: Reads}}

// Operations of the page of a reporter.
const (
	OpGetReporterPage  = "getReporterPage"
	OpAnswerAsReporter = "answerAsReporter"
	OpEraseAsReporter  = "eraseAsReporter"
)

// ReporterOperations are those of a visitor with the address of the page of a report. The page offers them. They have no path,
// because /v1 does not.
var ReporterOperations = []Operation{
	{ID: OpGetReporterPage, Scope: SlicesWrite, Effect: Reads},
	{ID: OpAnswerAsReporter, Scope: SlicesWrite, Effect: Content},
	{ID: OpEraseAsReporter, Scope: SlicesWrite, Effect: Content},
}

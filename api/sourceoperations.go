package api

import "net/http"

// The identifiers of the operations of sources.
const (
	OpListSources         = "listSources"
	OpCreateSource        = "createSource"
	OpGetSource           = "getSource"
	OpUpdateSource        = "updateSource"
	OpDeleteSource        = "deleteSource"
	OpRotateSourceSecret  = "rotateSourceSecret"
	OpGetSourceUsage      = "getSourceUsage"
	OpRemoveSourceReports = "removeSourceReports"
	OpListSubmissions     = "listSubmissions"
	OpDecideSubmissions   = "decideSubmissions"
)

// sourceOperations are the operations of sources and of the reports of their visitors that wait.
var sourceOperations = []Operation{
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

package api

// SubmissionState is where a report of a visitor is before it is a slice.
type SubmissionState string

// The states.
const (
	SubmissionWaiting  SubmissionState = "waiting"
	SubmissionSpam     SubmissionState = "spam"
	SubmissionAccepted SubmissionState = "accepted"
)

// Values lists the states.
func (SubmissionState) Values() []string {
	return names(SubmissionWaiting, SubmissionSpam, SubmissionAccepted)
}

// Submission is a report of a visitor that waits until a member accepts it. It is no slice: no list, count, search, notice or
// webhook has it.
type Submission struct {
	ID          string `json:"id" example:"sub_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// waiting: it is deleted after 30 days without a decision. spam: it is deleted after 7 days. accepted: it is a slice.
	State   SubmissionState `json:"state" grows:"true" example:"waiting"`
	Visitor Visitor         `json:"visitor"`
	Summary string          `json:"summary" maxLength:"200" example:"The cart is empty after I sign in" untrusted:"true"`
	// Markdown.
	Description *string `json:"description" maxLength:"65536" untrusted:"true"`
	// The page on which the bug was seen.
	SourceURL   *string     `json:"sourceUrl" maxLength:"2048" example:"https://shop.example.com/cart" untrusted:"true"`
	Environment Environment `json:"environment"`
	// The evidence and the files that came with it.
	Files []SubmissionFile `json:"files"`
	// The slice that it became; null unless it is accepted.
	SliceID   *string `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	CreatedAt Time    `json:"createdAt"`
	DecidedAt *Time   `json:"decidedAt"`
	// When it is deleted.
	ExpiresAt Time `json:"expiresAt"`
}

// SubmissionFile is a file of a submission.
type SubmissionFile struct {
	Kind AttachmentKind `json:"kind" example:"screenshot"`
	Name string         `json:"name" example:"screen.png" untrusted:"true"`
	Size int64          `json:"size" minimum:"0" example:"48213"`
}

// ListSubmissions returns reports of visitors that are no slices yet, newest first.
type ListSubmissions struct {
	Returns[Page[Submission]]
	Paging
	// Only submissions of this workspace. The default is every workspace of the caller.
	WorkspaceID string          `query:"workspaceId"`
	State       SubmissionState `query:"state" default:"waiting"`
	// Only submissions of this source.
	SourceID string `query:"sourceId" id:"src"`
}

// DecideSubmissions accepts reports of visitors, marks them as spam, or lets them wait again.
type DecideSubmissions struct {
	Returns[DecidedSubmissions]
	Body DecideFields
}

// DecideFields is the body of DecideSubmissions.
type DecideFields struct {
	// At most 100 submissions of workspaces that the caller sees.
	// Example: ["sub_01ja8m2c9tf3qb6h0v5r4x7kyz"]
	IDs []string `json:"ids" create:"required" minItems:"1" maxItems:"100" uniqueItems:"true"`
	// accepted: it becomes a slice. spam: it is deleted after 7 days. waiting: it waits again; the slice of an accepted one is
	// deleted, and restored when it is accepted again.
	State SubmissionState `json:"state" create:"required" example:"accepted"`
}

// Size returns the number of the submissions.
func (d DecideSubmissions) Size() int { return len(d.Body.IDs) }

// DecidedSubmissions are the results of DecideSubmissions, in the order of the ids.
type DecidedSubmissions struct {
	Results []DecidedSubmission `json:"results"`
}

// DecidedSubmission is the result for one submission: its state, or the problem why it has not changed.
type DecidedSubmission struct {
	ID string `json:"id" example:"sub_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// 200, or the status of the problem.
	Status int64            `json:"status" minimum:"200" maximum:"599" example:"200"`
	State  *SubmissionState `json:"state" grows:"true" example:"accepted"`
	// The slice that it became; of an occurrence, the slice that has it.
	SliceID   *string  `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Reference *string  `json:"reference" example:"WEB-42"`
	Problem   *Problem `json:"problem"`
}

package api

import "reflect"

// Workspace contains slices and spaces, and has members who see them.
type Workspace struct {
	ID             string `json:"id" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	OrganizationID string `json:"organizationId" example:"org_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceFields
	// Increases with every change of the WorkspaceFields. The ETag is made from it.
	Version   int64 `json:"version" minimum:"1" example:"1"`
	CreatedAt Time  `json:"createdAt"`
	UpdatedAt Time  `json:"updatedAt"`
}

// WorkspaceFields are the members of a workspace that clients write.
type WorkspaceFields struct {
	// Begins the references of the workspace's slices: WEB for WEB-42. It is unique in the organisation, and derived
	// from the name by default. A former key stays reserved for the workspace, and references with it keep working.
	Key         string  `json:"key" minLength:"2" maxLength:"6" pattern:"^[A-Z][A-Z0-9]*$" example:"SHOP"`
	Name        string  `json:"name" create:"required" minLength:"1" maxLength:"100" pattern:"\\S" name:"true" example:"Web shop"`
	Description *string `json:"description" maxLength:"2000" example:"Everything the customer sees" untrusted:"true"`
	// The time zone of the workspace's statistics, by its name in the IANA database. The default is UTC.
	TimeZone string `json:"timeZone" minLength:"1" maxLength:"100" example:"Europe/Stockholm"`
	// The names of metadata by which the slices of the workspace can be filtered: at most 20. A filter by another one
	// is refused.
	// Example: ["orderId","tenant"]
	MetadataKeys []string `json:"metadataKeys" maxItems:"20" uniqueItems:"true" minLength:"1" maxLength:"100" pattern:"^[A-Za-z0-9_./-]+$"`
	// Whether pictures and videos are stored with their metadata: the position, the time, the device and its owner.
	// By default it is removed when they are uploaded.
	KeepFileMetadata bool `json:"keepFileMetadata"`
	// The templates of the form of a new report: at most 10, each with a name of its own.
	ReportTemplates []ReportTemplate `json:"reportTemplates" maxItems:"10"`
	// The colors of labels that were chosen, by the label: at most 100. Another label has one that follows from its name.
	// Example: {"checkout":"orange"}
	LabelColors map[string]LabelColor `json:"labelColors" maxProperties:"100" nameLength:"50" untrusted:"true"`
	// What mails about the workspace have: full for titles, names and the text of comments, or link for references and links
	// alone. The default is full.
	MailContent MailContent `json:"mailContent" example:"full"`
	// The rules by which secrets are removed from slices and their evidence, in addition to the built-in rules.
	Redaction RedactionRules `json:"redaction"`
}

// ReportTemplate is what the form of a new report begins with when somebody chooses it.
type ReportTemplate struct {
	Name string `json:"name" create:"required" minLength:"1" maxLength:"50" pattern:"\\S" name:"true" example:"Crash"`
	// The beginning of the summary.
	Summary string `json:"summary" maxLength:"100" example:"Crash: " untrusted:"true"`
	// Markdown.
	Description string `json:"description" maxLength:"4000" example:"## Steps\n\n## Expected\n\n## Actual" untrusted:"true"`
	// Labels contain no comma.
	Labels   []string  `json:"labels" maxItems:"20" uniqueItems:"true" maxLength:"50" pattern:"^[^,\\x00-\\x1f]+$" untrusted:"true"`
	Priority *Priority `json:"priority" example:"high"`
	// The members that the form does not leave empty. They bind people who have chosen the template, and no client of
	// the API, which cannot know what an admin has added.
	// Example: ["description","severity"]
	Required []RequiredMember `json:"required" maxItems:"7" uniqueItems:"true"`
}

// LabelColor is the color of a label.
type LabelColor string

// Values lists the colors.
func (LabelColor) Values() []string {
	return []string{"violet", "pink", "red", "orange", "yellow", "green", "teal", "blue"}
}

// RequiredMember is a member of a slice that a template can require.
type RequiredMember string

// Values lists the members.
func (RequiredMember) Values() []string {
	return []string{"description", "priority", "severity", "assigneeId", "spaceId", "labels", "sourceUrl"}
}

// WorkspacePatch is a merge patch of a workspace.
type WorkspacePatch map[string]any

// Of returns the type whose members the patch changes.
func (WorkspacePatch) Of() reflect.Type { return reflect.TypeFor[WorkspaceFields]() }

// ListWorkspaces returns the workspaces that the caller can see, oldest first.
type ListWorkspaces struct {
	Returns[Page[Workspace]]
	Paging
}

// CreateWorkspace creates a workspace. The user of the key becomes its admin.
type CreateWorkspace struct {
	Returns[Workspace]
	Idempotency
	Body WorkspaceFields
}

// GetWorkspace returns one workspace.
type GetWorkspace struct {
	Returns[Workspace]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
}

// UpdateWorkspace changes a workspace by a JSON Merge Patch.
type UpdateWorkspace struct {
	Returns[Workspace]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	// The ETag on which the change is based. When the workspace has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
	Patch   WorkspacePatch
}

// Role is the role of a user in an organisation or a workspace.
type Role string

// The roles. Only organisations have owners.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// Member is a user who is a member of a workspace.
type Member struct {
	UserID string `json:"userId" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name   string `json:"name" example:"Mara Lindqvist" untrusted:"true"`
	// Only shown to admins of the workspace; null for all others.
	Email *string `json:"email" example:"mara@example.com"`
	Role  Role    `json:"role" enum:"admin,member" example:"member"`
}

// ListMembers returns the members of a workspace, sorted by user id.
type ListMembers struct {
	Returns[Page[Member]]
	Paging
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	// Only members whose name has, for each of these words, a word that begins with it. Case and accents are ignored.
	Q string `query:"q" maxLength:"100"`
	// Only the member with this e-mail address. Admins of the workspace alone see addresses; for others no member has
	// one.
	Email string `query:"email" maxLength:"254"`
}

// ListLabels returns the labels of a workspace's slices in the order of their characters.
type ListLabels struct {
	Returns[Page[LabelCount]]
	Paging
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	// Only labels that have, for each of these words, a word that begins with it. Case and accents are ignored.
	Q string `query:"q" maxLength:"100"`
}

// LabelCount is a label with the number of slices that have it.
type LabelCount struct {
	Label string `json:"label" example:"checkout" untrusted:"true"`
	// At most 1000.
	Count int64 `json:"count" minimum:"1" maximum:"1000" example:"17"`
	// Whether more slices have the label.
	More bool `json:"more"`
}

// Space is a group of slices in a workspace.
type Space struct {
	ID          string `json:"id" example:"spc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	SpaceFields
	// Increases with every change. The ETag is made from it.
	Version   int64 `json:"version" minimum:"1" example:"1"`
	CreatedAt Time  `json:"createdAt"`
	UpdatedAt Time  `json:"updatedAt"`
}

// SpaceFields are the members of a space that clients write.
type SpaceFields struct {
	Name string `json:"name" redact:"text" create:"required" minLength:"1" maxLength:"100" pattern:"\\S" name:"true" example:"Checkout"`

	Description *string `json:"description" redact:"text" maxLength:"2000" example:"From cart to receipt" untrusted:"true"`
}

// SpacePatch is a merge patch of a space.
type SpacePatch map[string]any

// Of returns the type whose members the patch changes.
func (SpacePatch) Of() reflect.Type { return reflect.TypeFor[SpaceFields]() }

// ListSpaces returns the spaces of a workspace, oldest first.
type ListSpaces struct {
	Returns[Page[Space]]
	Paging
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	// Only spaces whose name has, for each of these words, a word that begins with it. Case and accents are ignored.
	Q string `query:"q" maxLength:"100"`
}

// CreateSpace creates a space in a workspace.
type CreateSpace struct {
	Returns[Space]
	Idempotency
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	Body        SpaceFields
}

// GetSpace returns one space.
type GetSpace struct {
	Returns[Space]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	SpaceID     string `path:"spaceId" id:"spc"`
}

// UpdateSpace changes a space by a JSON Merge Patch.
type UpdateSpace struct {
	Returns[Space]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	SpaceID     string `path:"spaceId" id:"spc"`
	// The ETag on which the change is based. When the space has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
	Patch   SpacePatch
}

// DeleteSpace deletes a space, and leaves its slices without a space.
type DeleteSpace struct {
	Returns[Nothing]
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	SpaceID     string `path:"spaceId" id:"spc"`
	// The ETag on which the deletion is based. When the space has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
}

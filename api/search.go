package api

// Search finds records by a text, as one types it.
type Search struct {
	Returns[SearchResults]
	// A reference, or words of names and summaries; the last word may be the beginning of one. Case and accents are
	// ignored.
	Q string `query:"q" maxLength:"200"`
	// Only slices and members of this workspace, and views that its members see. The default is every workspace of
	// the caller.
	WorkspaceID string `query:"workspaceId"`
}

// MaxFoundSlices is how many slices a search finds at most.
const MaxFoundSlices = 8

// SearchResults are the records that a text finds.
type SearchResults struct {
	// At most 8: the slice with the reference, and the newest ones with the words.
	Slices []FoundSlice `json:"slices"`
	// At most 5 members of the workspaces.
	Members []FoundMember `json:"members"`
	// At most 5.
	Workspaces []FoundWorkspace `json:"workspaces"`
	// At most 5.
	Views []View `json:"views"`
}

// FoundSlice is a slice that a search found.
type FoundSlice struct {
	ID          string `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Reference   string `json:"reference" example:"WEB-42"`
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Summary     string `json:"summary" example:"Checkout button does nothing in Firefox" untrusted:"true"`
	Status      Status `json:"status" example:"open"`
	URL         string `json:"url" example:"https://bugs.example.com/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
}

// FoundMember is a member whom a search found.
type FoundMember struct {
	UserID string `json:"userId" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name   string `json:"name" example:"Mara Lindqvist" untrusted:"true"`
	// Only for admins of a workspace of the member.
	Email *string `json:"email" example:"mara@example.com"`
}

// FoundWorkspace is a workspace that a search found.
type FoundWorkspace struct {
	ID   string `json:"id" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Key  string `json:"key" example:"WEB"`
	Name string `json:"name" example:"Web shop" untrusted:"true"`
}

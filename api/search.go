package api

// Search finds records by a text, as one types it.
type Search struct {
	Returns[SearchResults]
	// A reference, or words of names and summaries, which may be the beginnings of words, or whole words of all texts
	// of slices: descriptions, errors, addresses of failed requests, comments, names of files, labels and identifiers.
	// The last word, from three letters on, may begin words of these texts, too. Case and accents are ignored.
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
	// Why it was found: at most 3 parts with the words. Of a slice with very many comments, old ones are left out.
	Matches []Match `json:"matches"`
}

// Match is a part of a slice with words that were looked for.
type Match struct {
	In MatchedPart `json:"in" example:"error"`
	// Of the part, as it is stored, with the words: at most 160 characters. It is text of those who wrote the slice.
	Text string `json:"text" example:"TypeError: Cannot read properties of null (reading 'percent')" untrusted:"true"`
	// The words in the text that were looked for, as they stand there: at most 12.
	Words []string `json:"words" untrusted:"true"`
}

// MatchedPart is a part of a slice in which words are found.
type MatchedPart string

// The parts.
const (
	MatchReference   MatchedPart = "reference"
	MatchSummary     MatchedPart = "summary"
	MatchDescription MatchedPart = "description"
	MatchError       MatchedPart = "error" // a message of the console
	MatchURL         MatchedPart = "url"   // the address of a failed request, or of the page
	MatchComment     MatchedPart = "comment"
	MatchFile        MatchedPart = "file" // the name of one
	MatchLabel       MatchedPart = "label"
	MatchIdentifier  MatchedPart = "identifier" // the external identifier or the fingerprint
)

// Values lists the parts.
func (MatchedPart) Values() []string {
	return names(MatchReference, MatchSummary, MatchDescription, MatchError, MatchURL, MatchComment, MatchFile,
		MatchLabel, MatchIdentifier)
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

package query

// The words of terms.
const (
	Workspace   = "workspace"
	Space       = "space"
	Status      = "status"
	Resolution  = "resolution"
	Priority    = "priority"
	Severity    = "severity"
	Label       = "label"
	Assignee    = "assignee"
	Reporter    = "reporter"
	Mentions    = "mentions"
	Duplicate   = "duplicate"
	Fingerprint = "fingerprint"
	Release     = "release"
	LastRelease = "last-release"
	FixedIn     = "fixed-in"
	Browser     = "browser"
	OS          = "os"
	Viewport    = "viewport"
	Number      = "number"
	Created     = "created"
	Updated     = "updated"
	Resolved    = "resolved"
	Has         = "has"
	Sort        = "sort"

	metadata = "metadata." // and a name of metadata
)

func isDate(word string) bool { return word == Created || word == Updated || word == Resolved }

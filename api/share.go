package api

// SharePart is a part of a slice that a share shows only when it was chosen.
type SharePart string

// The parts.
const (
	ShareConsole  SharePart = "console"
	ShareNetwork  SharePart = "network"
	ShareComments SharePart = "comments"
)

// Values lists the parts.
func (SharePart) Values() []string { return names(ShareConsole, ShareNetwork, ShareComments) }

// Share is a link with which people without an account read a slice: its summary, description, status and
// environment, its screenshots, videos and replay, and the parts that were chosen.
type Share struct {
	ID      string `json:"id" example:"shr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	SliceID string `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The parts that the share shows.
	Parts     []SharePart `json:"parts" example:"[\"console\"]"`
	CreatedBy KeyMaker    `json:"createdBy"`
	CreatedAt Time        `json:"createdAt"`
	ExpiresAt Time        `json:"expiresAt"`
	// Whether the link works. It does not while its creator has no right to the slice: the user has left the
	// workspace or is disabled, or the key was revoked or has expired.
	Active bool `json:"active"`
	// How often the link was opened. Requests of one address within 30 minutes count once.
	Openings int64 `json:"openings" minimum:"0" example:"3"`
	// When the link was last opened; null when it never was.
	LastOpenedAt *Time `json:"lastOpenedAt"`
}

// NewShare is a share with its link.
type NewShare struct {
	Share
	// The link. Only this response contains it.
	URL string `json:"url" example:"https://bugs.example.com/s/svc_shr_4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2KfXr8sTq5vYb0Nc1aE7z"`
}

// ShareFields is the body of CreateShare.
type ShareFields struct {
	// The parts that the share shows; none by default.
	Parts []SharePart `json:"parts" uniqueItems:"true" example:"[\"console\"]"`
	// A time in the future, at most 365 days ahead. The default is in 7 days. The share ends earlier when its creator
	// loses the right to the slice.
	ExpiresAt *Time `json:"expiresAt,omitempty" nullable:"true"`
}

// ListShares returns the shares of a slice that have neither expired nor been revoked, oldest first.
type ListShares struct {
	Returns[Page[Share]]
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}

// CreateShare shares a slice.
type CreateShare struct {
	Returns[NewShare]
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
	Body    ShareFields
}

// RevokeShare revokes a share.
type RevokeShare struct {
	Returns[Nothing]
	ShareID string `path:"shareId" id:"shr"`
}

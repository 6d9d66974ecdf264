package api

// NewestRelease is the value of filters by releases that stands for the newest release of a workspace.
const NewestRelease = "newest"

// ListReleases returns the releases of a workspace, the newest first.
type ListReleases struct {
	Returns[Page[Release]]
	Paging
	WorkspaceID string `path:"workspaceId" id:"wsp"`
}

// Release is a release that slices of a workspace name: in a report, or as the one with which the bug is gone. Deleted
// slices do not count.
type Release struct {
	Name string `json:"name" example:"2026.11.3" untrusted:"true"`
	// When a report first named the release; null for one that only fixedInRelease names.
	FirstSeenAt *Time `json:"firstSeenAt"`
	// When a report last named the release.
	LastSeenAt *Time `json:"lastSeenAt"`
	// Slices that were first reported with the release.
	FirstSeenCount int64 `json:"firstSeenCount" minimum:"0" example:"7"`
	// Slices of which a report names the release. Of later reports, a slice counts for the 100 releases that it was
	// last seen with.
	SeenCount int64 `json:"seenCount" minimum:"0" example:"19"`
	// Slices that are fixed in the release.
	FixedCount int64 `json:"fixedCount" minimum:"0" example:"4"`
}

// ChosenRelease is the release for which newest stands.
type ChosenRelease struct {
	Name string `json:"name" example:"2026.11.3" untrusted:"true"`
	// version: it has the highest version of the releases that reports have named. first_seen: it is no version, and
	// was first seen after every version and every other release.
	ChosenBy string `json:"chosenBy" enum:"version,first_seen" grows:"true" example:"version"`
	// The releases that stand before it in the list of releases and do not count, at most 10: one report alone names them,
	// and they are far from the others. That is a version of which a part is more than a hundred times as high, or a
	// name beside versions.
	PassedOver []string `json:"passedOver" untrusted:"true"`
}

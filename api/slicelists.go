package api

// ListSlices returns a page of the slices that the caller can see.
type ListSlices struct {
	Returns[Page[Slice]]
	Paging
	Chosen[SliceMember]
	SliceFilters
	// The member by which the list is sorted. A list by priority is of one workspace, and slices of one priority are
	// sorted by createdAt. A slice whose updatedAt or priority changes while a list by it is read may be on several
	// pages or on none.
	Sort string `query:"sort" enum:"createdAt,updatedAt,priority" default:"createdAt"`
	// Newest first (desc) or oldest first (asc). By priority, urgent first and no priority last (desc), or the
	// reverse (asc).
	Order string `query:"order" enum:"desc,asc" default:"desc"`
}

// SliceFilters select slices. Filters are combined by AND, the values of one filter by OR.
type SliceFilters struct {
	// Only slices of this workspace. The default is the workspace of a WST, and every workspace of the user of a PAT.
	WorkspaceID string `query:"workspaceId"`
	// Only slices in one of these spaces; none selects the slices without a space.
	SpaceID []string `query:"spaceId" ids:"spc" also:"none"`
	// Only slices in one of these statuses.
	Status []Status `query:"status"`
	// Only slices that are resolved or closed for one of these reasons.
	Resolution []Resolution `query:"resolution"`
	// Only slices with one of these priorities; none selects the slices without a priority.
	Priority []PriorityFilter `query:"priority"`
	// Only slices with one of these severities; none selects the slices without a severity.
	Severity []SeverityFilter `query:"severity"`
	// Only slices with at least one of these labels.
	Label []string `query:"label"`
	// Only slices without labels.
	WithoutLabels bool `query:"withoutLabels"`
	// Only slices assigned to one of these users; me is the caller, none selects the slices without an assignee.
	AssigneeID []string `query:"assigneeId" ids:"usr" also:"me,none"`
	// Only slices reported by one of these users or keys; me is the caller, visitor selects those that visitors of sources
	// filed.
	ReporterID []string `query:"reporterId" ids:"usr,key" also:"me,visitor"`
	// Only slices with a comment or a description that mentions one of these users, who are members of one of the
	// workspaces; me is the caller.
	Mentions []string `query:"mentions" ids:"usr" also:"me"`
	// Only slices that are duplicates of one of these slices, or of a duplicate of it.
	DuplicateOfID []string `query:"duplicateOfId" ids:"slc"`
	// Only slices with one of these external ids.
	ExternalID []string `query:"externalId" word:"external"`
	// Only slices with one of these fingerprints.
	Fingerprint []string `query:"fingerprint" word:"fingerprint"`
	// Only slices that were first reported with one of these releases; newest is the newest release of the workspace,
	// which is then required.
	Release []string `query:"release" word:"release"`
	// The same as release.
	FirstRelease []string `query:"firstRelease" word:"first-release"`
	// Only slices whose last report names one of these releases; newest is the newest release of the workspace.
	LastRelease []string `query:"lastRelease" word:"last-release"`
	// Only slices that are fixed in one of these releases; newest is the newest release of the workspace.
	FixedInRelease []string `query:"fixedInRelease" word:"fixed-in"`
	// Only slices that were first reported with one of these browsers, such as "Chrome 156". An asterisk at the end
	// means every one that begins so: Chrome*. The same holds for os, release, firstRelease and lastRelease.
	Browser []string `query:"browser" word:"browser"`
	// Only slices that were first reported on one of these operating systems.
	OS []string `query:"os" word:"os"`
	// Only slices that were first reported with one of these sizes of the window, such as "1280x800".
	Viewport []string `query:"viewport" word:"viewport"`
	// Only slices that visitors filed by one of these sources, each by its id or by its name at that time.
	Source []string `query:"source" word:"source"`
	// Only slices with one of these values of a name in their metadata: metadata[orderId]=4711. The name must be one
	// of the metadataKeys of a workspace; slices of workspaces without it are left out.
	Metadata map[string][]string `query:"metadata" maxProperties:"20" maxLength:"500" nameLength:"100"`
	// Only slices with at least one of these kinds of evidence.
	Has []EvidenceFilter `query:"has"`
	// Only the slice with this number, in each workspace.
	Number int `query:"number" minimum:"1" maximum:"2147483647"`
	// Only the slices with these references, such as WEB-42: in capital or small letters, with a key that the
	// workspace has or had.
	Reference []string `query:"reference" maxLength:"20"`
	// Only slices created at or after this time.
	CreatedAfter *Time `query:"createdAfter"`
	// Only slices created before this time.
	CreatedBefore *Time `query:"createdBefore"`
	// Only slices updated at or after this time.
	UpdatedAfter *Time `query:"updatedAfter"`
	// Only slices updated before this time.
	UpdatedBefore *Time `query:"updatedBefore"`
	// Only slices resolved or closed at or after this time, that still are.
	ResolvedAfter *Time `query:"resolvedAfter"`
	// Only slices resolved or closed before this time, that still are.
	ResolvedBefore *Time `query:"resolvedBefore"`
	// Only slices that have all of these words: in their summary, description, comments, labels, number, external id,
	// fingerprint, names of files, or in the errors of the evidence they were reported with, which are messages and
	// the addresses of failed requests. A reference, such as WEB-161, also finds the slice that it names. Case and
	// accents are ignored. A word with an asterisk at its end, such as check*, means every word that begins so: with
	// at least 2 letters or digits; so does the last word unless it is in quotes. A text that is one reference or number
	// puts the slices that it names first. (timeout OR crash) needs one of the words, and -timeout leaves out. Terms
	// such as status:open, created:7d, no:assignee and sort:updated are those of the search box (the guide of searches
	// has all); one that another parameter gives, too, is refused.
	Q string `query:"q" maxLength:"2000"`
	// The values of slices that are left out.
	Not Exclusions `query:"not"`
}

// Exclusions leave out the slices with any of their values: not[status]=closed. Other filters are combined with them
// by AND.
type Exclusions struct {
	// No slices in one of these spaces; none leaves out the slices without a space.
	SpaceID []string `query:"spaceId" ids:"spc" also:"none"`
	// No slices in one of these statuses.
	Status []Status `query:"status"`
	// No slices that are resolved or closed for one of these reasons.
	Resolution []Resolution `query:"resolution"`
	// No slices with one of these priorities; none leaves out the slices without a priority.
	Priority []PriorityFilter `query:"priority"`
	// No slices with one of these severities; none leaves out the slices without a severity.
	Severity []SeverityFilter `query:"severity"`
	// No slices with one of these labels.
	Label []string `query:"label"`
	// No slices without labels.
	WithoutLabels bool `query:"withoutLabels"`
	// No slices assigned to one of these users; me is the caller, none leaves out the slices without an assignee.
	AssigneeID []string `query:"assigneeId" ids:"usr" also:"me,none"`
	// No slices reported by one of these users or keys; me is the caller, visitor leaves out those that visitors filed.
	ReporterID []string `query:"reporterId" ids:"usr,key" also:"me,visitor"`
	// No slices with a comment or a description that mentions one of these users; me is the caller.
	Mentions []string `query:"mentions" ids:"usr" also:"me"`
	// No slices that were first reported with one of these releases; newest is the newest release of the workspace.
	Release []string `query:"release" word:"release"`
	// The same as release.
	FirstRelease []string `query:"firstRelease" word:"first-release"`
	// No slices whose last report names one of these releases; newest is the newest release of the workspace.
	LastRelease []string `query:"lastRelease" word:"last-release"`
	// No slices that are fixed in one of these releases; newest is the newest release of the workspace.
	FixedInRelease []string `query:"fixedInRelease" word:"fixed-in"`
	// No slices that were first reported with one of these browsers, such as "Chrome 156".
	Browser []string `query:"browser" word:"browser"`
	// No slices that were first reported on one of these operating systems.
	OS []string `query:"os" word:"os"`
	// No slices that were first reported with one of these sizes of the window, such as "1280x800".
	Viewport []string `query:"viewport" word:"viewport"`
	// No slices that visitors filed by one of these sources.
	Source []string `query:"source" word:"source"`
	// No slices with one of these values of a name in their metadata: not[metadata][orderId]=4711. The names are
	// those of the filter metadata; slices of workspaces without one of them are left out.
	Metadata map[string][]string `query:"metadata" maxProperties:"20" maxLength:"500" nameLength:"100"`
	// No slices with one of these kinds of evidence.
	Has []EvidenceFilter `query:"has"`
	// No slices that have one of these words where q looks for them, or a word that begins like one with an asterisk
	// at its end. The words are separated by spaces; one that is several words for the search, such as e-mail, is
	// refused, unless it is a reference.
	Q string `query:"q" maxLength:"2000"`
}

// CountSlices counts the slices that the caller can see by the values of one of their members.
type CountSlices struct {
	Returns[SliceCounts]
	SliceFilters
	// The member.
	By CountedMember `query:"by" default:"status"`
}

// CountedMember is a member by whose values slices are counted.
type CountedMember string

// Values lists the members.
func (CountedMember) Values() []string {
	return []string{"status", "priority", "severity", "label", "assignee", "space", "release", "reporter", "resolution",
		"browser", "os"}
}

// SliceCounts are the numbers of slices by the values of a member: at most 50 values. Statuses, priorities and
// severities have the order of their definition, other values that of their counts.
type SliceCounts struct {
	Data []SliceCount `json:"data"`
	// Whether there may be further values.
	More bool `json:"more"`
	// The release for which newest stands in the filters; only when they have the word and reports name a release.
	NewestRelease *ChosenRelease `json:"newestRelease,omitempty"`
}

// SliceCount is the number of slices with a value.
type SliceCount struct {
	// A status, a priority, a severity, a label, the id of a user, of a key that reported, or of a space, a release, a
	// resolution, a browser or an operating system; null for slices without one.
	Value *string `json:"value" example:"open" untrusted:"true"`
	// At most 1000.
	Count int64 `json:"count" minimum:"1" maximum:"1000" example:"17"`
	// Whether there may be more slices with the value.
	More bool `json:"more"`
}

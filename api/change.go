package api

// ChangeSlice changes a slice, comments on it and marks duplicates of it, all in one transaction.
type ChangeSlice struct {
	Returns[SliceChange]
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
	Body    SliceChangeRequest
}

// SliceChangeRequest is the body of ChangeSlice. It changes nothing when it has none of the members.
type SliceChangeRequest struct {
	// The ETag on which the change is based, as in If-Match. Its quotes may be left out.
	// Example: "3"
	IfMatch string `json:"ifMatch" minLength:"1" maxLength:"255"`
	// The change of the slice, as in the body of its update. newest as fixedInRelease stands for the newest release that
	// counts among those that reports of the workspace name.
	Patch SlicePatch `json:"patch"`
	// Markdown of a comment that is added.
	// Example: Fixed by 9f1c2ab; the reminder in the log is gone.
	Comment *string `json:"comment" minLength:"1" maxLength:"65536" pattern:"\\S"`
	// The ids or the references of slices of the same workspace that are resolved as duplicates of the slice.
	// Example: ["WEB-17"]
	Duplicates []string `json:"duplicates" maxItems:"20" uniqueItems:"true" minLength:"1" maxLength:"100"`
	// Whether the change is only tried: it is refused as it would be, and nothing is stored.
	DryRun bool `json:"dryRun"`
}

// SliceChange is what a ChangeSlice has changed, or would change.
type SliceChange struct {
	// The slice after the change. After a dry run it has the version that the change would have given it.
	Slice Slice `json:"slice"`
	// The members of the slice that changed, by name.
	Changes []Change `json:"changes"`
	// The comment that was added; null for none. That of a dry run has an id that leads nowhere.
	Comment *Comment `json:"comment"`
	// The references of the slices that were marked as duplicates. Those that were duplicates of the slice already
	// are left out.
	Duplicates []string `json:"duplicates" example:"[\"WEB-17\"]"`
	// The release for which newest stands as fixedInRelease; only when the patch has the word.
	NewestRelease *ChosenRelease `json:"newestRelease,omitempty"`
	// What the caller should look at, though the change is made; only when there is something.
	Warnings []ChangeWarning `json:"warnings,omitempty"`
	// Whether nothing was stored.
	DryRun bool `json:"dryRun"`
}

// ChangeWarning is what may be wrong about a change that is made.
type ChangeWarning struct {
	// still_seen: the newest report of the bug names the release in which it is said to be fixed.
	Code   string `json:"code" enum:"still_seen" grows:"true" example:"still_seen"`
	Detail string `json:"detail" example:"The newest report of the bug names this release."`
}

package api

// NewestRelease is the value of filters by releases that stands for the newest release of a workspace.
const NewestRelease = "newest"

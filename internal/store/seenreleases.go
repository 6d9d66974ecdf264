package store

import (
	"cmp"
	"slices"
)

// SeenRelease is a release that reports of a slice have named, with the times of the first and the last of them in
// milliseconds.
type SeenRelease struct {
	Name  string `json:"name"`
	First int64  `json:"first"`
	Last  int64  `json:"last"`
}

// maxSeenReleases is the number of releases that a slice keeps of its later reports: those that were seen last.
const maxSeenReleases = 100

// withSeen returns releases with one that was seen at a time. It changes no list that others share.
func withSeen(releases []SeenRelease, name string, millis int64) []SeenRelease {
	all := slices.Clone(releases)
	if i := slices.IndexFunc(all, func(r SeenRelease) bool { return r.Name == name }); i >= 0 {
		all[i].Last = max(all[i].Last, millis)
		return all
	}
	all = append(all, SeenRelease{name, millis, millis})
	if len(all) <= maxSeenReleases {
		return all
	}
	oldest := slices.MinFunc(all, func(a, b SeenRelease) int { return cmp.Compare(a.Last, b.Last) })
	return slices.DeleteFunc(all, func(r SeenRelease) bool { return r.Name == oldest.Name })
}

// withFirst returns releases with that of the first report. It changes no list that others share.
func withFirst(releases []SeenRelease, name string, millis int64) []SeenRelease {
	first := SeenRelease{name, millis, millis}
	all := make([]SeenRelease, 0, len(releases)+1)
	for _, r := range releases {
		if r.Name == name {
			first.Last = max(first.Last, r.Last)
		} else {
			all = append(all, r)
		}
	}
	return append(all, first)
}

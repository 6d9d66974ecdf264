package tracker

import (
	"cmp"
	"math"
	"slices"

	"github.com/Masterminds/semver/v3"

	"bugslice/api"
)

// orderedRelease is a release with its version, which is nil when its name is none.
type orderedRelease struct {
	api.Release
	version *semver.Version
}

// firstSeen returns when a release was first seen, in milliseconds. One that nobody has seen yet is the latest.
func (r orderedRelease) firstSeen() int64 {
	if r.FirstSeenAt == nil {
		return math.MaxInt64
	}
	return r.FirstSeenAt.UnixMilli()
}

// compareFirstSeen orders releases by their first sight, the latest first.
func compareFirstSeen(a, b orderedRelease) int {
	return cmp.Or(cmp.Compare(b.firstSeen(), a.firstSeen()), cmp.Compare(a.Name, b.Name))
}

// compareVersions orders releases by semantic version, the highest first, and equal versions by their first sight.
func compareVersions(a, b orderedRelease) int {
	return cmp.Or(b.version.Compare(a.version), compareFirstSeen(a, b))
}

// inOrder returns releases with the newest first. Versions are in the order of versions, and other names in that of
// their first sight. Another name stands before the first version that was first seen earlier than it.
func inOrder(all []api.Release) []orderedRelease {
	var versions, others []orderedRelease
	for _, r := range all {
		version, err := semver.NewVersion(r.Name)
		if err != nil {
			others = append(others, orderedRelease{Release: r})
			continue
		}
		versions = append(versions, orderedRelease{r, version})
	}
	slices.SortFunc(versions, compareVersions)
	slices.SortFunc(others, compareFirstSeen)
	ordered := make([]orderedRelease, 0, len(all))
	for len(versions) > 0 && len(others) > 0 {
		if compareFirstSeen(others[0], versions[0]) < 0 {
			ordered, others = append(ordered, others[0]), others[1:]
		} else {
			ordered, versions = append(ordered, versions[0]), versions[1:]
		}
	}
	return slices.Concat(ordered, versions, others)
}

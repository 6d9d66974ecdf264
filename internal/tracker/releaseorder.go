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

func (r orderedRelease) name() string { return r.Name }

// maxPassedOver is the number of releases of which an answer says that they do not count.
const maxPassedOver = 10

// newestOf returns the newest of releases in order that counts, nil for none, and those before it that do not count.
// Releases that no report names never count. The others are groups: the names before the first version, and versions
// of which none is far above the next one. A group that a single report names does not count while another one does.
func newestOf(ordered []orderedRelease) (newest *orderedRelease, passedOver []orderedRelease) {
	var before []orderedRelease
	groups := groupsOf(ordered)
	for _, group := range groups {
		var reports int64
		for _, r := range group {
			reports += r.SeenCount
		}
		if reports > 1 {
			return &group[0], before
		}
		before = append(before, group...)
	}
	if len(groups) == 0 {
		return nil, nil
	}
	return &groups[0][0], nil
}

// groupsOf returns the groups of the releases that reports name, the newest first.
func groupsOf(ordered []orderedRelease) (groups [][]orderedRelease) {
	var last *orderedRelease
	for i, r := range ordered {
		afterVersion := last != nil && last.version != nil
		switch {
		case r.FirstSeenAt == nil, r.version == nil && afterVersion:
			continue
		case last == nil, r.version != nil && (!afterVersion || isFarAbove(last.version, r.version)):
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r)
		last = &ordered[i]
	}
	return groups
}

// isFarAbove reports whether the first part of a version that differs from a lower one is more than a hundred times as
// high.
func isFarAbove(a, b *semver.Version) bool {
	for _, part := range [][2]uint64{{a.Major(), b.Major()}, {a.Minor(), b.Minor()}, {a.Patch(), b.Patch()}} {
		if part[0] != part[1] {
			return part[0]/100 > max(part[1], 1)
		}
	}
	return false
}

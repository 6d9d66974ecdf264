package tracker

import (
	"maps"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/store"
)

// completeKeys sets the default of omitted keys of metadata.
func completeKeys(keys *[]string) {
	if *keys == nil {
		*keys = []string{}
	}
}

// filterByMetadata adds filters by metadata, and leaves out the workspaces that do not have all of the keys. It refuses keys that no
// workspace of the list has.
func filterByMetadata(q store.Queries, f *store.SliceFilter, in map[string][]string) error {
	if len(in) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(in))
	for _, name := range names {
		f.Metadata = append(f.Metadata, store.MetadataFilter{Name: name, Values: in[name]})
	}
	keys, err := q.MetadataKeys(f.Workspaces)
	if err != nil {
		return err
	}
	f.Workspaces = slices.DeleteFunc(f.Workspaces, func(id string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(keys[id], name) })
	})
	if len(f.Workspaces) == 0 {
		return refuseMetadata(names, keys)
	}
	return nil
}

// refuseMetadata returns the problem of a filter by names of metadata that no workspace of the list has together.
func refuseMetadata(names []string, keys map[string][]string) error {
	known := slices.Compact(slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(keys))...))))
	name := names[0]
	if i := slices.IndexFunc(names, func(n string) bool { return !slices.Contains(known, n) }); i >= 0 {
		name = names[i]
	}
	detail := "this name is no filter; an admin adds it to the metadataKeys of the workspace"
	if len(known) > 0 {
		detail += ", which are " + strings.Join(known[:min(len(known), 20)], ", ")
	}
	return api.InvalidParameter("metadata["+name+"]", "not_filterable", detail)
}

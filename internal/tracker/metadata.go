package tracker

import (
	"maps"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// completeKeys sets the default of omitted keys of metadata.
func completeKeys(keys *[]string) {
	if *keys == nil {
		*keys = []string{}
	}
}

// metadataFilters returns the filters by names of metadata, in the order of the names.
func metadataFilters(in map[string][]string) (all []store.MetadataFilter) {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		all = append(all, store.MetadataFilter{Name: name, Values: in[name]})
	}
	return all
}

// filterByMetadata adds filters by metadata, and leaves out the workspaces that do not have all of the keys, also
// those of exclusions. It refuses keys that no workspace of the list has.
func filterByMetadata(q access.Queries, f *store.SliceFilter, in api.SliceFilters) error {
	f.Metadata = metadataFilters(in.Metadata)
	names := slices.AppendSeq(slices.Collect(maps.Keys(in.Metadata)), maps.Keys(in.Not.Metadata))
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	keys, err := q.MetadataKeys(f.Workspaces)
	if err != nil {
		return err
	}
	f.Workspaces = slices.DeleteFunc(f.Workspaces, func(id string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(keys[id], name) })
	})
	if len(f.Workspaces) == 0 {
		name, detail := unknownKey(names, keys)
		if _, found := in.Metadata[name]; !found {
			return api.InvalidParameter("not[metadata]["+name+"]", "not_filterable", detail)
		}
		return api.InvalidParameter("metadata["+name+"]", "not_filterable", detail)
	}
	return nil
}

// unknownKey returns the first of names of metadata that no workspace of the list has together, and what is wrong
// with it.
func unknownKey(names []string, keys map[string][]string) (name, detail string) {
	known := slices.Compact(slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(keys))...))))
	name = names[0]
	if i := slices.IndexFunc(names, func(n string) bool { return !slices.Contains(known, n) }); i >= 0 {
		name = names[i]
	}
	detail = "this name is no filter; an admin adds it to the metadataKeys of the workspace"
	if len(known) > 0 {
		detail += ", which are " + strings.Join(known[:min(len(known), 20)], ", ")
	}
	return name, detail
}

package tracker

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

const (
	metadataJob    = "index metadata"
	metadataBatch  = 500         // slices whose metadata is indexed in a transaction
	metadataBudget = time.Second // for which a request that changes the keys indexes metadata; the job completes it
)

// indexMetadata completes the index of metadata for keys that were added or removed.
func (t *Tracker) indexMetadata(ctx context.Context) error {
	return t.advanceMetadata(ctx, "", t.now().Add(maxJobRun))
}

// advanceMetadata adds the values of new keys of a workspace to the index of metadata, and removes those of former keys, in short
// transactions until a time. Without a workspace it does so for all. An interrupted backfill continues after its last transaction.
func (t *Tracker) advanceMetadata(ctx context.Context, workspaceID string, until time.Time) error {
	all, err := t.store.Read(ctx).MetadataBackfills()
	for _, b := range all {
		complete := workspaceID != "" && b.WorkspaceID != workspaceID
		for err == nil && !complete && t.now().Before(until) {
			complete, err = systemWrite(t, ctx, func(tx *store.Tx) (bool, error) { return tx.AdvanceMetadataBackfill(b, metadataBatch) })
		}
	}
	return err
}

// completeKeys sets the default of omitted keys of metadata.
func completeKeys(keys *[]string) {
	if *keys == nil {
		*keys = []string{}
	}
}

// changedKeys returns the keys that only one of two lists has.
func changedKeys(before, after []string) (changed []string) {
	for _, key := range slices.Concat(before, after) {
		if slices.Contains(before, key) != slices.Contains(after, key) {
			changed = append(changed, key)
		}
	}
	return changed
}

// metadataFilters returns the filters by names of metadata, in the order of the names.
func metadataFilters(in map[string][]string) (all []store.MetadataFilter) {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		all = append(all, store.MetadataFilter{Name: name, Values: in[name]})
	}
	return all
}

// filterByMetadata adds filters by metadata, and leaves out the workspaces that do not have all of the keys, also those of exclusions. It
// refuses keys that no workspace of the list has, and keys whose values are not all indexed yet.
func filterByMetadata(q store.Queries, f *store.SliceFilter, in api.SliceFilters) error {
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
	backfills, err := q.MetadataBackfills()
	for _, b := range backfills {
		if slices.Contains(f.Workspaces, b.WorkspaceID) && slices.Contains(names, b.Name) {
			p := api.NewProblem(api.CodeUnavailable, "The values of metadata."+b.Name+" are being indexed. Try again in a moment.")
			p.RetryAfter = 2 * time.Second
			return p
		}
	}
	return err
}

// unknownKey returns the first of names of metadata that no workspace of the list has together, and what is wrong with it.
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

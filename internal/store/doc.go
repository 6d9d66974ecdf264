// Package store stores the records of the service, above all slices (bug reports), in an embedded SQLite file or in
// PostgreSQL, with one SQL text for both. Package sqldb opens them and runs statements, and package termindex finds
// records by their terms. The store knows no rights: package tracker decides what may be read and written.
//
//	s, err := store.Open(store.Options{Path: "bugslice.db"}) // or URL: postgres://…
//	err = s.Migrate(ctx)
//	w, err := s.Read(ctx).Workspace(id) // each statement of Queries sees a snapshot of its own
//	slice, err := store.Write(ctx, s, func(tx *store.Tx) (store.Slice, error) {
//		current, err := tx.LockSlice(id)
//		… // change it, and record an event
//	})
//
// Guarantees:
//
//   - A Write that returns nil survives kill -9 and power loss. One that returns an error has changed nothing, unless the
//     error is ErrUncertain.
//   - Within a workspace, numbers of slices and sequences of events follow the order of commits, without gaps.
//   - The closure of a Write may run again, after ErrConflict or when another write in its transaction fails: it must
//     change nothing outside, and must not wait for the network.
//   - A list has the slices that match, in its order, without gaps, or is refused: with ErrTooBroad once the database has
//     worked for a second, with ErrIndexing while the index is being built.
//
// A Tx reads, locks and writes. It locks identifiers of slices first, then slices, then what belongs to them, then
// workspaces, and statistics last, so that no two transactions wait for each other. Changes of slices, new events and
// the bytes to charge are added to its changes; Apply writes them at the end, in one order. A query that must see
// changed slices follows ApplySlices.
//
// A statement stands complete beside the function that scans its rows, with named columns and $N parameters; the
// clock comes from Go. Three things are derived:
//
//   - members (slicemember.go) has a row for each column of a slice. Reads, inserts, updates, sizes, the erasure and imports are
//     generated from it. ErasedTables (erasure.go) says the same of other tables for the erasure of a user.
//   - Lists, searches and counts (slicelist.go, slicewindows.go, slicecounts.go) assemble their SQL from a SliceFilter, over the
//     index of package termindex. CheckIndex compares the index with the records, BuildIndex builds it anew.
//   - Statistics (statistics.go) are kept by the statements that store slices, from the slice before and after.
//
// Slices are cached by row and version. The version is read with each request, so that the cache is never stale, on
// any node.
//
// Tests run on both databases (storetest). The chapters databases, writes, lists and statistics of docs/design have
// the reasons.
package store

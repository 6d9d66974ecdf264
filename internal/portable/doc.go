// Package portable brings one workspace, or a whole instance, in and out. It writes through the transactions that
// package tracker gives the operator, so that its callers have the operator's authority; a test of the sources holds
// who they are.
//
// A backup is every record of an instance, its secret and its files, as lines of JSON in a zip file. It is restored
// into an empty database of either kind:
//
//	missing, err := portable.Instance{Store: s, Blobs: blobs}.Backup(ctx, key, z) // a snapshot of one instant
//	b, err := portable.OpenBackup(file, acceptMissing)                            // compares everything with its list
//	err = b.RestoreRecords(ctx, s)                                                // one transaction
//	err = b.RestoreFiles(ctx, blobs)
//
// An export is one workspace, without what would give rights. It is imported into a new workspace or an existing one,
// here or on another instance:
//
//	a, err := portable.OpenArchive(file) // compares the counts
//	im, err := a.Begin(ctx, operator, portable.ImportOptions{Into: workspaceID})
//	report, err := a.ImportAll(ctx, im, progress)
//
// An interrupted import continues when the same export is imported again; after a complete one, that changes nothing.
// Exports is what admins download on pages, by a session.
//
// ImportReports files reports of other programs that are not there yet, all or none, with a dry run. Backfill files
// historical slices in one transaction.
//
// Guarantees and refusals:
//
//   - A file is verified before anything is changed. A missing table, a row with an unknown column, an entry that differs from
//     the list, and a file that differs from its record are refused; missing files only unless the operator accepts them.
//   - A row of an import is validated by the tags of its type (rows.go), and its record by those of the API, before it is
//     stored. A new column of an export is a member there, nullable or with a default for earlier exports.
//   - Secrets are removed by the rules of the target workspace, unless ImportOptions.AsIs. Evidence is packed anew.
//   - Backups have no sessions, invitations, reset links or shares, which would work again after their end. The index of terms
//     is in neither file: it is built after a restore.
//   - Only a small part of a file is in memory at once.
//
// The chapter archives of docs/design has the reasons, docs/export.md the format.
package portable

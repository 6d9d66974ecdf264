package store

import "bugslice/internal/store/sqldb"

// addSeenReleases stores the releases of the later reports of slices from before they were stored with the slice.
func addSeenReleases(tx *Tx) error {
	return tx.forEachWorkspace(func(workspaceID string) error {
		const page = 1000
		for after := ""; ; {
			all, err := sqldb.List(tx.db, scanSlice, "SELECT "+sliceColumns+` FROM slices s
				WHERE s.workspace_id = $1 AND s.occurrence_count > 1 AND s.id > $2 ORDER BY s.id LIMIT $3`, workspaceID, after, page)
			if err != nil {
				return err
			}
			for _, s := range all {
				if err := addSeenReleasesOf(tx, s); err != nil {
					return err
				}
				after = s.ID
			}
			if len(all) < page {
				return nil
			}
		}
	})
}

// addSeenReleasesOf stores the releases of the later reports of one slice. Its version stays.
func addSeenReleasesOf(tx *Tx, s Slice) error {
	for o, err := range sqldb.Rows(tx.db, scanOccurrence, "SELECT "+occurrenceColumns+
		" FROM occurrences o WHERE o.slice_id = $1 AND o.number > 1 ORDER BY o.number", s.ID) {
		if err != nil {
			return err
		}
		s.SeeRelease(o.Environment.Release, o.CreatedAt)
	}
	if len(s.Releases) == 0 {
		return nil
	}
	var text string
	if err := pack(&text, s.Releases, false); err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, int64(len(text)))
	return tx.db.Exec("UPDATE slices SET releases = $2 WHERE id = $1", s.ID, text)
}

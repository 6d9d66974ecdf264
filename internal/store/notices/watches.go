package notices

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Watch is what a user watches or mutes.
type Watch struct {
	UserID, SubjectID string
	Kind              string  // slice, view, space or workspace
	WorkspaceID       *string // nil for a view of the user alone
	Level             api.WatchLevel
	Reason            api.NoticeReason // why the service has chosen it; empty when the user has
	CreatedAt         api.Time
}

const watchColumns = "t.user_id, t.subject_id, t.kind, t.workspace_id, t.level, t.reason, t.created_at"

func scanWatch(r sqldb.Row) (w Watch, err error) {
	var created int64
	err = r.Scan(&w.UserID, &w.SubjectID, &w.Kind, &w.WorkspaceID, &w.Level, &w.Reason, &created)
	w.CreatedAt = api.FromMillis(created)
	return w, err
}

// Watch returns what a user has chosen for a subject, or what was chosen for the user; nil for nothing.
func (q Reader) Watch(userID, subjectID string) (*Watch, error) {
	found, err := sqldb.List(q.DB, scanWatch, "SELECT "+watchColumns+" FROM watches t WHERE t.user_id = $1 AND t.subject_id = $2",
		userID, subjectID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Watches returns at most limit watches that a user has chosen, after a subject, by subject: of subjects that exist, in
// workspaces that the user sees, and of views of the user alone.
func (q Reader) Watches(userID string, workspaces []string, after string, limit int) ([]Watch, error) {
	p := sqldb.Params{Args: []any{userID, after, limit}}
	seen := ""
	if len(workspaces) > 0 {
		seen = " OR t.workspace_id IN " + sqldb.In(&p, workspaces)
	}
	return sqldb.List(q.DB, scanWatch, "SELECT "+watchColumns+` FROM watches t
		WHERE t.user_id = $1 AND t.subject_id > $2 AND t.reason = '' AND (t.workspace_id IS NULL`+seen+`)
			AND (t.kind <> 'slice' OR EXISTS (SELECT 1 FROM slices s WHERE s.id = t.subject_id AND s.deleted_at IS NULL))
			AND (t.kind <> 'space' OR EXISTS (SELECT 1 FROM spaces s WHERE s.id = t.subject_id AND s.deleted_at IS NULL))
		ORDER BY t.subject_id LIMIT $3`, p.Args...)
}

// Subject is what can be watched.
type Subject struct {
	ID, Kind    string
	WorkspaceID *string
	UserID      *string // of a view of a user alone
	Name        string  // the summary of a slice
}

// Subjects returns those of some ids that exist, and are not deleted.
func (q Reader) Subjects(ids []string) (map[string]Subject, error) {
	all := map[string]Subject{}
	if len(ids) == 0 {
		return all, nil
	}
	var p sqldb.Params
	in := sqldb.In(&p, ids)
	err := q.DB.Each(func(r sqldb.Row) error {
		var s Subject
		err := r.Scan(&s.ID, &s.Kind, &s.WorkspaceID, &s.UserID, &s.Name)
		all[s.ID] = s
		return err
	}, `SELECT id, 'slice', workspace_id, NULL, summary FROM slices WHERE deleted_at IS NULL AND id IN `+in+`
		UNION ALL SELECT id, 'view', workspace_id, user_id, name FROM views WHERE id IN `+in+`
		UNION ALL SELECT id, 'space', workspace_id, NULL, name FROM spaces WHERE deleted_at IS NULL AND id IN `+in+`
		UNION ALL SELECT id, 'workspace', id, NULL, name FROM workspaces WHERE id IN `+in, p.Args...)
	return all, err
}

// CountViews returns how many views a user watches.
func (q Reader) CountViews(userID string) (int, error) {
	return sqldb.One(q.DB, sqldb.ScanOne[int],
		"SELECT count(*) FROM watches WHERE user_id = $1 AND kind = 'view' AND level = 'watching'", userID)
}

// WatchesOf returns the watches of subjects.
func (q Reader) WatchesOf(subjectIDs []string) ([]Watch, error) {
	var p sqldb.Params
	return sqldb.List(q.DB, scanWatch, "SELECT "+watchColumns+" FROM watches t WHERE t.subject_id IN "+sqldb.In(&p, subjectIDs),
		p.Args...)
}

// IsWatched reports whether somebody watches a workspace or a space of it.
func (q Reader) IsWatched(workspaceID string) (bool, error) {
	some, err := sqldb.List(q.DB, sqldb.ScanOne[string], `SELECT t.subject_id FROM watches t WHERE t.level = 'watching' AND t.subject_id IN
		(SELECT id FROM spaces WHERE workspace_id = $1 UNION ALL SELECT $1) LIMIT 1`, workspaceID)
	return len(some) > 0, err
}

// WatchedView is a view that a member of a workspace watches.
type WatchedView struct{ UserID, ViewID, Query string }

// WatchedViews returns the views over a workspace that its members watch.
func (q Reader) WatchedViews(workspaceID string) ([]WatchedView, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (v WatchedView, err error) { return v, r.Scan(&v.UserID, &v.ViewID, &v.Query) },
		`SELECT t.user_id, v.id, v.query FROM watches t
			JOIN memberships m ON m.workspace_id = $1 AND m.user_id = t.user_id
			JOIN views v ON v.id = t.subject_id AND (v.workspace_id = $1 OR v.user_id = t.user_id)
		WHERE t.kind = 'view' AND t.level = 'watching' ORDER BY t.user_id, v.id`, workspaceID)
}

// Put stores a watch in place of the former one.
func (w Writer) Put(t Watch) error {
	return w.DB.Exec(`INSERT INTO watches (user_id, subject_id, kind, workspace_id, level, reason, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (user_id, subject_id) DO UPDATE SET
			level = excluded.level, reason = excluded.reason, created_at = excluded.created_at`,
		t.UserID, t.SubjectID, t.Kind, t.WorkspaceID, t.Level, t.Reason, t.CreatedAt.UnixMilli())
}

// AddWatches stores watches of users who have none of the subject.
func (w Writer) AddWatches(all []Watch) error {
	rows := make([][]any, len(all))
	for i, t := range all {
		rows[i] = []any{t.UserID, t.SubjectID, t.Kind, t.WorkspaceID, t.Level, t.Reason, t.CreatedAt.UnixMilli()}
	}
	_, err := w.DB.Insert("watches", "user_id TEXT, subject_id TEXT, kind TEXT, workspace_id TEXT, level TEXT, reason TEXT, "+
		"created_at BIGINT", rows, "ON CONFLICT (user_id, subject_id) DO NOTHING")
	return err
}

// DeleteWatch deletes the watch of a subject, and what a user was told that a view has.
func (w Writer) DeleteWatch(userID, subjectID string) error {
	if err := w.DB.Exec("DELETE FROM view_matches WHERE view_id = $1 AND user_id = $2", subjectID, userID); err != nil {
		return err
	}
	return w.DB.Exec("DELETE FROM watches WHERE user_id = $1 AND subject_id = $2", userID, subjectID)
}

// Match says that a view has a slice, for a user who watches it.
type Match struct{ SliceID, ViewID, UserID string }

// Told returns those of the matches of slices of which users were told.
func (q Reader) Told(sliceIDs []string) (map[Match]bool, error) {
	var p sqldb.Params
	all := map[Match]bool{}
	err := q.DB.Each(func(r sqldb.Row) error {
		var m Match
		err := r.Scan(&m.SliceID, &m.ViewID, &m.UserID)
		all[m] = true
		return err
	}, "SELECT slice_id, view_id, user_id FROM view_matches WHERE slice_id IN "+sqldb.In(&p, sliceIDs), p.Args...)
	return all, err
}

// AddMatches stores that users were told of matches.
func (w Writer) AddMatches(all []Match) error {
	rows := make([][]any, len(all))
	for i, m := range all {
		rows[i] = []any{m.SliceID, m.ViewID, m.UserID}
	}
	_, err := w.DB.Insert("view_matches", "slice_id TEXT, view_id TEXT, user_id TEXT", rows,
		"ON CONFLICT (slice_id, view_id, user_id) DO NOTHING")
	return err
}

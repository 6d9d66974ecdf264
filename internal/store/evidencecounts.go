package store

import "bugslice/api"

// SliceCounts are the counts of the records of a slice, or a change of them.
type SliceCounts struct {
	Attachments, Comments int64
	Evidence              api.EvidenceSummary
}

// Counts returns what an attachment adds to the counts of its slice.
func (a Attachment) Counts() SliceCounts {
	c := SliceCounts{Attachments: 1}
	e := &c.Evidence
	switch {
	case a.Kind == api.KindScreenshot:
		e.Screenshots, e.Unreviewed = 1, unreviewed(a)
	case a.Kind == api.KindVideo:
		e.Videos, e.Unreviewed = 1, unreviewed(a)
	case a.Entries == nil || *a.Entries == 0: // it is not parsed, or empty
	case a.Kind == api.KindConsole:
		e.Console, e.ConsoleErrors = *a.Entries, a.Faults
	case a.Kind == api.KindNetwork:
		e.Network, e.FailedRequests = *a.Entries, a.Faults
	case a.Kind == api.KindActions:
		e.Actions = *a.Entries
	case a.Kind == api.KindReplay:
		e.Replays = 1
	}
	return c
}

// unreviewed returns 1 for a picture or a video that nobody has reviewed, and otherwise 0.
func unreviewed(a Attachment) int64 {
	if a.Reviewed {
		return 0
	}
	return 1
}

// Plus adds other counts, multiplied by a factor; -1 subtracts them.
func (c SliceCounts) Plus(factor int64, other SliceCounts) SliceCounts {
	c.Attachments += factor * other.Attachments
	c.Comments += factor * other.Comments
	sum := evidenceNumbers(&c.Evidence)
	for i, n := range evidenceNumbers(&other.Evidence) {
		*sum[i] += factor * *n
	}
	return c
}

// AddCounts adds to the counts of a slice.
func (s *Slice) AddCounts(c SliceCounts) {
	sum := SliceCounts{s.AttachmentCount, s.CommentCount, s.Evidence}.Plus(1, c)
	s.AttachmentCount, s.CommentCount, s.Evidence = sum.Attachments, sum.Comments, sum.Evidence
}

// evidenceNumbers returns the numbers of a summary in the order of its members.
func evidenceNumbers(e *api.EvidenceSummary) [9]*int64 {
	return [9]*int64{&e.Console, &e.ConsoleErrors, &e.Network, &e.FailedRequests, &e.Actions, &e.Replays,
		&e.Screenshots, &e.Videos, &e.Unreviewed}
}

// evidenceSums are the counts of the evidence in attachments a, as Attachment.Counts adds them up.
const evidenceSums = `
	CAST(COALESCE(sum(CASE WHEN a.kind = 'console' THEN a.entries END), 0) AS BIGINT) AS console,
	CAST(COALESCE(sum(CASE WHEN a.kind = 'console' AND a.entries IS NOT NULL THEN a.faults END), 0) AS BIGINT) AS console_errors,
	CAST(COALESCE(sum(CASE WHEN a.kind = 'network' THEN a.entries END), 0) AS BIGINT) AS network,
	CAST(COALESCE(sum(CASE WHEN a.kind = 'network' AND a.entries IS NOT NULL THEN a.faults END), 0) AS BIGINT) AS failed_requests,
	CAST(COALESCE(sum(CASE WHEN a.kind = 'actions' THEN a.entries END), 0) AS BIGINT) AS actions,
	count(CASE WHEN a.kind = 'replay' AND a.entries > 0 THEN 1 END) AS replays,
	count(CASE WHEN a.kind = 'screenshot' THEN 1 END) AS screenshots,
	count(CASE WHEN a.kind = 'video' THEN 1 END) AS videos,
	count(CASE WHEN a.kind IN ('screenshot', 'video') AND a.reviewed = '' THEN 1 END) AS unreviewed`

// BumpVersion changes the counts of a slice, and its version, which it returns; ErrNotFound for a deleted slice.
func (tx *Tx) BumpVersion(sliceID string, change SliceCounts, at api.Time) (int64, error) {
	s, err := tx.LockSlice(sliceID)
	if err == nil && s.DeletedAt != nil {
		err = ErrNotFound
	}
	if err != nil {
		return 0, err
	}
	s.AddCounts(change)
	if at.After(s.UpdatedAt.Time) {
		s.UpdatedAt = at
	}
	return s.Version + 1, tx.UpdateSlice(&s)
}

// Recount sets the counts of a workspace's slices from their records.
func (tx *Tx) Recount(workspaceID string) error {
	return tx.db.Exec(`UPDATE slices SET attachment_count = c.attachments, comment_count = c.comments, version = version + 1,
			evidence_console = c.console, evidence_console_errors = c.console_errors, evidence_network = c.network,
			evidence_failed_requests = c.failed_requests, evidence_actions = c.actions, evidence_replays = c.replays,
			evidence_screenshots = c.screenshots, evidence_videos = c.videos,
			evidence_unreviewed = c.unreviewed
		FROM (SELECT s.id, count(a.id) AS attachments, 
				(SELECT count(*) FROM comments m WHERE m.slice_id = s.id) AS comments,`+evidenceSums+`
			FROM slices s LEFT JOIN attachments a ON a.slice_id = s.id WHERE s.workspace_id = $1 GROUP BY s.id) AS c
		WHERE slices.id = c.id AND (attachment_count <> c.attachments OR comment_count <> c.comments
			OR evidence_console <> c.console OR evidence_console_errors <> c.console_errors OR evidence_network <> c.network
			OR evidence_failed_requests <> c.failed_requests OR evidence_actions <> c.actions OR evidence_replays <> c.replays
			OR evidence_screenshots <> c.screenshots OR evidence_videos <> c.videos
			OR evidence_unreviewed <> c.unreviewed)`, workspaceID)
}

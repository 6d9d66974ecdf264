package store

import (
	"maps"
	"slices"
)

// What a row counts beside its texts towards the quota of its workspace: its columns of fixed length and
// its entries in indexes. A delivery counts as much whatever its attempts were answered.
const (
	rowBytes      = 256
	DeliveryBytes = 1024
)

// bytesOf is what a row with these texts counts.
func bytesOf(texts ...string) int64 {
	n := int64(rowBytes)
	for _, t := range texts {
		n += int64(len(t))
	}
	return n
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// CommentBytes is what a comment counts.
func CommentBytes(body string) int64 { return bytesOf(body) }

// EventBytes is what an event counts.
func EventBytes(data []byte) int64 { return rowBytes + int64(len(data)) }

// AttachmentBytes is what an attachment counts: its files and its row.
func AttachmentBytes(stored int64) int64 { return rowBytes + stored }

// SliceBytes is what a slice counts.
func SliceBytes(s *Slice) (int64, error) {
	p, err := packSlice(s)
	return p.bytes(s), err
}

func (p packed) bytes(s *Slice) int64 {
	return bytesOf(s.Summary, text(s.Description), p.labels, p.environment, p.metadata, p.redaction, p.occurrence, s.Symptoms,
		text(s.SourceURL), text(s.ExternalID), text(s.Fingerprint))
}

// Charge counts bytes of a workspace, or gives them back. They are written with its counters, by Advance
// or at the end of the transaction.
func (tx *Tx) Charge(workspaceID string, bytes int64) {
	if tx.charged == nil {
		tx.charged = map[string]int64{}
	}
	tx.charged[workspaceID] += bytes
}

// Pending is what was charged to a workspace since its counters were written.
func (tx *Tx) Pending(workspaceID string) int64 { return tx.charged[workspaceID] }

// WriteCharges writes what is pending, as the end of a transaction does. The rows of workspaces are the last locks, taken in their order.
func (tx *Tx) WriteCharges() error {
	for _, id := range slices.Sorted(maps.Keys(tx.charged)) {
		if n := tx.charged[id]; n != 0 {
			if _, err := tx.db.exec("UPDATE workspaces SET stored = stored + $2 WHERE id = $1", id, n); err != nil {
				return err
			}
		}
	}
	tx.charged = nil
	return nil
}

// Stored returns how many bytes a workspace counts.
func (q Queries) Stored(workspaceID string) (int64, error) {
	return one(q.db, scanOne[int64], "SELECT stored FROM workspaces WHERE id = $1", workspaceID)
}

// counted is what each row counts, by its workspace.
const counted = `
	SELECT workspace_id, 256 + octet_length(summary) + COALESCE(octet_length(description), 0) + octet_length(labels)
		+ octet_length(environment) + octet_length(metadata) + octet_length(redaction) + octet_length(last_occurrence) + octet_length(symptoms)
		+ COALESCE(octet_length(source_url), 0) + COALESCE(octet_length(external_id), 0)
		+ COALESCE(octet_length(fingerprint), 0) AS bytes FROM slices
	UNION ALL SELECT s.workspace_id, 256 + octet_length(c.body) FROM comments c JOIN slices s ON s.id = c.slice_id
	UNION ALL SELECT workspace_id, 256 + stored FROM attachments
	UNION ALL SELECT workspace_id, 256 + octet_length(data) FROM events WHERE workspace_id IS NOT NULL
	UNION ALL SELECT workspace_id, 1024 FROM deliveries
	UNION ALL SELECT workspace_id, 256 + octet_length(answer) FROM idempotency_keys WHERE workspace_id IS NOT NULL`

// MeasureStored returns what the rows of each workspace count. It reads all of them.
func (q Queries) MeasureStored() (map[string]int64, error) {
	type workspace struct {
		id    string
		bytes int64
	}
	rows, err := list(q.db, func(r row) (w workspace, err error) { return w, r.Scan(&w.id, &w.bytes) },
		"SELECT workspace_id, CAST(sum(bytes) AS BIGINT) FROM ("+counted+") AS r GROUP BY workspace_id")
	all := make(map[string]int64, len(rows))
	for _, w := range rows {
		all[w.id] = w.bytes
	}
	return all, err
}

// RecountStored makes every workspace count what its rows do. Their counters are locked before the rows are read.
func (tx *Tx) RecountStored() error {
	if _, err := tx.db.exec("UPDATE workspaces SET stored = 0"); err != nil {
		return err
	}
	_, err := tx.db.exec("UPDATE workspaces SET stored = u.bytes FROM (SELECT workspace_id, CAST(sum(bytes) AS BIGINT) AS bytes FROM (" +
		counted +
		") AS r GROUP BY workspace_id) AS u WHERE u.workspace_id = workspaces.id")
	return err
}

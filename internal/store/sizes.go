package store

// The size of a record, which is charged to its workspace, is the bytes of its texts and rowBytes for its columns
// of fixed length and its index entries. All deliveries have the same size, whatever their attempts were
// answered.
const (
	rowBytes      = 256
	DeliveryBytes = 1024
)

// bytesOf returns the size of a record with these texts.
func bytesOf(texts ...string) int64 {
	n := int64(rowBytes)
	for _, t := range texts {
		n += int64(len(t))
	}
	return n
}

// CommentBytes returns the size of a comment.
func CommentBytes(body string) int64 { return bytesOf(body) }

// EventBytes returns the size of an event.
func EventBytes(data []byte) int64 { return rowBytes + int64(len(data)) }

// AttachmentBytes returns the size of an attachment with its files.
func AttachmentBytes(stored int64) int64 { return rowBytes + stored }

// occurrenceSize is the size of an occurrence, as OccurrenceBytes returns it.
const occurrenceSize = "256 + octet_length(environment) + octet_length(metadata) + COALESCE(octet_length(external_id), 0)"

// recordSizes is a query of the size of each record, by its workspace.
const recordSizes = `
	SELECT workspace_id, 256 + octet_length(summary) + COALESCE(octet_length(description), 0) + octet_length(labels)
		+ octet_length(environment) + octet_length(metadata) + octet_length(redaction) + octet_length(last_occurrence)
		+ octet_length(symptoms) + COALESCE(octet_length(source_url), 0) + COALESCE(octet_length(external_id), 0)
		+ COALESCE(octet_length(fingerprint), 0) AS bytes FROM slices
	UNION ALL SELECT s.workspace_id, 256 + octet_length(c.body) FROM comments c JOIN slices s ON s.id = c.slice_id
	UNION ALL SELECT workspace_id, 256 + stored FROM attachments
	UNION ALL SELECT s.workspace_id, 256 + octet_length(o.environment) + octet_length(o.metadata)
		+ COALESCE(octet_length(o.external_id), 0) FROM occurrences o JOIN slices s ON s.id = o.slice_id
	UNION ALL SELECT workspace_id, 256 + octet_length(data) FROM events WHERE workspace_id IS NOT NULL
	UNION ALL SELECT workspace_id, 1024 FROM deliveries
	UNION ALL SELECT workspace_id, 256 + octet_length(answer) FROM idempotency_keys WHERE workspace_id IS NOT NULL`

package store

// The size of a record, which is charged to its workspace, is the bytes of its texts and rowBytes for its columns
// of fixed length and its index entries. All deliveries have the same size, whatever their attempts were
// answered.
const (
	rowBytes      = 256
	deliveryBytes = 1024
)

// bytesOf returns the size of a record with these texts.
func bytesOf(texts ...string) int64 {
	n := int64(rowBytes)
	for _, t := range texts {
		n += int64(len(t))
	}
	return n
}

// EventBytes returns the size of an event.
func EventBytes(data []byte) int64 { return rowBytes + int64(len(data)) }

// AttachmentBytes returns the size of an attachment with its files.
func AttachmentBytes(stored int64) int64 { return rowBytes + stored }

// occurrenceSize is the size of an occurrence, as OccurrenceBytes returns it.
const occurrenceSize = "256 + octet_length(via) + octet_length(environment) + octet_length(metadata) + " +
	"COALESCE(octet_length(external_id), 0)"

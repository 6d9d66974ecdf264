package tracker

import (
	"encoding/json"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/sources"
)

const (
	waitingRetention  = 30 * 24 * time.Hour // of a report without a decision
	spamRetention     = 7 * 24 * time.Hour
	acceptedRetention = 24 * time.Hour // in which an acceptance can be taken back
)

// heldReport is a redacted report as a submission has it, in JSON.
type heldReport struct {
	SliceID          string          `json:"sliceId"`
	Visitor          api.Visitor     `json:"visitor"`
	Fields           api.SliceFields `json:"fields"`
	Fingerprint      *string         `json:"fingerprint,omitempty"`
	FingerprintForms []string        `json:"fingerprintForms,omitempty"`
	Redaction        *api.Redaction  `json:"redaction,omitempty"`
	Removed          []string        `json:"removed,omitempty"`
	Symptoms         string          `json:"symptoms,omitempty"`
	Repairs          []api.Repair    `json:"repairs,omitempty"`
}

// attachmentOf returns the record that a file of a submission becomes when its report is accepted.
func attachmentOf(f sources.File) (a store.Attachment, err error) {
	if err = json.Unmarshal([]byte(f.Document), &a); err != nil {
		err = fmt.Errorf("a file of submission %s: %w", f.SubmissionID, err)
	}
	return a, err
}

// insertHeldFile stores a file of a submission and reserves its bytes until the submission expires.
func insertHeldFile(tx *access.Tx, u sources.Submission, a store.Attachment) error {
	document, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f := sources.File{SubmissionID: u.ID, Blob: a.Blob, Thumbnail: a.ThumbnailBlob, Document: string(document)}
	if err := tx.Sources().InsertFile(f); err != nil {
		return err
	}
	return keepFiles(tx, u, []sources.File{f})
}

// keepFiles reserves the bytes of the files of a submission until it has expired and its job has run.
func keepFiles(tx *access.Tx, u sources.Submission, files []sources.File) error {
	if len(files) == 0 {
		return nil
	}
	return tx.ExtendBlobReservations(sources.Keys(files), api.At(u.ExpiresAt.Add(24*time.Hour)))
}

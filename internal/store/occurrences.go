package store

import (
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Occurrence is a stored occurrence: one report of the bug of a slice.
type Occurrence struct {
	api.SliceOccurrence
	SliceID string
}

const occurrenceColumns = `o.slice_id, o.number, o.reporter_type, o.reporter_id, o.reporter_name, o.via, o.environment, o.external_id,
	o.metadata, o.created_at`

func scanOccurrence(r sqldb.Row) (o Occurrence, err error) {
	var p packedOccurrence
	var created int64
	err = r.Scan(&o.SliceID, &o.Number, &o.Reporter.Type, &o.Reporter.ID, &o.Reporter.Name, &p.via, &p.environment,
		&o.ExternalID, &p.metadata, &created)
	if err != nil {
		return o, err
	}
	o.CreatedAt = api.FromMillis(created)
	return o, errors.Join(unpack(p.via, &o.Via), unpack(p.environment, &o.Environment), unpack(p.metadata, &o.Metadata))
}

// packedOccurrence are the JSON columns of an occurrence.
type packedOccurrence struct{ via, environment, metadata string }

func packOccurrence(o *Occurrence) (p packedOccurrence, err error) {
	err = errors.Join(
		pack(&p.via, o.Via, o.Via == nil),
		pack(&p.environment, o.Environment, o.Environment == api.Environment{}),
		pack(&p.metadata, o.Metadata, len(o.Metadata) == 0))
	return p, err
}

// OccurrenceBytes returns the size of an occurrence.
func OccurrenceBytes(o *Occurrence) (int64, error) {
	p, err := packOccurrence(o)
	return bytesOf(p.via, p.environment, p.metadata, textOrEmpty(o.ExternalID)), err
}

// InsertOccurrence stores an occurrence. Its size is charged before.
func (tx *Tx) InsertOccurrence(o Occurrence) error {
	p, err := packOccurrence(&o)
	if err != nil {
		return err
	}
	return tx.db.Exec(`INSERT INTO occurrences (slice_id, number, reporter_type, reporter_id, reporter_name, via, environment, external_id,
			metadata, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		o.SliceID, o.Number, o.Reporter.Type, o.Reporter.ID, o.Reporter.Name, p.via, p.environment, o.ExternalID, p.metadata,
		o.CreatedAt.UnixMilli())
}

// Occurrence returns an occurrence of a slice.
func (q Queries) Occurrence(sliceID string, number int64) (Occurrence, error) {
	return sqldb.One(q.db, scanOccurrence, "SELECT "+occurrenceColumns+
		" FROM occurrences o WHERE o.slice_id = $1 AND o.number = $2",
		sliceID, number)
}

// Occurrences returns at most limit occurrences of a slice with lower numbers, the newest first.
func (q Queries) Occurrences(sliceID string, before int64, limit int) ([]Occurrence, error) {
	all, err := sqldb.List(q.db, scanOccurrence, "SELECT "+occurrenceColumns+` FROM occurrences o
		WHERE o.slice_id = $1 AND o.number < $2 ORDER BY o.number DESC LIMIT $3`, sliceID, before, limit)
	if err != nil || len(all) == 0 {
		return all, err
	}
	const withEvidence = "count(CASE WHEN a.entries > 0 THEN 1 END)"
	evidence, err := sqldb.List(q.db, scanEvidence, "SELECT a.occurrence, "+withEvidence+","+evidenceSums+` FROM attachments a
		WHERE a.slice_id = $1 AND a.occurrence >= $2 AND a.occurrence <= $3 GROUP BY a.occurrence`,
		sliceID, all[len(all)-1].Number, all[0].Number)
	byNumber := map[int64]occurrenceEvidence{}
	for _, e := range evidence {
		byNumber[e.occurrence] = e
	}
	for i := range all {
		e := byNumber[all[i].Number]
		all[i].Evidence, all[i].HasEvidence = e.summary, e.parsed > 0
	}
	return all, err
}

// OccurrenceTimes returns when the newest occurrences of a slice were reported since a time, at most limit, the newest
// first.
func (q Queries) OccurrenceTimes(sliceID string, since time.Time, limit int) ([]time.Time, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (time.Time, error) {
		var ms int64
		err := r.Scan(&ms)
		return time.UnixMilli(ms), err
	}, "SELECT created_at FROM occurrences WHERE slice_id = $1 AND created_at >= $2 ORDER BY number DESC LIMIT $3",
		sliceID, since.UnixMilli(), limit)
}

// occurrenceEvidence is the evidence of an occurrence, and the number of its parsed files.
type occurrenceEvidence struct {
	occurrence, parsed int64
	summary            api.EvidenceSummary
}

func scanEvidence(r sqldb.Row) (o occurrenceEvidence, err error) {
	e := &o.summary
	return o, r.Scan(&o.occurrence, &o.parsed, &e.Console, &e.ConsoleErrors, &e.Network, &e.FailedRequests, &e.Actions,
		&e.Replays,
		&e.Screenshots, &e.Videos, &e.Unreviewed)
}

// NewestOccurrenceWithEvidence returns the number of the newest occurrence of a slice of which parsed evidence is
// stored, 0 if there is none.
func (q Queries) NewestOccurrenceWithEvidence(sliceID string) (int64, error) {
	n, err := sqldb.One(q.db, sqldb.ScanOne[int64], `SELECT occurrence FROM attachments WHERE slice_id = $1 AND entries > 0
		ORDER BY slice_id DESC, occurrence DESC LIMIT 1`, sliceID)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	return n, err
}

// EvidenceOf returns at most limit attachments with parsed evidence of a kind of an occurrence of a slice, by id.
func (q Queries) EvidenceOf(sliceID string, occurrence int64, kind api.AttachmentKind, limit int) (
	[]Attachment, error,
) {
	return sqldb.List(q.db, scanAttachment, "SELECT "+attachmentColumns+` FROM attachments a
		WHERE a.slice_id = $1 AND a.occurrence = $2 AND a.kind = $3 AND a.entries IS NOT NULL ORDER BY a.id LIMIT $4`,
		sliceID, occurrence, kind, limit)
}

// AddMissingOccurrences stores and charges the occurrences of slices of a workspace from before there were records of
// them: the first one, and the newest one with the files that were added since. Of the newest one only the name of
// the reporter is known.
func (tx *Tx) AddMissingOccurrences(workspaceID string) error {
	sizes, err := sqldb.List(tx.db, sqldb.ScanOne[int64],
		`INSERT INTO occurrences (slice_id, number, reporter_type, reporter_id, reporter_name, via,
			environment, external_id, metadata, created_at)
		SELECT s.id, 1, s.reporter_type, s.reporter_id, s.reporter_name, s.via, s.environment, s.external_id, s.metadata, s.created_at
		FROM slices s WHERE s.workspace_id = $1 AND NOT EXISTS (SELECT 1 FROM occurrences o WHERE o.slice_id = s.id AND o.number = 1)
		RETURNING `+occurrenceSize, workspaceID)
	if err != nil {
		return err
	}
	for _, bytes := range sizes {
		tx.Charge(workspaceID, bytes)
	}
	repeated, err := sqldb.List(tx.db, scanSlice, "SELECT "+sliceColumns+` FROM slices s
		WHERE s.workspace_id = $1 AND s.last_occurrence <> '' AND s.occurrence_count > 1
		AND NOT EXISTS (SELECT 1 FROM occurrences o WHERE o.slice_id = s.id AND o.number = s.occurrence_count)`, workspaceID)
	if err != nil {
		return err
	}
	for _, s := range repeated {
		if err := tx.addNewestOccurrence(s); err != nil {
			return err
		}
	}
	return nil
}

// addNewestOccurrence stores the newest occurrence of a slice as its row describes it, with the files that were added
// since.
func (tx *Tx) addNewestOccurrence(s Slice) error {
	last := s.LastOccurrence
	o := Occurrence{SliceID: s.ID, SliceOccurrence: api.SliceOccurrence{Number: s.OccurrenceCount, Reporter: s.Reporter,
		Environment: last.Environment, ExternalID: last.ExternalID, Metadata: last.Metadata, CreatedAt: last.At}}
	if last.ReporterName != s.Reporter.Name {
		o.Reporter = api.Reporter{Type: "guest", Name: last.ReporterName}
	}
	bytes, err := OccurrenceBytes(&o)
	if err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, bytes)
	if err := tx.InsertOccurrence(o); err != nil {
		return err
	}
	return tx.db.Exec("UPDATE attachments SET occurrence = $2 WHERE slice_id = $1 AND created_at >= $3",
		s.ID, o.Number, o.CreatedAt.UnixMilli())
}

// forEachWorkspace calls fn for every workspace.
func (tx *Tx) forEachWorkspace(fn func(id string) error) error {
	workspaces, err := sqldb.List(tx.db, sqldb.ScanOne[string], "SELECT id FROM workspaces ORDER BY id")
	if err != nil {
		return err
	}
	for _, id := range workspaces {
		if err := fn(id); err != nil {
			return err
		}
	}
	return nil
}

// addAllMissingOccurrences is AddMissingOccurrences for every workspace.
func (tx *Tx) addAllMissingOccurrences() error { return tx.forEachWorkspace(tx.AddMissingOccurrences) }

// recountAll is Recount for every workspace.
func (tx *Tx) recountAll() error { return tx.forEachWorkspace(tx.Recount) }

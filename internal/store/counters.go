package store

import "bugslice/internal/store/sqldb"

// NextSequence reserves slice numbers and event sequences of a workspace, and returns the last of each. It writes the
// changed slices, and is the last row lock of a transaction, so that the order of numbers and sequences is the order
// of commits. The workspace is locked once: Apply writes the sequences that are reserved later.
func (tx *Tx) NextSequence(workspaceID string, numbers, events int) (Counters, error) {
	return tx.reserve(workspaceID, reservation{numbers: numbers, events: events})
}

// LockWorkspaceCounters locks the row of a workspace until the transaction ends, as NextSequence does, and returns its
// counters without reserving anything.
func (tx *Tx) LockWorkspaceCounters(workspaceID string) (Counters, error) {
	return tx.NextSequence(workspaceID, 0, 0)
}

// NextSequenceForReport is NextSequence for a slice or an occurrence that is created on a day. An event with a new
// slice was charged as if its number were 0 and its reference -0; the further characters of both are charged here.
func (tx *Tx) NextSequenceForReport(workspaceID string, numbers, events int, day int64) (Counters, error) {
	return tx.reserve(workspaceID, reservation{numbers: numbers, events: events, reports: 1, day: day})
}

// reservation is the part of the counters of a workspace that a change takes: numbers of slices, sequences of events,
// and reports, which are counted on their day.
type reservation struct {
	numbers, events, reports int
	day                      int64
}

func (tx *Tx) reserve(workspaceID string, r reservation) (Counters, error) {
	if c, ok := tx.counters[workspaceID]; ok && r.numbers == 0 && r.reports == 0 {
		c.Sequence += int64(r.events)
		tx.counters[workspaceID], tx.workspace = c, workspaceID
		if tx.sequences == nil {
			tx.sequences = map[string]int{}
		}
		tx.sequences[workspaceID] += r.events
		return c, nil
	}
	events := r.events + tx.sequences[workspaceID]
	if err := tx.applyBeforeLock(); err != nil {
		return Counters{}, err
	}
	c, err := sqldb.One(tx.db, func(row sqldb.Row) (c Counters, err error) {
		c.WorkspaceID = workspaceID
		return c, row.Scan(&c.Number, &c.Sequence, &c.Subscriptions, &c.Stored, &c.ReportsToday, &c.WorkspaceKey)
	}, `UPDATE workspaces SET last_number = last_number + $2, last_sequence = last_sequence + $3,
			stored = stored + $4 + $5 * (2 * (length(CAST(last_number + $2 AS TEXT)) - 1) + length(key)),
			day_slices = CASE WHEN $6 = 0 OR day = $7 THEN day_slices ELSE 0 END + $6, day = CASE WHEN $6 = 0 THEN day ELSE $7 END
		WHERE id = $1 RETURNING last_number, last_sequence, subscriptions, stored, day_slices, key`,
		workspaceID, r.numbers, events, tx.charges[workspaceID], r.numbers*r.reports, r.reports, r.day)
	if err != nil {
		return c, err
	}
	delete(tx.charges, workspaceID)
	delete(tx.sequences, workspaceID)
	if tx.counters == nil {
		tx.counters = map[string]Counters{}
	}
	tx.counters[workspaceID], tx.workspace = c, workspaceID
	return c, nil
}

// applyBeforeLock writes the changes for which no other transaction should wait, as it does once the workspace is
// locked: slices, and the search index unless writes are serial.
func (tx *Tx) applyBeforeLock() error {
	if err := tx.ApplySlices(); err != nil || tx.db.Engine.LockRow == "" {
		return err
	}
	return flush(tx.shared)
}

// ReserveNumber raises the slice counter of a workspace to at least a number.
func (tx *Tx) ReserveNumber(workspaceID string, number int64) error {
	return tx.db.Exec("UPDATE workspaces SET last_number = CASE WHEN last_number > $2 THEN last_number ELSE $2 END WHERE id = $1",
		workspaceID, number)
}

// LastSequence returns the sequence of the newest event of a workspace.
func (q Queries) LastSequence(workspaceID string) (int64, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT last_sequence FROM workspaces WHERE id = $1", workspaceID)
}

// LastSequences returns the last sequence of each workspace.
func (q Queries) LastSequences(workspaces []string) (map[string]int64, error) {
	var p sqldb.Params
	type workspace struct {
		id       string
		sequence int64
	}
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (w workspace, err error) { return w, r.Scan(&w.id, &w.sequence) },
		"SELECT id, last_sequence FROM workspaces WHERE id IN "+sqldb.In(&p, workspaces), p.Args...)
	last := make(map[string]int64, len(rows))
	for _, w := range rows {
		last[w.id] = w.sequence
	}
	return last, err
}

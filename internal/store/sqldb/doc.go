// Package sqldb runs one SQL text on SQLite and on PostgreSQL: it opens a database, migrates it, reads it, and writes
// it in transactions. It knows no table. Statements have $1 … $N for their arguments; what must differ between the
// databases is in Engine.
//
//	d, err := sqldb.Open[struct{}](sqldb.Options{Path: "notes.db"}, nil)
//	…
//	err = d.Write(ctx, func(tx *sqldb.Tx[struct{}]) error {
//		owner, err := sqldb.One(tx.Executor, sqldb.ScanOne[string], "SELECT owner FROM notes WHERE id = $1"+tx.Engine.LockRow, id)
//		if err != nil {
//			return err // ErrNotFound without such a note
//		}
//		return tx.Exec("UPDATE notes SET text = $2, changed_by = $3 WHERE id = $1", id, text, owner)
//	})
//	…
//	var p sqldb.Params
//	texts, err := sqldb.List(d.Read(ctx), sqldb.ScanOne[string], "SELECT text FROM notes WHERE id IN "+sqldb.In(&p, ids), p.Args...)
//
// # Reading
//
// Each statement of Read sees what is committed when it begins; those of a Snapshot all see one instant. Neither waits
// for writers, nor makes them wait. A query returns all of its rows; no statement runs while
// a function scans or visits a row.
//
// # Writing
//
// A Write that returns nil is on disk: it survives kill -9 and power loss. One that returns an error has changed
// nothing, unless the error is an ErrUncertain. A panic in the closure becomes the error of the Write.
//
// On SQLite, one goroutine writes. It commits the writes that wait in one transaction with one fsync, one after the
// other, each of which sees those before it; a write that fails takes nothing with it. So writes are serial, and the
// row locks of Engine are empty strings. On PostgreSQL each write is a transaction of its own at READ COMMITTED,
// beside others: a write that depends on what it reads locks the rows, in the same order in all writes, or the keys
// of LockKeys.
//
// A closure may run several times, even if it fails in the end. So it must change nothing but its result, and must not
// wait for the network. On SQLite all other writes wait for it, and the end of its context does not interrupt it. What
// many writes of a transaction should do together they add to Tx.Pending; the function that Open got does it once, as
// the last of the transaction before the COMMIT.
//
// # Errors
//
//   - ErrConflict: Write runs the closure again, up to 20 times, when it returns this error, and after a deadlock or a
//     serialization failure of PostgreSQL.
//   - ErrUnavailable: the database cannot be reached or written, is full, or its conflicts persist. The caller may
//     retry.
//   - ErrUncertain, an ErrUnavailable: the connection was lost during the COMMIT. A retry must tolerate that the first
//     one has succeeded.
//   - UniqueViolationError: the value is taken. On PostgreSQL the transaction is lost, unless the statement
//     ran in a Savepoint.
//   - ErrNotFound and ErrReadOnly are final. Other errors are those of the driver, or of the closure.
//
// # Limits
//
// Values are texts, 64-bit integers and NULL; a time is a number. Read has 8 connections on SQLite; on PostgreSQL all
// share 32. On SQLite the first 400 different texts stay prepared, so pass values as parameters. Its log is copied
// into the file while commits go on; once the log exceeds 32 MB, a commit waits for the copy. Processes may share a
// file of SQLite: each waits up to 5 seconds for a lock of another one, else the error is an ErrUnavailable.
// PostgreSQL ends a transaction that waits 30 seconds for its client, but no Snapshot.
package sqldb

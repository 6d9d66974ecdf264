// Package notices stores what users are told, and what they watch.
//
// Advance moves the position of a workspace in the log of its events, for one transaction at a time. Who stores notices
// in that transaction alone stores each of them once, also when nodes do so at the same time and processes are killed.
//
// A request that concerns more than MostOfRequest slices is one notice for each user: Add replaces those of its first
// slices. A request tells a user of a slice once.
package notices

import "bugslice/internal/store/sqldb"

// Reader reads notices and watches.
type Reader struct{ DB *sqldb.Executor }

// Writer changes them in a transaction.
type Writer struct{ Reader }

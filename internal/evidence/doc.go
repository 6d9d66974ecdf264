// Package evidence reads what tools captured of a bug: console messages, network requests as HAR 1.2, actions of the
// user, and a replay of rrweb events. It repairs what is odd, removes secrets, and packs the rest. It trusts no
// input.
//
// Evidence comes by two ways, which share the functions that read a row. Both return Sets, one for each kind, without
// secrets:
//
//	sets, err := evidence.Read(report.Evidence, redactor, counts)       // in the body of a report
//	set, err := evidence.Parse(api.KindNetwork, file, redactor, counts) // a file of its own
//
// Decode is for a body that validation has refused: it repairs the evidence, or leaves parts out, and lists each
// repair. Odd parts never refuse a report. What is refused: damaged JSON, an unknown kind, and evidence of which
// nothing of a kind is valid.
//
// A packed set is lines of JSON in gzip members of at most 64 KiB of lines, with an index of these blocks behind
// them. Any reader of gzip reads the lines. Set.Pack and Writer write one; Repack packs what an import brings anew,
// and trusts no index of others. To read one:
//
//	index, err := evidence.ReadIndex(source, size) // nil for a set without; an index that does not fit is refused
//	r := evidence.NewReader(source, size, index)   // also an io.ReadSeeker over the lines
//	err = r.Rows(kind, evidence.Filter{After: 100, Classes: classes}, fn)
//
// Reading takes little memory from any offset, whatever the size of the set: with the index from the block that has
// the offset, without it from the start. A row is valid until fn returns. A class is the level of a console message,
// or the first digit of a status.
//
// Of rows: Row returns a line as the API shows it, Summary and ParseExchange a request, Interval its time, Needle
// finds a text in rows before they are decoded. Exchange.Commands writes a request as curl and fetch, so that no
// shell interprets anything of it. EventHead and EventPart say what an event of a replay contains (replayevents.go,
// the one list), which decides what a share sends and what the player accepts.
//
// Limits (limits.go) shorten what a machine observed, after its secrets were removed, and refuse nothing but files
// and bodies that are too large. The chapter evidence of docs/design has the reasons, docs/evidence.md the formats.
package evidence

// Package reporttext writes the report of a slice as Markdown, for agents and people. It is pure: the caller reads
// what the report tells, and Report.Markdown writes it within a number of tokens.
//
//	c := reporttext.Collect(reporttext.Console, rows, mayMatch) // for each set of evidence
//	c.Add(row)
//	f := reporttext.FailuresOf(read, end)                           // around which everything is shown
//	text := reporttext.Report{Slice: slice, Evidence: …, Failures: f}.Markdown(4000)
//
// The oldest and least telling content is left out first, and listed with the requests that return it. Text from
// outside is fenced or between backticks, without characters that a terminal obeys or nobody sees.
package reporttext

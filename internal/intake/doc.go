// Package intake takes the reports of visitors: people without an account, on a page of a site whose source has a
// public key. It has the rules of the door; package intakeapi is the door. It reads nothing for anybody: what a
// visitor gets is a token, a receipt, and how much of a file has arrived.
//
//	s := intake.New(intake.Options{Tracker: t, …})
//
//	site, err := s.Enter(ctx, visit)                // unknown, paused and deleted sources, other origins: one answer (404); 429
//	token, err := s.Token(site)                     // one report, of this origin, within ten minutes
//	a, err := s.Admit(site, intake.Claim{…})        // the token, the dwell time, the work, the limits: before the body is read
//	defer func() { a.Close(err) }()
//	receipt, err := a.Report(ctx, body, memory)     // once for each name that the browser gave
//	u, err := s.Create(ctx, site, file)             // a file of the report of a receipt
//	u, err = s.Append(ctx, site, u, offset, piece)  // in pieces, which resume
//
// Guarantees:
//
//   - A report is taken once, however often it is sent, for eight days. A token serves one report.
//   - A source takes no more reports and bytes in a day than its limits, over all nodes.
//   - A piece is durable before it is acknowledged. The report gets a file once, when all of it is there.
//   - What a source does not record is not stored, and no member of a report that only members of the workspace may set.
//   - Pieces are encrypted, because nothing has redacted them yet; they end with their upload, after a day.
//
// Limits of minutes and hours are counted by each node, those of a day in the database. docs/design/intake.md has the
// reasons.
package intake

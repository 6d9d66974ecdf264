// Package trace reads a trace of Playwright, the trace.zip of a test, as the evidence of a report: console, requests
// with their bodies, actions, a replay and pictures, all on the clock of the machine that ran the test.
//
//	file, _ := os.Open("test-results/order/trace.zip")
//	info, _ := file.Stat()
//	evidence, err := trace.Read(file, info.Size())
//
// It reads the versions 6 to 10 of the format, of Playwright 1.40 to 1.65, of the test runner and of the library alone,
// and newer ones as far as they are alike. It guarantees:
//
//   - The evidence has at most 9 MiB as JSON, so that it fits in a report. LeftOut says what did not fit; of the
//     console, the actions and the replay the newest part stays, since a test fails at its end.
//   - A hostile archive costs little: nothing is written to a file, a name in it is only looked up in it, and at most
//     256 MiB are unpacked. An entry that is damaged or cut off is read as far as it goes.
//   - A value that the test typed into a password field is masked, and so is text that it typed without naming a field.
//     Other secrets are removed by the server.
//
// The replay shows the page as it was before, during and after each action: DOM snapshots with their style sheets and
// small pictures. Frames within the page and the contents of canvases are not in it.
package trace

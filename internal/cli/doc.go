// Package cli is the command line of the operator, beside the commands of a client (package command): one file for each
// group of commands. It opens the instance, mounts the front ends, and is
// all that main calls:
//
//	os.Exit(cli.Run(ctx, os.Args[1:], os.Environ(), cli.Streams{Out: os.Stdout, Err: os.Stderr}))
//
// A command is a function that makes a cobra.Command from the environment and the streams, such as newBackup: its
// flags fill a struct of options, which its run function reads. newRoot (cli.go) lists the commands, and newAdmin
// those of the operator. Nothing reads the environment, the arguments or the clock of the process elsewhere, so that
// a test runs a command as a user does.
//
// serve is the longest one: serveflags.go has its settings, instance.go opens the database and the files,
// frontends.go mounts the API and the pages on one httpserver.Server, metrics.go has the metrics. Only this package
// obtains the authority of the operator, from tracker.New, and passes it to packages operator and portable.
//
// Guarantees and refusals:
//
//   - Each flag is also a variable: --data is BUGSLICE_DATA. The flag takes precedence. A BUGSLICE_ variable that is no
//     setting of any command is refused, because a mistyped setting must not be ignored.
//   - The exit code is 0, 1 after a failure, and 2 for a mistake in the command line or the environment, which is found before
//     anything is opened. An unknown command or flag is refused with the nearest one.
//   - Results go to Streams.Out, and all else to Streams.Err. A secret is printed once, by the command that makes it.
//   - A command that is interrupted removes its partial files. serve drains requests in progress.
//   - Only serve, bootstrap, restore and admin org add create an instance. A command refuses a database of a later version, and serve
//     one whose files belong to another instance.
//   - A data directory with a SQLite file has one server at a time (lock.go); other commands work beside it.
//
// testdata/script has the stories of the command line, which start the real binary on both databases;
// testdata/oneengine those of which no database decides the outcome. A new command has a story.
//
// docs/operations.md describes the commands and settings for operators.
package cli

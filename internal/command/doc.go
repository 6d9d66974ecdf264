// Package command is the command line of a client: commands for people, scripts and agents, which call the API of a
// server through package client, and know nothing of its database. It has no command of the operator.
//
//	command.Mount(root, command.Environment{Variables: os.Environ(), Streams: …}) // beside the operator's commands
//	os.Exit(command.Run(ctx, os.Args[1:], environment, version))                  // a program of the client alone
//
// A command is a function that makes a cobra.Command from the session, such as newSliceList: its flags fill a struct,
// which its run function reads. The session (session.go) knows server, token and workspace, and requests them when a
// command first needs them. Package profile has the credentials, output the printing, tree what the operator's
// commands share.
//
// Guarantees and refusals:
//
//   - The flags are checked before anything is requested. Every change has --dry-run, which requests what it needs to
//     say what would change, and changes nothing.
//   - Wherever a record is named, its reference, key, name or e-mail address is taken, and its id. A name that several
//     records have is refused.
//   - Each error says what to do next, and the exit code what kind it is (ExitCodes).
//   - Results go to standard output, all else to standard error. For other programs records are lines separated by
//     tabs.
//   - An interrupted command says what is stored, when that is a part.
//   - A token is in no output, no error, and no argument of a process.
//
// testdata/script has the stories, which run the program against a server, some of them in a terminal.
package command

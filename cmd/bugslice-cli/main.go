// Command bugslice-cli is the command line of a client alone: the commands of bugslice that call the API of a server.
// Packages install it as bugslice.
package main

import (
	"context"
	"os"

	"bugslice/internal/command"
)

// version is set at build time.
var version string

func main() {
	streams := command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(command.Run(context.Background(), os.Args[1:],
		command.Environment{Variables: os.Environ(), Streams: streams}, version))
}

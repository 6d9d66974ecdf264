// Command bugslice is the API server and the operator's command line.
package main

import (
	"context"
	"os"

	"bugslice/internal/cli"
)

// version is set at build time.
var version string

func main() {
	cli.Version = version
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Environ(),
		cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

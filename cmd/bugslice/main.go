// Command bugslice is the API server and the operator's command line.
package main

import (
	"context"
	"os"

	"bugslice/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Environ(), cli.Streams{Out: os.Stdout, Err: os.Stderr}))
}

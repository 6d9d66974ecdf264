// Command contract writes what is generated from package api: the OpenAPI document, the methods of patches, and those
// of the client. It is run at the root of the repository, by make contract.
package main

import (
	"fmt"
	"os"
)

func main() {
	files, err := generate()
	for name, content := range files {
		if err == nil {
			err = os.WriteFile(name, content, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err)
		os.Exit(1)
	}
}

// Command outside is a program in a module of its own, which uses the public packages.
package main

import (
	"fmt"
	"os"
	"time"

	"example.com/x/bugslice/webhook"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	secret, body, at := webhook.NewSecret(), []byte(`{"type":"ping"}`), time.Now()
	signature, err := webhook.Sign("evt_1", at, body, secret)
	if err != nil {
		return err
	}
	fmt.Println("signed by", signature[:3])
	return nil
}

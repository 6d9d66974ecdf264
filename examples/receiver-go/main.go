// Command receiver-go receives webhook messages of Bugslice. It verifies each message by the secret in WEBHOOK_SECRET
// and prints it.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"bugslice/webhook"
)

func main() {
	v, err := webhook.NewVerifier(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	var seen sync.Map // a message may arrive twice, with the same id
	receive := func(_ *http.Request, id string, body []byte) error {
		if _, twice := seen.LoadOrStore(id, true); !twice {
			fmt.Printf("%s %s\n", id, body)
		}
		return nil
	}
	server := &http.Server{Addr: "127.0.0.1:8090", Handler: v.Handler(receive), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

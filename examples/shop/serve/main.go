// Command serve serves the shop with its bugs.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"time"

	"bugslice/examples/shop"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8090", "address of the shop")
	flag.Parse()
	fmt.Printf("The shop is at http://%s\n", *address)
	s := &http.Server{Addr: *address, Handler: shop.Handler(), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(s.ListenAndServe())
}

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
	var c shop.Capture
	flag.StringVar(&c.Instance, "bugslice", "", "address of the Bugslice instance that gets reports of visitors")
	flag.StringVar(&c.Key, "key", "", "public key of a source that allows the shop's address (svc_pub_…)")
	flag.Parse()
	if (c.Instance == "") != (c.Key == "") {
		log.Fatal("-bugslice and -key belong together: the settings of a workspace, under Capture, have both")
	}
	fmt.Printf("The shop is at http://%s\n", *address)
	s := &http.Server{Addr: *address, Handler: shop.Handler(c), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(s.ListenAndServe())
}

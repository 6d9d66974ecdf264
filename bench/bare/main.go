// Command bare serves two files with net/http alone, as the limit of what a server can reach.
package main

import (
	"flag"
	"log"
	"net/http"
	"os"
)

// main serves the content of two files as fast as net/http does.
func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address")
	list := flag.String("list", "", "file with the answer of /list")
	one := flag.String("one", "", "file with the answer of /one")
	flag.Parse()
	for path, file := range map[string]string{"/list": *list, "/one": *one} {
		body, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		http.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})
	}
	log.Fatal(http.ListenAndServe(*listen, nil)) //nolint:gosec // measured on loopback
}

package httpserver

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// HeaderNoCompression is the response header by which a handler keeps its response uncompressed. It is not sent.
const HeaderNoCompression = gzhttp.HeaderNoCompression

// Compression compresses the responses of handlers for clients that accept compression.
type Compression struct {
	usual, stateless func(http.Handler) http.HandlerFunc
}

// NewCompression returns a Compression of the text formats that front ends answer with.
func NewCompression() (c Compression, err error) {
	types := gzhttp.ContentTypes([]string{"application/json", "application/problem+json",
		"text/html", "text/css", "text/javascript", "text/plain", "text/markdown"})
	size := gzhttp.MinSize(1024)
	if c.usual, err = gzhttp.NewWrapper(size, types); err != nil {
		return c, err
	}
	c.stateless, err = gzhttp.NewWrapper(size, types, gzhttp.EnableZstd(false),
		gzhttp.CompressionLevel(gzip.StatelessCompression))
	return c, err
}

// Wrap compresses responses that are written at once.
func (c Compression) Wrap(h http.Handler) http.Handler { return c.usual(h) }

// WrapStream compresses responses that are written while they are read. It keeps no memory between two writes, because
// such a response may stay open for long.
func (c Compression) WrapStream(h http.Handler) http.Handler { return c.stateless(h) }

package redact

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
)

// packing is the compression of a body.
type packing struct {
	open  func(io.Reader) (io.ReadCloser, error)
	write func(io.Writer) io.WriteCloser
}

var (
	unpacked = packing{}
	gzipped  = packing{
		open:  func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
		write: func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	}
	deflated = packing{open: zlib.NewReader, write: func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }}
	rawly    = packing{
		open: func(r io.Reader) (io.ReadCloser, error) { return flate.NewReader(r), nil },
		write: func(w io.Writer) io.WriteCloser {
			z, _ := flate.NewWriter(w, flate.DefaultCompression) // a level that exists
			return z
		},
	}
	unknown = packing{open: func(io.Reader) (io.ReadCloser, error) { return nil, errors.ErrUnsupported }}
)

// packingOf returns the compression of a body, by its first bytes.
func packingOf(body string) packing {
	switch {
	case strings.HasPrefix(body, "\x1f\x8b"):
		return gzipped
	case strings.HasPrefix(body, "\x28\xb5\x2f\xfd"): // zstd
		return unknown
	case strings.HasPrefix(body, "\x78\x01"), strings.HasPrefix(body, "\x78\x9c"), strings.HasPrefix(body, "\x78\xda"):
		return deflated
	}
	return unpacked
}

// maxUnpacked bounds the bytes of the packed bodies of an archive together, once they are unpacked.
const maxUnpacked = 16 << 20

// Unpacking returns the redactor for one archive, whose packed bodies unpack to at most maxUnpacked bytes together.
// Those beyond are removed. Only one goroutine at a time may use it.
func (r *Redactor) Unpacking() *Redactor {
	c, left := *r, int64(maxUnpacked)
	c.unpacked = &left
	return &c
}

// unpack unpacks at most 64 KiB more than 64 times the packed size, so that the work stays linear in the size of the
// input, and at most left bytes, from which it subtracts.
func (p packing) unpack(body string, left *int64) (string, error) {
	if p.open == nil {
		return body, nil
	}
	z, err := p.open(strings.NewReader(body))
	if err != nil {
		return "", err
	}
	most := min(64<<10+64*int64(len(body)), *left)
	plain, err := io.ReadAll(io.LimitReader(z, most+1))
	*left -= min(int64(len(plain)), most)
	if err == nil && int64(len(plain)) > most {
		err = io.ErrShortBuffer
	}
	return string(plain), err
}

func (p packing) pack(body string) string {
	if p.write == nil {
		return body
	}
	var b bytes.Buffer
	w := p.write(&b)
	_, _ = io.WriteString(w, body) // into memory
	_ = w.Close()
	return b.String()
}

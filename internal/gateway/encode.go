package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"sync"
)

// Write encodes a record as JSON with a line feed, and calls send with it, within the bounds of a response. The bytes
// belong to send until it returns.
func (c *Call) Write(to Connection, record any, send func(json []byte) error) error {
	size := sizeOf(record)
	return c.Response(to).Write(size, func() error { return encode(record, size, send) })
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// encode calls send with a record of about size bytes as JSON. Only small buffers are reused, so that none keeps much
// memory.
func encode(record any, size int, send func([]byte) error) error {
	b := bytes.NewBuffer(make([]byte, 0, size+size/8))
	if size < LargeResponse {
		b = buffers.Get().(*bytes.Buffer)
		defer buffers.Put(b)
		b.Reset()
	}
	if err := appendJSON(b, record); err != nil {
		return err
	}
	return send(b.Bytes())
}

// encoded is a record that is JSON.
type encoded interface {
	Size() int
	io.WriterTo
}

// sizeOf returns the size of a record as JSON, or estimates it.
func sizeOf(record any) int {
	if e, ok := record.(encoded); ok {
		return e.Size() + 1
	}
	return jsonSize(reflect.ValueOf(record))
}

// appendJSON appends a record as JSON, and a line feed.
func appendJSON(b *bytes.Buffer, record any) error {
	if e, ok := record.(encoded); ok {
		_, err := e.WriteTo(b)
		b.WriteByte('\n')
		return err
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc.Encode(record)
}

package portable

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// Instance is the source of an export or a backup.
type Instance struct {
	Store   *store.Store
	Blobs   blob.Store
	Version string // of this program
}

// Bounds of the files that are read. A record of a version of this program has less than half of a line.
const (
	maxDescription = 1 << 20 // bytes of export.json or manifest.json
	maxLine        = 4 << 20 // bytes
)

// readDescription reads the entry that says what a zip file is of.
func readDescription(z *zip.ReadCloser, name string, v any) error {
	f, err := z.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDescription+1))
	if err == nil && len(text) > maxDescription {
		err = fmt.Errorf("it has more than %d MiB", maxDescription>>20)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// hasEntry reports whether a zip file holds an entry that is JSON.
func hasEntry(z *zip.ReadCloser, name string) bool {
	var any json.RawMessage
	return readDescription(z, name, &any) == nil
}

// eachLine passes on the lines of an entry. A line is valid until fn returns.
func eachLine(z *zip.ReadCloser, name string, fn func(line []byte) error) error {
	f, err := z.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 64<<10), maxLine)
	for in.Scan() {
		if err := fn(in.Bytes()); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a record has more than %d MiB", maxLine>>20)
	}
	return in.Err()
}

// isMissing reports whether an error says that a zip file lacks an entry.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

package portable

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// maxEvidenceRow is how many bytes of memory a row of evidence may take. Only early versions stored larger sets.
const maxEvidenceRow = 32 << 20

// verifyBytes refuses bytes that are not what a record says of them.
func verifyBytes(a *store.Attachment, open Opener) error {
	if a.Packed != (a.Entries != nil) {
		return errors.New("/packed must be 1 exactly where there are entries")
	}
	if a.Packed {
		if err := checkRowLengths(a.Blob, open); err != nil {
			return err
		}
	}
	src, err := openFile(a.Blob, open)
	if err != nil {
		return err
	}
	defer src.Close()
	sum, size := sha256.New(), int64(0)
	if a.Packed {
		size, err = verifyEvidence(a, src, sum)
	} else {
		size, err = io.Copy(sum, src)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the bytes of %s: %w", a.Blob, err)
	case size != a.Size:
		return fmt.Errorf("/size is %v, and the bytes of %s are %d", a.Size, a.Blob, size)
	case hex.EncodeToString(sum.Sum(nil)) != a.SHA256:
		return fmt.Errorf("/sha256 is not that of the bytes of %s", a.Blob)
	}
	return nil
}

// verifyEvidence refuses packed rows that the API could not return, and rows after the end. It writes the unpacked lines to sum,
// and returns their size.
func verifyEvidence(a *store.Attachment, src io.Reader, sum hash.Hash) (size int64, err error) {
	rows, ended := int64(evidence.FirstIndex(a.Kind)-1), false
	err = evidence.EachLine(src, func(line []byte) (bool, error) {
		sum.Write(line)
		sum.Write([]byte("\n"))
		size += int64(len(line)) + 1
		row, ok := evidence.Row(a.Kind, int(rows+1), line)
		switch {
		case ok && ended:
			return false, errors.New("there are lines after the end of the entries")
		case !ok:
			ended = true
			return true, nil
		}
		rows++
		if err := checkEvidenceRow(a.Kind, rows == 0, row); err != nil {
			return false, fmt.Errorf("line %d: %w", rows, err)
		}
		return true, nil
	})
	if err == nil && rows != *a.Entries {
		err = fmt.Errorf("there are %d rows, and /entries says %d", rows, *a.Entries)
	}
	return size, err
}

// checkRowLengths refuses packed bytes with a row that is too long, before it is read into memory.
func checkRowLengths(key string, open Opener) error {
	packed, err := openFile(key, open)
	if err != nil {
		return err
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("the bytes of %s: %w", key, err)
	}
	buffer, row := make([]byte, 64<<10), 0
	for {
		n, err := z.Read(buffer)
		first := bytes.IndexByte(buffer[:n], '\n')
		if first < 0 {
			row += n
		} else if row += first; row <= maxEvidenceRow {
			row = n - 1 - bytes.LastIndexByte(buffer[:n], '\n')
		}
		switch {
		case row > maxEvidenceRow:
			return fmt.Errorf("the bytes of %s: a row has more than %d MiB", key, maxEvidenceRow>>20)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the bytes of %s: %w", key, err)
		}
	}
}

// maxAction is how many characters the API allows in the type of an action.
const maxAction = 50

// checkEvidenceRow refuses a row of evidence that the API could not return. Its length does not count: a file is not
// bound to the limits of what is sent with a slice.
func checkEvidenceRow(kind api.AttachmentKind, head bool, row []byte) error {
	if head {
		row = append(slices.Clone(row), "[]"+evidence.ArchiveEnd...)
	}
	if !json.Valid(row) || row[0] != '{' {
		return errors.New("is no JSON object")
	}
	switch kind {
	case api.KindConsole:
		e := api.ConsoleEntry{}
		if err := json.Unmarshal(row, &e); err != nil {
			return err
		}
		e.Message, e.Stack, e.Args = "", nil, []json.RawMessage{}
		return input.RecordSchema(e)
	case api.KindActions:
		e := api.ActionEntry{}
		if err := json.Unmarshal(row, &e); err != nil {
			return err
		}
		e.Type = truncate(e.Type, maxAction)
		e.Selector, e.Text, e.Value, e.URL = nil, nil, nil, nil
		return input.RecordSchema(e)
	case api.KindNetwork:
		if head {
			return nil
		}
		e, err := evidence.Summary(row)
		if err != nil {
			return err
		}
		return input.RecordSchema(e)
	case api.KindReplay:
		var e struct{ Type, Timestamp *float64 }
		if err := json.Unmarshal(row, &e); err != nil || e.Type == nil || e.Timestamp == nil {
			return errors.New("is no event of rrweb: an object with type and timestamp")
		}
		return nil
	}
	return fmt.Errorf("/kind %q has no entries", kind)
}

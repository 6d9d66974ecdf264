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
	longest := 0
	if a.Packed {
		var err error
		if longest, err = longestRow(a.Blob, open); err != nil {
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
		size, err = verifyEvidence(a, src, longest, sum)
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

// verifyEvidence refuses packed rows that the API could not return, and rows after the end. It writes the unpacked
// lines to sum, and returns their size.
func verifyEvidence(a *store.Attachment, src io.Reader, longest int, sum hash.Hash) (size int64, err error) {
	rows, ended := int64(evidence.FirstIndex(a.Kind)-1), false
	err = evidence.EachLine(src, longest, func(line []byte) (bool, error) {
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

// longestRow returns the length of the longest row of packed bytes. It refuses a row that is too long, before one is
// read into memory.
func longestRow(key string, open Opener) (longest int, err error) {
	packed, err := openFile(key, open)
	if err != nil {
		return 0, err
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return 0, fmt.Errorf("the bytes of %s: %w", key, err)
	}
	buffer, row := make([]byte, 64<<10), 0
	for {
		n, err := z.Read(buffer)
		for rest := buffer[:n]; ; row = 0 {
			line, after, ended := bytes.Cut(rest, []byte("\n"))
			row += len(line)
			longest = max(longest, row)
			if rest = after; !ended {
				break
			}
		}
		switch {
		case longest > maxEvidenceRow:
			return 0, fmt.Errorf("the bytes of %s: a row has more than %d MiB", key, maxEvidenceRow>>20)
		case errors.Is(err, io.EOF):
			return longest, nil
		case err != nil:
			return 0, fmt.Errorf("the bytes of %s: %w", key, err)
		}
	}
}

// maxAction is how many characters the API allows in the type of an action.
const maxAction = 50

// text is a string of any length, or null. It is not copied into memory.
type text struct{}

func (text) UnmarshalJSON(b []byte) error {
	if b[0] != '"' && string(b) != "null" {
		return errors.New("is no string")
	}
	return nil
}

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
		var e struct {
			api.ConsoleEntry
			Message text `json:"message"`
			Stack   text `json:"stack"`
		}
		if err := json.Unmarshal(row, &e); err != nil {
			return err
		}
		e.Args = []json.RawMessage{}
		return input.RecordSchema(e.ConsoleEntry)
	case api.KindActions:
		var e struct {
			api.ActionEntry
			Selector text `json:"selector"`
			Text     text `json:"text"`
			Value    text `json:"value"`
			URL      text `json:"url"`
		}
		if err := json.Unmarshal(row, &e); err != nil {
			return err
		}
		e.Type = truncate(e.Type, maxAction)
		return input.RecordSchema(e.ActionEntry)
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

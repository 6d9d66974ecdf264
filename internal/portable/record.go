package portable

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"bugslice/internal/input"
	"bugslice/internal/strictjson"
	"bugslice/internal/tracker"
)

// Opener opens a file of an export by its key. The error is fs.ErrNotExist for a file that was deleted while the
// export was written.
type Opener func(key string) (io.ReadCloser, error)

// destination is the workspace into which an export is imported.
type destination struct {
	operator    tracker.OrganizationOperator
	workspaceID string
	existing    bool // it has numbers of its own
	addMembers  bool // assignees who are no members become members
	redactor    *tracker.Redactor
	ids         *idMap
	exported    map[string]bool      // spaces and slices of the export, by their ids there
	duplicates  map[string]duplicate // slices whose original comes later, by their ids here
	fileKeys    map[string]bool      // that records of the export name
}

// duplicate names the original of a slice that comes later in the export, and the version of the slice with that
// original.
type duplicate struct {
	of      string
	version int64
}

// batch are records that are imported in one transaction.
type batch struct {
	*destination
	open  Opener
	files *tracker.FileBatch
}

// record is a record of an export.
type record interface {
	exportedID() string
	// prepare does what needs no transaction: it checks what the record refers to, stores the bytes of files,
	// removes secrets, and replaces ids.
	prepare(ctx context.Context, b *batch) error
	// insert stores the record unless it is there already, and reports it. It may run several times.
	insert(tx *tracker.OperatorTx, d *destination, report *ImportReport) error
}

// ImportReport says what became of an import.
type ImportReport struct {
	WorkspaceID         string
	Slices              int
	Comments            int
	Attachments         int
	AlreadyThere        int
	FilesMissing        int // deleted while the export was written
	Assigned            int // slices whose assignee is a member here
	Strangers           int // slices whose assignee has no user here
	Unassigned          int // slices whose assignee has a user here that is no member
	Disabled            int // slices whose assignee has a disabled user here that is no member
	MembersAdded        int // users to whom slices are assigned
	ExternalIDsOmitted  int // in use here
	FingerprintsOmitted int // of slices that are open here
	Truncated           int // texts that were longer than the API allows
	Redacted            int // secrets that were removed
}

// checkSlice refuses a reference to a slice that the export does not hold.
func (d *destination) checkSlice(column, sliceID string) error {
	return d.checkExported(column, "slice", sliceID)
}

func (d *destination) checkExported(column, kind, id string) error {
	if !d.exported[id] {
		return fmt.Errorf("/%s names no %s of this export: %s", column, kind, Printable(id))
	}
	return nil
}

// checkRedaction refuses what was redacted when that was broken off.
func (d *destination) checkRedaction() error {
	if d.redactor == nil {
		return nil
	}
	return d.redactor.Err()
}

// rowID returns the id of a row for errors, as far as it can be read.
func rowID(line []byte) string {
	var row struct {
		ID      json.RawMessage
		SliceID json.RawMessage `json:"slice_id"`
	}
	_ = json.Unmarshal(line, &row)
	raw := row.ID
	if raw == nil {
		raw = row.SliceID
	}
	var id string
	if json.Unmarshal(raw, &id) != nil {
		id = string(raw)
	}
	return id
}

// readRow validates and decodes a row.
func readRow[T any](line []byte) (T, error) { return input.Row[T](line) }

// maxValues is how many values a column of JSON may hold. A text of few bytes can hold many, which take much memory
// once they are decoded.
const maxValues = 10_000

// decodeColumn decodes a column of JSON. An empty one leaves the target as it is.
func decodeColumn(column, text string, target any) error {
	if text == "" {
		return nil
	}
	if err := checkValues(column, text); err != nil {
		return err
	}
	if err := strictjson.Unmarshal([]byte(text), target); err != nil {
		return columnError(column, err)
	}
	return nil
}

// columnError says where a column of JSON is wrong.
func columnError(column string, err error) error {
	f := strictjson.Cause(err)
	return fmt.Errorf("/%s%s: %s", column, truncate(f.Pointer, maxQuoted), f.Detail)
}

// columnsOf returns the values of a row by its columns: texts, whole numbers and nil.
func columnsOf(row any) map[string]any {
	values := map[string]any{}
	for f, v := range reflect.ValueOf(row).Fields() {
		var value any
		if v = reflect.Indirect(v); v.IsValid() {
			value = v.Interface()
		}
		values[f.Tag.Get("json")] = value
	}
	return values
}

func checkValues(column, text string) error {
	d := json.NewDecoder(strings.NewReader(text))
	for range maxValues {
		if _, err := d.Token(); err != nil { // its decoding refuses what is no JSON
			return nil //nolint:nilerr // as above
		}
	}
	return fmt.Errorf("/%s must hold at most %d values", column, maxValues)
}

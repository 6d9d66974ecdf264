package tracker

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// Whole numbers of a record: whatever counts goes on counting from there.
const (
	mostCounted = 1_000_000_000_000
	latestTime  = 253402300799999 // 9999-12-31T23:59:59.999Z
)

// Texts that marks of redaction may have made longer than the API takes them.
const (
	mostBody = 65536
	mostURL  = 2048
)

// documents are the columns that hold JSON. A text of few bytes can hold many values, which take much
// memory when they are read.
var documents = map[string]bool{"data": true, "environment": true, "metadata": true, "labels": true, "redaction": true, "last_occurrence": true}

const mostValues = 10_000

// many says whether JSON holds more values than a record may.
func many(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	for range mostValues {
		if _, err := d.Token(); err != nil { // what is no JSON is refused later
			return false
		}
	}
	return true
}

// sound refuses values that no column holds: other than text, whole numbers within bounds and null.
func sound(r store.Record) error {
	for column, v := range r {
		switch v := v.(type) {
		case nil:
		case string:
			if strings.ContainsRune(v, 0) {
				return fmt.Errorf("/%s must not hold U+0000", truncate(column, maxQuoted))
			}
			if documents[column] && many(v) {
				return fmt.Errorf("/%s must hold at most %d values", column, mostValues)
			}
		case json.Number:
			most := int64(mostCounted)
			if strings.HasSuffix(column, "_at") {
				most = latestTime
			}
			if n, err := v.Int64(); err != nil || n < 0 || n > most {
				return fmt.Errorf("/%s must be a whole number from 0 to %d, not %s", column, most, v)
			}
		default:
			return fmt.Errorf("/%s must be text, a whole number or null", column)
		}
	}
	if f, ok := r["fingerprint"].(string); ok && utf8.RuneCountInString(f) > 200 {
		return errors.New("/fingerprint must have at most 200 characters")
	}
	return nil
}

// about names a record in an error.
func about(table string, r store.Record, err error) error {
	var taken *store.UniqueViolationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &taken):
		err = fmt.Errorf("another record has what only one may have (%s)", taken.Index)
	}
	return &recordError{table, truncate(fmt.Sprint(cmp.Or(r["id"], r["slice_id"])), maxQuoted), err}
}

// Values of an export may be long: so much is quoted of one, and said of a record.
const (
	maxQuoted = 100
	maxSaid   = 1000
)

// recordError says what is wrong with a record. Its length is bounded, whatever it quotes.
type recordError struct {
	table, id string
	err       error
}

func (e *recordError) Error() string {
	said := e.err.Error()
	if short := truncate(said, maxSaid); len(short) < len(said) {
		said = short + "…"
	}
	return e.table + " " + e.id + ": " + said
}

func (e *recordError) Unwrap() error { return e.err }

// references are the columns that name a record of the same export, by their tables.
var references = map[string][]struct{ column, kind string }{
	"slices":       {{"space_id", id.Space}},
	"slice_labels": {{"slice_id", id.Slice}},
	"comments":     {{"slice_id", id.Slice}},
	"attachments":  {{"slice_id", id.Slice}},
	"events":       {{"subject_id", id.Slice}},
}

// refers refuses a record that names one which the export does not hold.
func (im *Importing) refers(table string, r store.Record) error {
	for _, to := range references[table] {
		old, ok := r[to.column].(string)
		if r[to.column] != nil && (!ok || !im.known[old]) || r[to.column] == nil && to.kind == id.Slice {
			return fmt.Errorf("/%s names no %s of this export: %v", to.column, map[string]string{id.Space: "space", id.Slice: "slice"}[to.kind], r[to.column])
		}
	}
	return nil
}

// repeats refuses slices that repeat each other in a circle.
func (im *Importing) repeats(r store.Record) error {
	sliceID, _ := r["id"].(string)
	of, ok := r["duplicate_of_id"].(string)
	if !ok {
		return nil
	}
	im.repeated[sliceID] = of
	for ; of != ""; of = im.repeated[of] {
		if of == sliceID {
			return errors.New("/duplicate_of_id: the slices would be duplicates of each other in a circle")
		}
	}
	return nil
}

// fit cuts what marks have made too long for its member, lets go of addresses that run a script, and
// says how often.
func (im *Importing) fit(table string, r store.Record) (cut int, err error) {
	shorten := func(text string, most int) string {
		short := truncate(text, most)
		if len(short) < len(text) {
			cut++
		}
		return short
	}
	switch table {
	case "comments":
		if body, ok := r["body"].(string); ok {
			r["body"] = shorten(body, mostBody)
		}
	case "slices":
		address := func(text string) *string {
			if isScriptURL(text) {
				cut++
				return nil
			}
			text = shorten(text, mostURL)
			return &text
		}
		if text, ok := r["source_url"].(string); ok {
			r["source_url"] = nil
			if kept := address(text); kept != nil {
				r["source_url"] = *kept
			}
		}
		text, _ := r["environment"].(string)
		var e api.Environment
		if json.Unmarshal([]byte(text), &e) != nil || e.BuildURL == nil { // what is no environment is refused later
			return cut, nil
		}
		e.BuildURL = address(*e.BuildURL)
		short, err := json.Marshal(e)
		r["environment"] = string(short)
		return cut, err
	}
	return cut, nil
}

// check refuses a record that the API would answer otherwise than its document says.
func (im *Importing) check(q store.Queries, table string, r store.Record) error {
	recordID, _ := r["id"].(string)
	switch table {
	case "spaces":
		s, err := q.Space(im.WorkspaceID, recordID)
		return cmp.Or(err, input.Record(s))
	case "slices":
		s, err := q.Slice(recordID)
		if over := isFinished(s.Status); err == nil && (over != (s.Resolution != nil) || over != (s.ResolvedAt != nil)) {
			err = errors.New("/resolution and /resolvedAt stand exactly when a slice is resolved or closed")
		}
		return cmp.Or(err, input.Record(im.t.show(s)))
	case "comments":
		c, err := q.Comment(recordID)
		c.Mentions = []api.Mention{}
		return cmp.Or(err, input.Record(c))
	case "attachments":
		a, err := q.Attachment(recordID)
		return cmp.Or(err, input.Record(im.t.showAttachment(a)))
	case "events":
		e, err := q.Event(im.WorkspaceID, recordID)
		if err != nil {
			return err
		}
		a, err := im.t.showActivity(e, nil)
		return cmp.Or(err, input.Record(a))
	}
	return nil
}

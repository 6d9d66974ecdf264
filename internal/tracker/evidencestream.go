package tracker

import (
	"bufio"
	"context"
	"errors"
	"io"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// partFunc receives the rows of evidence in parts: the number of a row, from 1, and whether the part is its first one.
// The number 0 is the head of a HAR.
type partFunc func(number int, first bool, part []byte) error

// streamQuery is a request for the rows of a kind of evidence of an occurrence.
type streamQuery struct {
	operation, sliceID string
	kind               api.AttachmentKind
	occurrence         int64 // 0 for the newest one with evidence
}

// forEachPart calls fn for the parts of every row of a kind of a slice the caller sees. The scope of the operation
// must be checked already.
func (t *Tracker) forEachPart(ctx context.Context, c access.Caller, query streamQuery, fn partFunc) error {
	q := t.access.Read(ctx)
	s, err := c.Slice(q, query.sliceID)
	if err != nil {
		return err
	}
	g := t.access.NewSliceGuard(ctx, c, query.operation, s.ID)
	sets, err := evidenceSets(q, c, s, query.kind, query.occurrence)
	if err != nil {
		return err
	}
	for _, a := range sets {
		hidden, err := t.hiddenEvents(ctx, c, a)
		if err != nil {
			return err
		}
		err = t.readParts(ctx, a, func(number int, first bool, part []byte) error {
			if err := g.Allow(); err != nil || hidden[number] {
				return err
			}
			return fn(number, first, part)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readParts calls fn for the parts of every row of a set. A set that was deleted meanwhile has no rows.
func (t *Tracker) readParts(ctx context.Context, a store.Attachment, fn partFunc) error {
	r, _, err := t.openEvidence(ctx, a)
	if err != nil {
		return ignoreNotFound(err)
	}
	defer func() { _ = r.Close() }()
	return r.Parts(a.Kind, func(number int, first bool, part []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(number, first, part)
	})
}

// hiddenEvents returns the numbers of the events of a replay that the caller does not see. It reads the replay once
// more than a caller who sees all of it, because an event may say at its end what it contains.
func (t *Tracker) hiddenEvents(ctx context.Context, c access.Caller, a store.Attachment) (map[int]bool, error) {
	shows := c.ReplayFilter()
	if a.Kind != api.KindReplay || shows == nil {
		return nil, nil
	}
	hidden, event, number := map[int]bool{}, evidence.EventHead{}, 0
	end := func() {
		if number > 0 && !shows(event.Part()) {
			hidden[number] = true
		}
	}
	err := t.readParts(ctx, a, func(n int, first bool, part []byte) error {
		if first {
			end()
			event, number = evidence.EventHead{}, n
		}
		event.Write(part)
		return nil
	})
	end()
	return hidden, err
}

// jsonArrayWriter writes rows as a JSON array.
type jsonArrayWriter struct {
	*bufio.Writer
	rows int
}

func newJSONArrayWriter(to io.Writer) *jsonArrayWriter {
	return &jsonArrayWriter{Writer: bufio.NewWriterSize(to, 16<<10)}
}

// add writes a part of a row.
func (w *jsonArrayWriter) add(first bool, part []byte) error {
	if first {
		separator := byte(',')
		if w.rows == 0 {
			separator = '['
		}
		w.rows++
		if err := w.WriteByte(separator); err != nil {
			return err
		}
	}
	return errorOf(w.Write(part))
}

// end writes the end of the array and the text after it.
func (w *jsonArrayWriter) end(text string) error {
	if w.rows == 0 {
		text = "[]" + text
	} else {
		text = "]" + text
	}
	return errors.Join(errorOf(w.WriteString(text)), w.Flush())
}

// emptyHARHead is the head of a HAR without requests.
const emptyHARHead = `{"version":"1.2","creator":{"name":"Bugslice","version":"1"}}`

// GetArchive writes the network requests of a slice the caller sees as HAR 1.2, with the head of the first set.
func (t *Tracker) GetArchive(ctx context.Context, c access.Caller, v input.Valid[api.GetArchive], to io.Writer) error {
	in, err := v.Value(c.Allow(api.OpGetArchive))
	if err != nil {
		return err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetArchive)
	if err != nil {
		return err
	}
	defer slot.Release()
	w, heads := newJSONArrayWriter(slot.Writer(ctx, to)), 0
	query := streamQuery{operation: api.OpGetArchive, sliceID: in.SliceID, kind: api.KindNetwork,
		occurrence: int64(in.Occurrence)}
	err = t.forEachPart(ctx, c, query, func(number int, first bool, part []byte) error {
		if number > 0 {
			return w.add(first, part)
		}
		if first {
			heads++
		}
		if heads > 1 { // the head of another set
			return nil
		}
		return errorOf(w.Write(part))
	})
	if err == nil && heads == 0 {
		err = errorOf(w.Write(evidence.ArchiveHead([]byte(emptyHARHead))))
	}
	if err != nil {
		return err
	}
	return w.end(evidence.ArchiveEnd)
}

// GetReplay writes the rrweb events of a slice the caller sees.
func (t *Tracker) GetReplay(ctx context.Context, c access.Caller, v input.Valid[api.GetReplay], to io.Writer) error {
	in, err := v.Value(c.Allow(api.OpGetReplay))
	if err != nil {
		return err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetReplay)
	if err != nil {
		return err
	}
	defer slot.Release()
	w := newJSONArrayWriter(slot.Writer(ctx, to))
	_, err = w.WriteString(`{"events":`)
	if err == nil {
		query := streamQuery{operation: api.OpGetReplay, sliceID: in.SliceID, kind: api.KindReplay,
			occurrence: int64(in.Occurrence)}
		err = t.forEachPart(ctx, c, query, func(_ int, first bool, part []byte) error { return w.add(first, part) })
	}
	if err != nil {
		return err
	}
	return w.end("}")
}

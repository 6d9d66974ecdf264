package tracker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// maxSets is how many sets of a kind one slice shows; more are read one by one as attachments.
const maxSets = 100

// maxRead is how many bytes of evidence of a kind one answer is made from. It reads at least one
// set, and goes on behind it on the next page.
const maxRead = 32 << 20

// affordable says how many of the sets one answer is made from.
func affordable(sets []store.Attachment) int {
	var read int64
	for i, a := range sets {
		if read += a.Size; read > maxRead && i > 0 {
			return i
		}
	}
	return len(sets)
}

// row is a row of evidence and where it stands: the attachment, and its place there.
type row[T any] struct {
	value      T
	attachment string
	place      int
}

// captured returns a page of the rows of a kind that decode keeps, in the order they were captured.
// A row that decode cannot read is passed over; it stays in its attachment.
func captured[T any](t *Tracker, ctx context.Context, c Caller, operation, sliceID string, kind api.AttachmentKind, paging api.Paging, filters any, decode func(line []byte) (T, bool, error)) (api.Page[T], error) {
	var none api.Page[T]
	slot, err := t.compute(ctx, c, operation)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	bind := binding(operation, c, filters)
	at, err := t.position(paging, bind, 2)
	if err != nil {
		return none, err
	}
	tx := t.store.Read(ctx)
	if _, err := t.slice(tx, c, sliceID); err != nil {
		return none, err
	}
	sets, err := t.sets(tx, sliceID, kind)
	if err != nil {
		return none, err
	}
	after, err := strconv.Atoi("0" + at[1])
	if err != nil {
		return none, err
	}
	var rows []row[T]
	sets = slices.DeleteFunc(sets, func(a store.Attachment) bool { return a.ID < at[0] })
	n := affordable(sets)
	for _, a := range sets[:n] {
		if len(rows) > paging.Limit {
			break
		}
		err := t.lines(ctx, a, func(place int, line []byte) (bool, error) {
			if place == 0 || a.ID == at[0] && place <= after {
				return true, nil
			}
			if v, keep, err := decode(line); err == nil && keep {
				rows = append(rows, row[T]{v, a.ID, place})
			}
			return len(rows) <= paging.Limit, nil
		})
		if err != nil {
			return none, err
		}
	}
	p := page(t, rows, paging.Limit, bind, func(r row[T]) []string { return []string{r.attachment, strconv.Itoa(r.place)} })
	if n < len(sets) && !p.Pagination.HasMore {
		next := t.cursors.Encode(bind, sets[n].ID, "0")
		p.Pagination.HasMore, p.Pagination.Cursor = true, &next
	}
	return api.Page[T]{Data: convert(p.Data, func(r row[T]) T { return r.value }), Pagination: p.Pagination}, nil
}

// sets returns the attachments of a slice that were read as evidence of a kind.
func (t *Tracker) sets(tx *store.Tx, sliceID string, kind api.AttachmentKind) ([]store.Attachment, error) {
	all, err := tx.Attachments(sliceID, []api.AttachmentKind{kind}, "", maxSets)
	return slices.DeleteFunc(all, func(a store.Attachment) bool { return a.Entries == nil }), err
}

// lines shows the rows of a set with their places, which begin at 1. What stands before the entries
// of a HAR has place 0. A set that was deleted meanwhile has none. Nothing is read on when ctx has ended.
func (t *Tracker) lines(ctx context.Context, a store.Attachment, fn func(place int, line []byte) (bool, error)) error {
	r, err := t.open(ctx, a, a.Blob)
	var p *api.Problem
	if errors.As(err, &p) && p.Code == api.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return evidence.Rows(a.Kind, r, func(place int, row []byte) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return fn(place, row)
	})
}

// ListConsole lists the lines of the console of a slice the caller sees.
func (t *Tracker) ListConsole(ctx context.Context, c Caller, in api.ListConsole) (api.Page[api.ConsoleEntry], error) {
	filters, q := in, strings.ToLower(in.Q)
	filters.Paging = api.Paging{}
	return captured(t, ctx, c, api.OpListConsole, in.SliceID, api.KindConsole, in.Paging, filters, func(line []byte) (e api.ConsoleEntry, keep bool, err error) {
		err = json.Unmarshal(line, &e)
		keep = (len(in.Level) == 0 || slices.Contains(in.Level, e.Level)) && (q == "" || contains(q, &e.Message, e.Stack))
		if e.Args == nil {
			e.Args = []json.RawMessage{}
		}
		return e, keep, err
	})
}

func contains(q string, texts ...*string) bool {
	return slices.ContainsFunc(texts, func(s *string) bool { return s != nil && strings.Contains(strings.ToLower(*s), q) })
}

// ListNetwork lists the requests of a slice the caller sees.
func (t *Tracker) ListNetwork(ctx context.Context, c Caller, in api.ListNetwork) (api.Page[api.NetworkEntry], error) {
	filters, q := in, strings.ToLower(in.URL)
	filters.Paging = api.Paging{}
	return captured(t, ctx, c, api.OpListNetwork, in.SliceID, api.KindNetwork, in.Paging, filters, func(line []byte) (api.NetworkEntry, bool, error) {
		n, err := evidence.Summary(line)
		class := api.StatusClass("failed")
		if n.Status > 0 {
			class = api.StatusClass(strconv.Itoa(int(n.Status/100)) + "xx")
		}
		keep := (len(in.Status) == 0 || slices.Contains(in.Status, class)) && (len(in.Method) == 0 || slices.ContainsFunc(in.Method, func(m string) bool { return strings.EqualFold(m, n.Method) })) && (q == "" || contains(q, &n.URL))
		return n, keep, err
	})
}

// ListActions lists what the user of a slice the caller sees did.
func (t *Tracker) ListActions(ctx context.Context, c Caller, in api.ListActions) (api.Page[api.ActionEntry], error) {
	filters, q := in, strings.ToLower(in.Q)
	filters.Paging = api.Paging{}
	return captured(t, ctx, c, api.OpListActions, in.SliceID, api.KindActions, in.Paging, filters, func(line []byte) (e api.ActionEntry, keep bool, err error) {
		err = json.Unmarshal(line, &e)
		keep = (len(in.Type) == 0 || slices.Contains(in.Type, e.Type)) && (q == "" || contains(q, e.Selector, e.Text, e.URL))
		return e, keep, err
	})
}

// wholly shows every row of a kind of a slice the caller sees, and what stands before the entries of HARs at place 0.
func (t *Tracker) wholly(ctx context.Context, c Caller, operation, sliceID string, kind api.AttachmentKind, fn func(place int, line []byte) (bool, error)) error {
	if err := c.Allow(operation); err != nil {
		return err
	}
	tx := t.store.Read(ctx)
	if _, err := t.slice(tx, c, sliceID); err != nil {
		return err
	}
	sets, err := t.sets(tx, sliceID, kind)
	for _, a := range sets {
		if err == nil {
			err = t.lines(ctx, a, fn)
		}
	}
	return err
}

// listing writes rows as a JSON list, as they come.
type listing struct {
	*bufio.Writer
	rows int
}

func newListing(to io.Writer) *listing { return &listing{Writer: bufio.NewWriterSize(to, 64<<10)} }

func (l *listing) add(row []byte) error {
	before := byte(',')
	if l.rows == 0 {
		before = '['
	}
	l.rows++
	return errors.Join(l.WriteByte(before), second(l.Write(row)))
}

func (l *listing) end(text string) error {
	if l.rows == 0 {
		text = "[]" + text
	} else {
		text = "]" + text
	}
	return errors.Join(second(l.WriteString(text)), l.Flush())
}

func second(_ int, err error) error { return err }

// noArchive is the head of the HAR of a slice without requests.
const noArchive = `{"version":"1.2","creator":{"name":"Bugslice","version":"1"}}`

// GetArchive writes the requests of a slice the caller sees as HAR 1.2, with the head of the
// first that was captured.
func (t *Tracker) GetArchive(ctx context.Context, c Caller, in api.GetArchive, to io.Writer) error {
	slot, err := t.compute(ctx, c, api.OpGetArchive)
	if err != nil {
		return err
	}
	defer slot.Release()
	list, begun := newListing(slot.Writer(ctx, to)), false
	err = t.wholly(ctx, c, api.OpGetArchive, in.SliceID, api.KindNetwork, func(place int, line []byte) (bool, error) {
		if place > 0 {
			return true, list.add(line)
		}
		if begun {
			return true, nil
		}
		begun = true
		return true, second(list.Write(line))
	})
	if err == nil && !begun {
		err = second(list.Write(evidence.ArchiveHead([]byte(noArchive))))
	}
	if err != nil {
		return err
	}
	return list.end(evidence.ArchiveEnd)
}

// GetReplay writes the events of rrweb of a slice the caller sees.
func (t *Tracker) GetReplay(ctx context.Context, c Caller, in api.GetReplay, to io.Writer) error {
	slot, err := t.compute(ctx, c, api.OpGetReplay)
	if err != nil {
		return err
	}
	defer slot.Release()
	list := newListing(slot.Writer(ctx, to))
	_, err = list.WriteString(`{"events":`)
	if err == nil {
		err = t.wholly(ctx, c, api.OpGetReplay, in.SliceID, api.KindReplay, func(_ int, line []byte) (bool, error) { return true, list.add(line) })
	}
	if err != nil {
		return err
	}
	return list.end("}")
}

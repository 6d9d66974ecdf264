package tracker

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// maxSets is how many sets of a kind one slice shows; more are read one by one as attachments.
const maxSets = 100

// maxPageBytes is how many bytes of rows one page is made from, behind its cursor and in blocks that may
// hold some. It reads at least one row, and the next page goes on behind it.
const maxPageBytes = 8 << 20

// evidenceRow is a row of evidence and where it stands: the attachment, and its place there.
type evidenceRow[T any] struct {
	value      T
	attachment string
	number     int
}

func (r evidenceRow[T]) position() []string { return []string{r.attachment, strconv.Itoa(r.number)} }

// evidenceQuery asks for a page of the rows of a kind: those that decode keeps, of the classes if there are any.
type evidenceQuery[T any] struct {
	operation, sliceID string
	kind               api.AttachmentKind
	paging             api.Paging
	filters            any
	classes            []int
	decode             func(line []byte) (v T, keep bool, err error)
}

// evidencePage returns a page of rows in the order they were captured. A row that decode cannot read is
// passed over; it stays in its attachment.
func evidencePage[T any](t *Tracker, ctx context.Context, c Caller, q evidenceQuery[T]) (api.Page[T], error) {
	var none api.Page[T]
	slot, err := t.acquireSlot(ctx, c, q.operation)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	bind := cursorScope(q.operation, c, q.filters)
	at, err := t.decodeCursor(q.paging, bind, 2)
	if err != nil {
		return none, err
	}
	records := t.store.Read(ctx)
	g := t.newSliceGuard(ctx, c, q.operation, q.sliceID)
	if _, err := t.slice(records, c, q.sliceID); err != nil {
		return none, err
	}
	sets, err := t.evidenceSets(records, q.sliceID, q.kind)
	if err != nil {
		return none, err
	}
	sets = slices.DeleteFunc(sets, func(a store.Attachment) bool { return a.ID < at[0] })
	key, err := q.cacheKey(at, sets)
	if err != nil {
		return none, err
	}
	found, err := cached(t.derived, key, func() (foundRows[T], int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		return findRows(t, ctx, q, at, sets)
	})
	if err == nil {
		err = g.allow()
	}
	if err != nil {
		return none, err
	}
	p := newPage(t, found.rows, q.paging.Limit, bind, evidenceRow[T].position)
	if found.next != nil && !p.Pagination.HasMore {
		next := t.cursors.Encode(bind, found.next...)
		p.Pagination.HasMore, p.Pagination.Cursor = true, &next
	}
	return api.Page[T]{Data: convert(p.Data, func(r evidenceRow[T]) T { return r.value }), Pagination: p.Pagination}, nil
}

// detached is for work whose result others wait for too: it does not end with the request that began
// it. It is bounded in time.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
}

// cacheKey names what a page is made from.
func (q evidenceQuery[T]) cacheKey(at []string, sets []store.Attachment) (string, error) {
	sum := sha256.New()
	enc := json.NewEncoder(sum)
	err := errors.Join(enc.Encode(q.filters), enc.Encode(at), enc.Encode(q.paging.Limit))
	for _, a := range sets {
		err = errors.Join(err, enc.Encode(a.ID))
	}
	return q.operation + " " + string(sum.Sum(nil)), err
}

// foundRows is what a page is made from: one row more than it may have, or where it was cut.
type foundRows[T any] struct {
	rows []evidenceRow[T]
	next []string
}

// findRows reads the rows behind a position and returns about how much memory they take.
func findRows[T any](t *Tracker, ctx context.Context, q evidenceQuery[T], at []string, sets []store.Attachment) (f foundRows[T], weight int, err error) {
	left := maxPageBytes
	for i, a := range sets {
		want := evidence.Filter{Classes: q.classes}
		if a.ID == at[0] {
			if want.After, err = strconv.Atoi(at[1]); err != nil {
				return f, 0, err
			}
		}
		end := i == len(sets)-1 && a.Entries != nil
		err = t.scanRows(ctx, a, want, func(place int, line []byte) (bool, error) {
			left -= len(line)
			if v, keep, err := q.decode(line); err == nil && keep {
				f.rows = append(f.rows, evidenceRow[T]{v, a.ID, place})
				weight += 2*len(line) + 256
			}
			if left < 0 && (!end || int64(place) < *a.Entries) {
				f.next = evidenceRow[T]{attachment: a.ID, number: place}.position()
			}
			return f.next == nil && len(f.rows) <= q.paging.Limit, nil
		})
		if err != nil || f.next != nil || len(f.rows) > q.paging.Limit {
			break
		}
	}
	return f, weight, err
}

// evidenceSets returns the attachments of a slice that were read as evidence of a kind.
func (t *Tracker) evidenceSets(q store.Queries, sliceID string, kind api.AttachmentKind) ([]store.Attachment, error) {
	all, err := q.Attachments(sliceID, []api.AttachmentKind{kind}, "", maxSets)
	return slices.DeleteFunc(all, func(a store.Attachment) bool { return a.Entries == nil }), err
}

// scanRows shows the rows of a set that are wanted. A set that was deleted meanwhile has none. Nothing is
// read on when ctx has ended.
func (t *Tracker) scanRows(ctx context.Context, a store.Attachment, want evidence.Filter, fn func(place int, line []byte) (bool, error)) error {
	r, _, err := t.openEvidence(ctx, a)
	if err != nil {
		return ignoreNotFound(err)
	}
	defer func() { _ = r.Close() }()
	return r.Rows(a.Kind, want, func(place int, row []byte) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return fn(place, row)
	})
}

// rowMatcher returns what says of a row, before it is decoded, that it cannot have one of the texts. No
// text is in every row.
func rowMatcher[T ~string](texts ...T) func(line []byte) bool {
	var needles []*evidence.Needle
	for _, text := range texts {
		needles = append(needles, evidence.NewNeedle(string(text)))
	}
	return func(line []byte) bool {
		return len(needles) == 0 || slices.ContainsFunc(needles, func(n *evidence.Needle) bool { return n.Possible(line) })
	}
}

// ListConsole lists the lines of the console of a slice the caller sees.
func (t *Tracker) ListConsole(ctx context.Context, c Caller, v input.Valid[api.ListConsole]) (api.Page[api.ConsoleEntry], error) {
	in, err := v.Value(c.Allow(api.OpListConsole))
	if err != nil {
		return api.Page[api.ConsoleEntry]{}, err
	}
	q := strings.ToLower(in.Q)
	text, level := rowMatcher(q), rowMatcher(in.Level...)
	rows := evidenceQuery[api.ConsoleEntry]{operation: api.OpListConsole, sliceID: in.SliceID, kind: api.KindConsole, paging: in.Paging,
		filters: in}
	rows.classes = convert(in.Level, evidence.LevelClass)
	rows.decode = func(line []byte) (e api.ConsoleEntry, keep bool, err error) {
		if !text(line) || !level(line) {
			return e, false, nil
		}
		err = json.Unmarshal(line, &e)
		keep = (len(in.Level) == 0 || slices.Contains(in.Level, e.Level)) && (q == "" || anyContains(q, &e.Message, e.Stack))
		if e.Args == nil {
			e.Args = []json.RawMessage{}
		}
		return e, keep, err
	}
	return evidencePage(t, ctx, c, rows)
}

// ListNetwork lists the requests of a slice the caller sees.
func (t *Tracker) ListNetwork(ctx context.Context, c Caller, v input.Valid[api.ListNetwork]) (api.Page[api.NetworkEntry], error) {
	in, err := v.Value(c.Allow(api.OpListNetwork))
	if err != nil {
		return api.Page[api.NetworkEntry]{}, err
	}
	q := strings.ToLower(in.URL)
	text := rowMatcher(q)
	rows := evidenceQuery[api.NetworkEntry]{operation: api.OpListNetwork, sliceID: in.SliceID, kind: api.KindNetwork, paging: in.Paging,
		filters: in}
	rows.classes = convert(in.Status, statusClass)
	rows.decode = func(line []byte) (api.NetworkEntry, bool, error) {
		if !text(line) {
			return api.NetworkEntry{}, false, nil
		}
		n, err := evidence.Summary(line)
		class := api.StatusClass("failed")
		if n.Status > 0 {
			class = api.StatusClass(strconv.Itoa(int(n.Status/100)) + "xx")
		}
		keep := (len(in.Status) == 0 || slices.Contains(in.Status, class)) && (len(in.Method) == 0 || slices.ContainsFunc(in.Method,
			func(m string) bool { return strings.EqualFold(m, n.Method) })) && (q == "" || anyContains(q, &n.URL))
		return n, keep, err
	}
	return evidencePage(t, ctx, c, rows)
}

// statusClass is the class of the requests that a filter names.
func statusClass(s api.StatusClass) int {
	if s == "failed" {
		return evidence.StatusClass(api.NetworkEntry{})
	}
	return int(s[0] - '0')
}

// ListActions lists what the user of a slice the caller sees did.
func (t *Tracker) ListActions(ctx context.Context, c Caller, v input.Valid[api.ListActions]) (api.Page[api.ActionEntry], error) {
	in, err := v.Value(c.Allow(api.OpListActions))
	if err != nil {
		return api.Page[api.ActionEntry]{}, err
	}
	q := strings.ToLower(in.Q)
	text := rowMatcher(q)
	rows := evidenceQuery[api.ActionEntry]{operation: api.OpListActions, sliceID: in.SliceID, kind: api.KindActions, paging: in.Paging, filters: in}
	rows.decode = func(line []byte) (e api.ActionEntry, keep bool, err error) {
		if !text(line) {
			return e, false, nil
		}
		err = json.Unmarshal(line, &e)
		keep = (len(in.Type) == 0 || slices.Contains(in.Type, e.Type)) && (q == "" || anyContains(q, e.Selector, e.Text, e.URL))
		return e, keep, err
	}
	return evidencePage(t, ctx, c, rows)
}

// forEachPart shows every row of a kind of a slice the caller sees in parts, and what stands before the
// entries of HARs at place 0. The callers of wholly have asked for the right.
func (t *Tracker) forEachPart(ctx context.Context, c Caller, operation, sliceID string, kind api.AttachmentKind,
	fn func(place int, first bool, part []byte) error) error {
	q := t.store.Read(ctx)
	if _, err := t.slice(q, c, sliceID); err != nil {
		return err
	}
	g := t.newSliceGuard(ctx, c, operation, sliceID)
	sets, err := t.evidenceSets(q, sliceID, kind)
	for _, a := range sets {
		if err == nil {
			err = t.readParts(ctx, a, func(place int, first bool, part []byte) error {
				if err := g.allow(); err != nil {
					return err
				}
				return fn(place, first, part)
			})
		}
	}
	return err
}

// readParts shows the rows of a set in parts. A set that was deleted meanwhile has none.
func (t *Tracker) readParts(ctx context.Context, a store.Attachment, fn func(place int, first bool, part []byte) error) error {
	r, _, err := t.openEvidence(ctx, a)
	if err != nil {
		return ignoreNotFound(err)
	}
	defer func() { _ = r.Close() }()
	return r.Parts(a.Kind, func(place int, first bool, part []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(place, first, part)
	})
}

// jsonArrayWriter writes rows as a JSON list, as they come.
type jsonArrayWriter struct {
	*bufio.Writer
	rows int
}

func newJSONArrayWriter(to io.Writer) *jsonArrayWriter {
	return &jsonArrayWriter{Writer: bufio.NewWriterSize(to, 16<<10)}
}

// add writes a part of a row.
func (l *jsonArrayWriter) add(first bool, part []byte) error {
	if first {
		before := byte(',')
		if l.rows == 0 {
			before = '['
		}
		l.rows++
		if err := l.WriteByte(before); err != nil {
			return err
		}
	}
	return errorOf(l.Write(part))
}

func (l *jsonArrayWriter) end(text string) error {
	if l.rows == 0 {
		text = "[]" + text
	} else {
		text = "]" + text
	}
	return errors.Join(errorOf(l.WriteString(text)), l.Flush())
}

// emptyHARHead is the head of the HAR of a slice without requests.
const emptyHARHead = `{"version":"1.2","creator":{"name":"Bugslice","version":"1"}}`

// GetArchive writes the requests of a slice the caller sees as HAR 1.2, with the head of the
// first that was captured.
func (t *Tracker) GetArchive(ctx context.Context, c Caller, v input.Valid[api.GetArchive], to io.Writer) error {
	in, err := v.Value(c.Allow(api.OpGetArchive))
	if err != nil {
		return err
	}
	slot, err := t.acquireSlot(ctx, c, api.OpGetArchive)
	if err != nil {
		return err
	}
	defer slot.Release()
	list, begun, skip := newJSONArrayWriter(slot.Writer(ctx, to)), false, false
	err = t.forEachPart(ctx, c, api.OpGetArchive, in.SliceID, api.KindNetwork, func(place int, first bool, part []byte) error {
		if place > 0 {
			return list.add(first, part)
		}
		if skip = skip || begun && first; skip { // the head of another set
			return nil
		}
		begun = true
		return errorOf(list.Write(part))
	})
	if err == nil && !begun {
		err = errorOf(list.Write(evidence.ArchiveHead([]byte(emptyHARHead))))
	}
	if err != nil {
		return err
	}
	return list.end(evidence.ArchiveEnd)
}

// GetReplay writes the events of rrweb of a slice the caller sees.
func (t *Tracker) GetReplay(ctx context.Context, c Caller, v input.Valid[api.GetReplay], to io.Writer) error {
	in, err := v.Value(c.Allow(api.OpGetReplay))
	if err != nil {
		return err
	}
	slot, err := t.acquireSlot(ctx, c, api.OpGetReplay)
	if err != nil {
		return err
	}
	defer slot.Release()
	list := newJSONArrayWriter(slot.Writer(ctx, to))
	_, err = list.WriteString(`{"events":`)
	if err == nil {
		err = t.forEachPart(ctx, c, api.OpGetReplay, in.SliceID, api.KindReplay,
			func(_ int, first bool, part []byte) error { return list.add(first, part) })
	}
	if err != nil {
		return err
	}
	return list.end("}")
}

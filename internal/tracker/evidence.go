package tracker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// maxSets is the maximum number of sets of a kind that the lists of a slice read. Others are read as attachments.
const maxSets = 100

// maxPageBytes is the maximum number of bytes of rows that are read for a page. At least one row is read.
const maxPageBytes = 8 << 20

// evidencePosition is the position of a row of evidence. The zero value is before the first row.
type evidencePosition struct {
	attachment string // id
	number     int    // in the attachment, from 1
	occurrence int64
	total      int64 // among the rows of its kind of the occurrence, from 1; not in a cursor
}

// parts returns a position as it stands in a cursor.
func (p evidencePosition) parts() []string {
	return []string{p.attachment, strconv.Itoa(p.number), strconv.FormatInt(p.occurrence, 10)}
}

// parsePosition returns the position of a cursor, the zero value for the empty parts of a first page.
func parsePosition(parts []string) (p evidencePosition, err error) {
	if parts[0] == "" {
		return p, nil
	}
	number, err := strconv.Atoi(parts[1])
	occurrence, failed := strconv.ParseInt(parts[2], 10, 64)
	return evidencePosition{attachment: parts[0], number: number, occurrence: occurrence}, errors.Join(err, failed)
}

// evidenceRow is a row of evidence with its position.
type evidenceRow[T any] struct {
	evidencePosition
	value T
}

// evidenceQuery is a request for a page of the rows of a kind of evidence that decode selects.
type evidenceQuery[T any] struct {
	operation, sliceID string
	kind               api.AttachmentKind
	paging             api.Paging
	filters            any
	classes            []int // of the rows; empty for all
	occurrence         int64 // 0 for the newest one with evidence
	decode             func(line []byte, at evidencePosition) (v T, selected bool, err error)

	// prepare reads before the rows what decode needs of the occurrence of the sets, and returns the key of it; nil for nothing.
	prepare func(ctx context.Context, sets []store.Attachment) (key string, err error)
}

// evidencePage returns a page of rows in the order of their capture. It omits a row that decode cannot read; such a row
// is in its attachment alone.
func evidencePage[T any](t *Tracker, ctx context.Context, c access.Caller, query evidenceQuery[T],
) (api.Page[T], error) {
	var none api.Page[T]
	slot, err := t.acquireSlotFor(ctx, c, query.operation)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	scope := cursorScope(query.operation, c, query.filters)
	parts, err := t.decodeCursor(query.paging, scope, 3)
	if err != nil {
		return none, err
	}
	after, err := parsePosition(parts)
	if err != nil {
		return none, err
	}
	g := t.access.NewSliceGuard(ctx, c, query.operation, query.sliceID)
	sets, skipped, err := setsAfter(t, ctx, c, query, after)
	if err != nil {
		return none, err
	}
	after.total = skipped
	key, err := query.cacheKey(after, sets)
	if err == nil && query.prepare != nil && len(sets) > 0 {
		var prepared string
		prepared, err = query.prepare(ctx, sets)
		key += " " + prepared
	}
	if err != nil {
		return none, err
	}
	found, err := cached(t.derived, key, func() (foundRows[T], int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		return findRows(t, ctx, query, after, sets)
	})
	if err == nil {
		err = g.Allow()
	}
	if err != nil {
		return none, err
	}
	p := newPage(found.rows, query.paging.Limit,
		func(last evidenceRow[T]) string { return t.cursors.Encode(scope, last.parts()...) })
	if found.next != nil && !p.Pagination.HasMore {
		cursor := t.cursors.Encode(scope, found.next...)
		p.Pagination.HasMore, p.Pagination.Cursor = true, &cursor
	}
	return api.Page[T]{Data: convert(p.Data, func(r evidenceRow[T]) T { return r.value }), Pagination: p.Pagination},
		nil
}

// setsAfter returns the sets of a slice the caller sees, without those before the attachment of a position, and the
// number of the rows of these. They are of the occurrence of that position, so that every page of a list is of the
// occurrence of its first page.
func setsAfter[T any](t *Tracker, ctx context.Context, c access.Caller, query evidenceQuery[T],
	after evidencePosition) (
	sets []store.Attachment, skipped int64, err error,
) {
	q := t.access.Read(ctx)
	s, err := c.Slice(q, query.sliceID)
	if err != nil {
		return nil, 0, err
	}
	sets, err = evidenceSets(q, c, s, query.kind, cmp.Or(after.occurrence, query.occurrence))
	for len(sets) > 0 && sets[0].ID < after.attachment {
		skipped += *sets[0].Entries
		sets = sets[1:]
	}
	return sets, skipped, err
}

// detached returns a context for a computation whose result is shared with other requests: it does not end with the
// request that began the computation, but after a minute.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
}

// cacheKey identifies the rows after a position in the derivedCache.
func (query evidenceQuery[T]) cacheKey(after evidencePosition, sets []store.Attachment) (string, error) {
	sum := sha256.New()
	enc := json.NewEncoder(sum)
	err := errors.Join(enc.Encode(query.filters), enc.Encode(after.parts()), enc.Encode(after.total),
		enc.Encode(query.paging.Limit))
	for _, a := range sets {
		err = errors.Join(err, enc.Encode(a.ID))
	}
	return query.operation + " " + string(sum.Sum(nil)), err
}

// foundRows are the rows of a page: one more than its limit when another page follows. next is the position of the next
// page when maxPageBytes have been read before.
type foundRows[T any] struct {
	rows []evidenceRow[T]
	next []string
}

// pageReader collects the rows of a page until it is full.
type pageReader[T any] struct {
	found  foundRows[T]
	query  evidenceQuery[T]
	budget int // bytes that it may still read
	bytes  int // approximate size of the rows in memory
}

// isFull reports whether the page has one row more than its limit, or has used up its budget before.
func (p *pageReader[T]) isFull() bool {
	return p.found.next != nil || len(p.found.rows) > p.query.paging.Limit
}

// add reads a row, and adds it if the query selects it. After isLast, the last row of all, no page follows.
func (p *pageReader[T]) add(row evidenceRow[T], line []byte, isLast bool) {
	p.budget -= len(line)
	value, selected, err := p.query.decode(line, row.evidencePosition)
	if err == nil && selected {
		row.value = value
		p.found.rows = append(p.found.rows, row)
		p.bytes += 2*len(line) + 256
	}
	if p.budget < 0 && !isLast {
		p.found.next = row.parts()
	}
}

// findRows reads the rows after a position until a page is full, and returns their approximate size in memory.
func findRows[T any](t *Tracker, ctx context.Context, query evidenceQuery[T], after evidencePosition,
	sets []store.Attachment) (
	found foundRows[T], bytes int, err error,
) {
	page := pageReader[T]{query: query, budget: maxPageBytes}
	before := after.total // rows of the sets before
	for i, a := range sets {
		want := evidence.Filter{Classes: query.classes}
		if a.ID == after.attachment {
			want.After = after.number
		}
		isLastSet := i == len(sets)-1
		err = t.scanRows(ctx, a, want, func(number int, line []byte) (bool, error) {
			row := evidenceRow[T]{evidencePosition: evidencePosition{a.ID, number, a.Occurrence,
				before + int64(number)}}
			page.add(row, line, isLastSet && int64(number) >= *a.Entries)
			return !page.isFull(), nil
		})
		if err != nil || page.isFull() {
			break
		}
		before += *a.Entries
	}
	return page.found, page.bytes, err
}

// evidenceSets returns the attachments with parsed evidence of a kind of an occurrence of a slice; 0 is the newest
// one of which evidence of any kind is stored. It refuses an occurrence that the slice does not have.
func evidenceSets(q access.Queries, c access.Caller, s store.Slice, kind api.AttachmentKind, occurrence int64,
) ([]store.Attachment, error) {
	occurrence, err := c.Occurrence(q, s, occurrence)
	if err != nil {
		return nil, err
	}
	if occurrence == 0 {
		newest, err := q.NewestOccurrenceWithEvidence(s.ID)
		if newest == 0 || err != nil {
			return nil, err
		}
		occurrence = newest
	}
	return q.EvidenceOf(s.ID, occurrence, kind, maxSets)
}

// rowFunc receives the rows of evidence with their numbers, from 1, until it returns false.
type rowFunc func(number int, line []byte) (more bool, err error)

// scanRows calls fn for the wanted rows of a set, until ctx ends. A set that was deleted meanwhile has no rows, and
// neither has one whose file is lost.
func (t *Tracker) scanRows(ctx context.Context, a store.Attachment, want evidence.Filter, fn rowFunc) error {
	r, _, err := t.openEvidence(ctx, a)
	if t.isLost(err, a) {
		return nil
	}
	if err != nil {
		return ignoreNotFound(err)
	}
	defer func() { _ = r.Close() }()
	return r.Rows(a.Kind, want, func(number int, row []byte) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return fn(number, row)
	})
}

// rowMatcher returns a fast test for encoded rows. It is false only for rows that contain none of the texts, and always
// true when there are no texts.
func rowMatcher[T ~string](texts ...T) func(line []byte) bool {
	var needles []*evidence.Needle
	for _, text := range texts {
		needles = append(needles, evidence.NewNeedle(string(text)))
	}
	return func(line []byte) bool {
		return len(needles) == 0 || slices.ContainsFunc(needles,
			func(n *evidence.Needle) bool { return n.Possible(line) })
	}
}

// ListConsole lists the console entries of a slice the caller sees.
func (t *Tracker) ListConsole(ctx context.Context, c access.Caller, v input.Valid[api.ListConsole],
) (api.Page[api.ConsoleRow], error) {
	in, err := v.Value(c.Allow(api.OpListConsole))
	if err != nil {
		return api.Page[api.ConsoleRow]{}, err
	}
	text := words.Fold(in.Q)
	mayHaveText, mayHaveLevel := rowMatcher(text), rowMatcher(in.Level...)
	query := evidenceQuery[api.ConsoleRow]{operation: api.OpListConsole, sliceID: in.SliceID, kind: api.KindConsole,
		occurrence: int64(in.Occurrence), paging: in.Paging, filters: in,
		classes: convert(in.Level, evidence.LevelClass)}
	query.decode = func(line []byte, at evidencePosition) (e api.ConsoleRow, selected bool, err error) {
		if !mayHaveText(line) || !mayHaveLevel(line) {
			return e, false, nil
		}
		err = json.Unmarshal(line, &e)
		e.Occurrence = at.occurrence
		selected = isAny(in.Level, e.Level) && (text == "" || anyContains(text, &e.Message, e.Stack))
		if e.Args == nil {
			e.Args = []json.RawMessage{}
		}
		return e, selected, err
	}
	return evidencePage(t, ctx, c, query)
}

// ListActions lists the actions of the user of a slice the caller sees.
func (t *Tracker) ListActions(ctx context.Context, c access.Caller, v input.Valid[api.ListActions],
) (api.Page[api.ActionRow], error) {
	in, err := v.Value(c.Allow(api.OpListActions))
	if err != nil {
		return api.Page[api.ActionRow]{}, err
	}
	text := words.Fold(in.Q)
	mayHaveText := rowMatcher(text)
	_, shared := c.Credential.(access.ShareCredential)
	query := evidenceQuery[api.ActionRow]{operation: api.OpListActions, sliceID: in.SliceID, kind: api.KindActions,
		occurrence: int64(in.Occurrence), paging: in.Paging, filters: []any{in, shared}}
	query.decode = func(line []byte, at evidencePosition) (e api.ActionRow, selected bool, err error) {
		if !mayHaveText(line) {
			return e, false, nil
		}
		err = json.Unmarshal(line, &e)
		if e.Occurrence = at.occurrence; shared {
			hideMailAddresses(&e)
		}
		return e, isAny(in.Type, e.Type) && (text == "" || anyContains(text, e.Selector, e.Text, e.URL)), err
	}
	return evidencePage(t, ctx, c, query)
}

// isAny reports whether a filter allows a value. An empty filter allows every one.
func isAny[T comparable](filter []T, value T) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

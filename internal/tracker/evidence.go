package tracker

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// maxSets is how many sets of a kind one slice shows; more are read one by one as attachments.
const maxSets = 100

// row is a row of evidence and where it stands: the attachment, and its place there.
type row[T any] struct {
	value      T
	attachment string
	place      int
}

// captured returns a page of the rows of a kind that decode keeps, in the order they were captured.
func captured[T any](t *Tracker, ctx context.Context, c Caller, operation, sliceID string, kind api.AttachmentKind, paging api.Paging, filters any, decode func(line []byte) (T, bool, error)) (api.Page[T], error) {
	var none api.Page[T]
	if err := c.Allow(operation); err != nil {
		return none, err
	}
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
	for _, a := range sets {
		if a.ID < at[0] || len(rows) > paging.Limit {
			continue
		}
		err := t.lines(ctx, a, func(place int, line []byte) (bool, error) {
			if place == 0 || a.ID == at[0] && place <= after {
				return true, nil
			}
			v, keep, err := decode(line)
			if err == nil && keep {
				rows = append(rows, row[T]{v, a.ID, place})
			}
			return len(rows) <= paging.Limit, err
		})
		if err != nil {
			return none, err
		}
	}
	p := page(t, rows, paging.Limit, bind, func(r row[T]) []string { return []string{r.attachment, strconv.Itoa(r.place)} })
	return api.Page[T]{Data: convert(p.Data, func(r row[T]) T { return r.value }), Pagination: p.Pagination}, nil
}

// sets returns the attachments of a slice that were read as evidence of a kind.
func (t *Tracker) sets(tx *store.Tx, sliceID string, kind api.AttachmentKind) ([]store.Attachment, error) {
	all, err := tx.Attachments(sliceID, []api.AttachmentKind{kind}, "", maxSets)
	return slices.DeleteFunc(all, func(a store.Attachment) bool { return a.Entries == nil }), err
}

// lines shows the rows of a set with their places, which begin at 1. The head of a HAR has place
// 0. A set that was deleted meanwhile has none.
func (t *Tracker) lines(ctx context.Context, a store.Attachment, fn func(place int, line []byte) (bool, error)) error {
	r, err := t.open(ctx, a, a.Blob)
	var p *api.Problem
	if asProblem(err, &p) && p.Code == api.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	place := 0
	if a.Kind == api.KindNetwork {
		place = -1
	}
	return evidence.Each(r, func(line []byte) (bool, error) {
		place++
		return fn(place, line)
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
		keep := (len(in.Status) == 0 || slices.Contains(in.Status, class)) && (len(in.Method) == 0 || slices.Contains(in.Method, n.Method)) && (q == "" || contains(q, &n.URL))
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

// maxWhole bounds how many bytes of rows an answer with all of them holds.
const maxWhole = 32 << 20

// wholly returns every row of a kind, and the head of the first HAR.
func (t *Tracker) wholly(ctx context.Context, c Caller, operation, sliceID string, kind api.AttachmentKind) (head json.RawMessage, rows []json.RawMessage, err error) {
	if err := c.Allow(operation); err != nil {
		return nil, nil, err
	}
	tx := t.store.Read(ctx)
	if _, err := t.slice(tx, c, sliceID); err != nil {
		return nil, nil, err
	}
	sets, err := t.sets(tx, sliceID, kind)
	if err != nil {
		return nil, nil, err
	}
	size := int64(0)
	for _, a := range sets {
		if size += a.Size; size > maxWhole && len(rows) > 0 {
			break
		}
		err := t.lines(ctx, a, func(place int, line []byte) (bool, error) {
			line = slices.Clone(line)
			if place > 0 {
				rows = append(rows, line)
			} else if head == nil {
				head = line
			}
			return true, nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return head, rows, nil
}

// GetArchive returns the requests of a slice the caller sees as HAR 1.2.
func (t *Tracker) GetArchive(ctx context.Context, c Caller, in api.GetArchive) (api.Archive, error) {
	head, rows, err := t.wholly(ctx, c, api.OpGetArchive, in.SliceID, api.KindNetwork)
	if err != nil {
		return api.Archive{}, err
	}
	if head == nil {
		head = json.RawMessage(`{"version":"1.2","creator":{"name":"Bugslice","version":"1"}}`)
	}
	var out api.Archive
	return out, json.Unmarshal(evidence.Archive(head, rows), &out)
}

// GetReplay returns the events of rrweb of a slice the caller sees.
func (t *Tracker) GetReplay(ctx context.Context, c Caller, in api.GetReplay) (api.Replay, error) {
	_, rows, err := t.wholly(ctx, c, api.OpGetReplay, in.SliceID, api.KindReplay)
	if rows == nil {
		rows = []json.RawMessage{}
	}
	return api.Replay{Events: rows}, err
}

package tracker

import (
	"bytes"
	"context"
	"io"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// JSON is a record as JSON, in pieces that others share.
type JSON [][]byte

// Size returns the number of bytes.
func (j JSON) Size() (n int) {
	for _, piece := range j {
		n += len(piece)
	}
	return n
}

// WriteTo writes the JSON.
func (j JSON) WriteTo(w io.Writer) (n int64, err error) {
	for _, piece := range j {
		written, err := w.Write(piece)
		if n += int64(written); err != nil {
			return n, err
		}
	}
	return n, nil
}

// MarshalJSON returns the JSON in one piece.
func (j JSON) MarshalJSON() ([]byte, error) { return bytes.Join(j, nil), nil }

// SliceJSON is an api.Slice as JSON.
type SliceJSON struct {
	JSON
	version int64
}

// ETag returns the entity tag of the slice.
func (s SliceJSON) ETag() string { return api.ETag(s.version) }

// SlicesJSON is an api.Page[api.Slice] as JSON.
type SlicesJSON struct {
	JSON
	pagination api.Pagination
}

// PageInfo returns the position of the page in its list.
func (p SlicesJSON) PageInfo() api.Pagination { return p.pagination }

// GetSliceJSON is GetSlice. A slice that is encoded already is not read.
func (t *Tracker) GetSliceJSON(ctx context.Context, c access.Caller, v input.Valid[api.GetSlice]) (SliceJSON, error) {
	in, err := v.Value(c.Allow(api.OpGetSlice))
	if err != nil {
		return SliceJSON{}, err
	}
	q := t.access.Read(ctx)
	var head store.SliceHead
	readHead := func(id string) (s store.Slice, err error) {
		head, s, err = q.SliceHead(id)
		return s, err
	}
	if _, err := access.Undeleted(c.VisibleSlice(q, readHead, in.SliceID)); err != nil {
		return SliceJSON{}, err
	}
	if text, ok := t.encoder.Kept(head); ok {
		return SliceJSON{JSON{text}, head.Version}, nil
	}
	s, err := c.Slice(q, head.ID)
	if err != nil {
		return SliceJSON{}, err
	}
	text, err := t.encoder.Encode(s)
	return SliceJSON{JSON{text}, s.Version}, err
}

// listedJSON is a slice of a list as JSON.
type listedJSON struct {
	store.SliceHead
	text []byte
}

func (l listedJSON) head(store.SliceSort) store.SliceHead { return l.SliceHead }

// ListSlicesJSON is ListSlices. A page whose slices are all encoded already is read by their versions alone.
func (t *Tracker) ListSlicesJSON(ctx context.Context, c access.Caller, v input.Valid[api.ListSlices],
) (SlicesJSON, error) {
	page, err := listSlices(ctx, t, c, v, sliceList[listedJSON]{read: t.listedJSON, head: listedJSON.head})
	if err != nil {
		return SlicesJSON{}, err
	}
	pagination, err := encodeJSON(page.Pagination)
	pieces, separator := make(JSON, 0, 2*len(page.Data)+3), []byte(`{"data":[`)
	if len(page.Data) == 0 {
		pieces = append(pieces, separator)
	}
	for _, s := range page.Data {
		pieces = append(pieces, separator, s.text)
		separator = comma
	}
	pieces = append(pieces, []byte(`],"pagination":`), pagination)
	if page.NewestRelease != nil && err == nil {
		var newest []byte
		newest, err = encodeJSON(page.NewestRelease)
		pieces = append(pieces, []byte(`,"newestRelease":`), newest)
	}
	return SlicesJSON{append(pieces, []byte("}")), page.Pagination}, err
}

var comma = []byte(",")

// listedJSON returns the slices of a list as JSON.
func (t *Tracker) listedJSON(q access.Queries, f store.SliceFilter) ([]listedJSON, error) {
	heads, err := q.SliceHeads(f)
	if err != nil {
		return nil, err
	}
	all := make([]listedJSON, len(heads))
	for i, h := range heads {
		text, ok := t.encoder.Kept(h)
		if !ok {
			return t.encodedList(q, f)
		}
		all[i] = listedJSON{h, text}
	}
	return all, nil
}

// encodedList reads the slices of a list and encodes those that are not encoded already.
func (t *Tracker) encodedList(q access.Queries, f store.SliceFilter) ([]listedJSON, error) {
	slices, err := q.Slices(f)
	if err != nil {
		return nil, err
	}
	all := make([]listedJSON, len(slices))
	for i, s := range slices {
		h := s.Head(f.Sort)
		text, ok := t.encoder.Kept(h)
		if !ok {
			if text, err = t.encoder.Encode(s); err != nil {
				return nil, err
			}
		}
		all[i] = listedJSON{h, text}
	}
	return all, nil
}

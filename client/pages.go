package client

import (
	"context"
	"iter"
	"strconv"

	"bugslice/api"
)

// Pages yields the pages of a list, from the cursor of the input on. After an error it yields nothing.
func Pages[T any](ctx context.Context, c *Client, in api.Input[api.Page[T]]) iter.Seq2[api.Page[T], error] {
	return pages(ctx, c, in, "")
}

// pages is Pages with a limit for an input that has none; empty for that of the service.
func pages[T any](ctx context.Context, c *Client, in api.Input[api.Page[T]], limit string) iter.Seq2[api.Page[T],
	error] {
	return func(yield func(api.Page[T], error) bool) {
		r, err := newRequest(in)
		if err == nil && limit != "" && !r.wire.Query.Has("limit") {
			r.wire.Query.Set("limit", limit)
		}
		for err == nil {
			var page api.Page[T]
			if err = c.callJSON(ctx, r, &page); err != nil {
				break
			}
			if !yield(page, nil) || page.Pagination.Cursor == nil {
				return
			}
			r.wire.Query.Set("cursor", *page.Pagination.Cursor)
		}
		yield(api.Page[T]{}, err)
	}
}

// All yields the records of a list, from the cursor of the input on, in pages of 100 unless the input has a limit.
// After an error it yields nothing.
func All[T any](ctx context.Context, c *Client, in api.Input[api.Page[T]]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range pages(ctx, c, in, strconv.Itoa(api.MaxLimit)) {
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, row := range page.Data {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

package tracker

import (
	"context"
	"fmt"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// GetScreen returns the text that the page showed at a moment of a replay of a slice the caller sees.
func (t *Tracker) GetScreen(ctx context.Context, c access.Caller, v input.Valid[api.GetScreen]) (api.Screen, error) {
	in, err := v.Value(c.Allow(api.OpGetScreen))
	if err != nil {
		return api.Screen{}, err
	}
	q := t.access.Read(ctx)
	s, err := c.Slice(q, in.SliceID)
	if err != nil {
		return api.Screen{}, err
	}
	replays, err := evidenceSets(q, c, s, api.KindReplay, int64(in.Occurrence))
	if err != nil {
		return api.Screen{}, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetScreen)
	if err != nil {
		return api.Screen{}, err
	}
	defer slot.Release()
	return t.screenAt(ctx, replays, in.At)
}

// screenAt returns what the page of a replay showed at a moment; nil is its end.
func (t *Tracker) screenAt(ctx context.Context, replays []store.Attachment, at *api.Time) (api.Screen, error) {
	read := withinBudget(replays)
	key := fmt.Sprint("screen at ", at)
	for _, a := range read {
		key += " " + a.ID
	}
	return cached(t.derived, key, func() (api.Screen, int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		var page evidence.Screen
		shown := api.Screen{Lines: []string{}}
		for _, a := range read {
			err := t.scanRows(ctx, a, evidence.Filter{}, func(_ int, event []byte) (bool, error) {
				when, _, ok := evidence.Interval(api.KindReplay, event)
				if ok && at != nil && when.After(at.Time) {
					return false, nil
				}
				if ok {
					shown.At = new(api.At(when))
				}
				page.Apply(event)
				return true, nil
			})
			if err != nil {
				return api.Screen{}, 0, err
			}
		}
		shown.Lines = append(shown.Lines, page.Text()...)
		if address := page.Address(); address != "" {
			shown.URL = &address
		}
		shown.Complete = !page.IsPartial() && len(read) == len(replays)
		return shown, sizeOfLines(shown.Lines), nil
	})
}

// sizeOfLines returns the approximate memory of lines.
func sizeOfLines(lines []string) (n int) {
	for _, line := range lines {
		n += len(line) + 16
	}
	return n
}

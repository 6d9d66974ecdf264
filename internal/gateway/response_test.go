package gateway

import (
	"context"
	"errors"
	"testing"

	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/fairshare"
)

// memory are bounds that note what is reserved, and may refuse it.
type memory struct {
	*admission.Limiter
	reserved []int
	refused  error
}

func (m *memory) ReserveResponse(_ access.Caller, size int, interrupt func()) (*admission.Reservation, error) {
	m.reserved = append(m.reserved, size)
	if m.refused != nil {
		return nil, m.refused
	}
	return m.Limiter.ReserveResponse("org", "key", int64(size), interrupt)
}

func (*memory) AcquireSlot(context.Context, access.Caller) (*fairshare.Slot, error) {
	return &fairshare.Slot{}, nil
}

// TestMemoryBeforeRendering: a page that will be large has its memory before it is rendered, and is not rendered
// without it, unless the request has stored something.
func TestMemoryBeforeRendering(t *testing.T) {
	none := errors.New("none")
	for name, c := range map[string]struct {
		size           int
		refused        error
		stored         bool
		before         int // what is reserved before
		renders, wants bool
	}{
		"small":   {LargeResponse - 1, none, false, 0, true, true},
		"large":   {5 << 20, nil, false, 5 << 20, true, true},
		"refused": {5 << 20, none, false, 5 << 20, false, false},
		"stored":  {5 << 20, none, true, 5 << 20, true, true},
	} {
		m := &memory{Limiter: admission.New(), refused: c.refused}
		rendered, sent := false, false
		o := Response{Bounds: m, Context: t.Context(), To: &Pipe{}, Stored: c.stored}
		err := o.Render(c.size, func() ([]byte, error) {
			rendered = true
			if c.before > 0 && (len(m.reserved) != 1 || m.reserved[0] != c.before) || c.before == 0 &&
				len(m.reserved) > 0 {
				t.Errorf("%s: %d is reserved before", name, m.reserved)
			}
			return []byte("a"), nil
		}, func([]byte) error { sent = true; return nil })
		if rendered != c.renders || sent != c.wants || (err == nil) != c.wants {
			t.Errorf("%s: rendered %t, sent %t, %v", name, rendered, sent, err)
		}
	}
}

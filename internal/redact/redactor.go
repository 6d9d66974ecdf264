package redact

import (
	"context"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// Redactor removes secrets by the built-in rules and those of a workspace. It is safe for concurrent use.
type Redactor struct {
	set      *decide.Set
	patterns []pattern
	steps    int64
	work     *work      // of one request; nil when it is not counted
	key      *streamKey // of a stream of texts; nil for texts by themselves
	unpacked *int64     // bytes that packed bodies may still unpack to; of one archive
	removed  *removed   // values that were removed; of one report, or of one text
	trace    *trace     // of Explain
	forms    *forms
	mark     func(rule *decide.Rule, url bool) string // returns the marker of a removal
}

// forms redact the texts that are within another one.
type forms struct {
	text func(r *Redactor, s string, c Counts, depth int) string
	body func(r *Redactor, mediaType, s string, c Counts, depth int) string
}

// Steps returns the steps that the patterns compile to. Their time grows with the steps: a caller that accepts rules
// of others refuses more than MaxSteps.
func (r *Redactor) Steps() int64 { return r.steps }

// mark returns the marker of a removal.
func mark(rule *decide.Rule, url bool) string {
	if url {
		return lex.URLMarker
	}
	return lex.Marker(rule.Kind)
}

// Within returns the redactor for one request, whose patterns may cause at most so much work. Only one goroutine at a
// time may use it. When the patterns would cause more, or ctx ends, Err returns the error and results must not be
// used.
func (r *Redactor) Within(ctx context.Context, most int64) *Redactor {
	c := *r
	c.work = &work{ctx: ctx, left: most, spent: make([]int64, len(r.patterns))}
	return &c
}

// Err returns why the results of a request must not be used: a CostError, or the error of its context.
func (r *Redactor) Err() error {
	if r.work == nil {
		return nil
	}
	return r.work.err
}

// Stream returns a redactor for the consecutive texts of one stream, such as the messages of a console: the lines of
// a private key are also removed from the texts after the one in which it begins, between which there may be others.
// It is not safe for concurrent use.
func (r *Redactor) Stream() *Redactor {
	s := *r
	s.key = &streamKey{}
	return &s
}

// nextInStream removes the lines of a key that an earlier text of the stream has begun from a text, and records a key
// that begins in it.
func (r *Redactor) nextInStream(s string, c Counts) string {
	if r.key == nil {
		return s
	}
	return r.key.next(s, c)
}

// Report returns a redactor for the texts of one report, which removes values that were removed from one of them from
// all that follow. Again removes them from those before. It is not safe for concurrent use.
func (r *Redactor) Report() *Redactor {
	if r.removed != nil {
		return r
	}
	s := *r
	s.removed = &removed{}
	return &s
}

// RemoveRepeated removes from a text the values that were removed from other texts of the report. A text may also be
// JSON.
func (r *Redactor) RemoveRepeated(s string, c Counts) string {
	return r.removed.replace(s, func(v *removedValue, inURL bool) string {
		c.count(v.rule, v.text)
		return r.mark(v.rule, inURL)
	})
}

// removeRepeatedInURL is RemoveRepeated for a text that is a URL or a form as a whole.
func (r *Redactor) removeRepeatedInURL(s string, c Counts) string {
	return r.removed.replace(s, func(v *removedValue, _ bool) string {
		c.count(v.rule, v.text)
		return r.mark(v.rule, true)
	})
}

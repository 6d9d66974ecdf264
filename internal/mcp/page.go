package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"bugslice/api"
)

// ofReplay is the kind of evidence of which the text of the page is shown.
const ofReplay = "replay"

// wantsPage reports whether the text of the page is asked for, and whether nothing else is.
func (in evidenceArguments) wantsPage() (wanted, alone bool) {
	return slices.Contains(in.Kinds, ofReplay), len(in.Kinds) == 1
}

// writeEvidence writes a recording, and the text of the page when it is asked for: that has half of the budget, or all
// of it alone.
func (s *session) writeEvidence(ctx context.Context, r api.Slice, in evidenceArguments, a *answer) error {
	wanted, alone := in.wantsPage()
	read := in
	if wanted && alone {
		read.Kinds = nil // the clock and the failures, which choose the moment
	}
	e, err := s.recording(ctx, r, read)
	if err != nil {
		return err
	}
	if !wanted {
		e.write(a, in)
		return nil
	}
	if alone {
		a.add(e.title+"\n\n", 0)
	} else {
		whole := a.budget
		a.budget /= 2
		e.write(a, in)
		a.budget = whole
	}
	return s.writePage(ctx, r, in, e, a)
}

// moment returns when the page is shown: at to, or else from, or else after the last failure; nil is the end.
func (e *recording) moment(in evidenceArguments) *api.Time {
	if e.zero.IsZero() {
		return nil
	}
	for _, asked := range []*float64{in.To, in.From} {
		if asked != nil {
			return new(api.At(e.zero.Add(time.Duration(*asked * float64(time.Second)))))
		}
	}
	for _, one := range slices.Backward(e.entries) {
		if one.fails {
			return new(api.At(one.at.Add(secondsAfter * time.Second)))
		}
	}
	return nil
}

// writePage writes the lines that the page showed at a moment, as many from the top as the budget has room for.
func (s *session) writePage(ctx context.Context, r api.Slice, in evidenceArguments, e *recording, a *answer) error {
	at := e.moment(in)
	page, err := s.Client.GetScreen(ctx, api.GetScreen{SliceID: r.ID, Occurrence: in.Occurrence, At: at})
	if err != nil {
		return err
	}
	if page.At == nil || len(page.Lines) == 0 {
		a.WriteString("\nNo page is recorded at that moment.\n")
		return nil
	}
	when := "at the end"
	if at != nil {
		when = fmt.Sprintf("at %+.2f", e.seconds(at.Time))
	}
	if page.URL != nil {
		when += ", " + code(*page.URL, 200)
	}
	a.add("\nThe page "+when+" (last changed "+page.At.String()+"), fields and buttons in brackets:\n\n", 0)
	const reserve = 60 // of the fence and of what is left out
	kept := 0
	for kept < len(page.Lines) {
		n := tokens(page.Lines[kept]) + 1
		if a.used+n+reserve > a.budget {
			break
		}
		a.used += n
		kept++
	}
	a.WriteString(fenced(strings.Join(page.Lines[:kept], "\n") + "\n"))
	if left := len(page.Lines) - kept; left > 0 {
		fmt.Fprintf(a, "\n%d lines further down are left out: raise budget.\n", left)
	}
	if !page.Complete {
		a.WriteString("\nThe page is larger than what is read.\n")
	}
	return nil
}

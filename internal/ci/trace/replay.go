package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"bugslice/api"
)

// The types of the events of rrweb, and of its nodes.
const (
	fullSnapshot = 2
	incremental  = 3
	meta         = 4

	documentNode = 0
	doctypeNode  = 1
	elementNode  = 2
	textNode     = 3
)

// maxDrawn is the number of nodes that are made of the snapshots of a part.
const maxDrawn = 2_000_000

// replayEvent is an event of rrweb.
type replayEvent struct {
	kind int
	at   int64
	json json.RawMessage
}

// replay collects the snapshots of all parts as events of rrweb.
type replay struct {
	events    []replayEvent
	snapshots *snapshots       // of the part
	points    map[string]point // where a call of the part clicked, by its id
	// Not in the replay: snapshots of pages, and of frames within pages.
	left, inner int
}

func newReplay() *replay { return &replay{snapshots: newSnapshots(), points: map[string]point{}} }

// state is a document that the page showed from a moment on, until the next one.
type state struct {
	shot     *snapshot // the first one that shows it
	at       api.Time
	root     *node
	document json.RawMessage
}

// endPart adds the states that the snapshots of a part show, the newest ones that fit, and its clicks.
func (r *replay) endPart(p *part, files *pageFiles) {
	r.left, r.inner = r.left+r.snapshots.dropped, r.inner+r.snapshots.inner
	var events []replayEvent // the newest first
	var next state
	size, drawn := 0, 0
	for i, shot := range slices.Backward(r.snapshots.all) {
		root, _ := shot.resolve(shot.root)
		at, ok := p.at(shot.Timestamp)
		if root == nil || !ok {
			r.left++
			continue
		}
		current := state{shot, at, root, next.document}
		if root != next.root || len(shot.Overrides) > 0 {
			var nodes int
			current.document, nodes = newDocument(shot, files)
			drawn += nodes
		}
		if isNew := !bytes.Equal(current.document, next.document); isNew {
			if size += len(current.document); size > maxReplay || drawn > maxDrawn {
				r.left += i + 1
				break
			}
			events = append(events, next.events()...)
		}
		next = current
		if click, ok := r.points[shot.CallID]; ok && shot.isAction() {
			data := map[string]any{"source": 2, "type": 2, "id": rootID, "x": click.X, "y": click.Y}
			events = append(events, newEvent(incremental, at, data))
		}
	}
	events = append(events, next.events()...)
	slices.Reverse(events)
	r.events = append(r.events, events...)
	r.snapshots, r.points = newSnapshots(), map[string]point{}
}

// events returns the events that show a state, the newest first; none for no state.
func (s state) events() []replayEvent {
	if s.shot == nil {
		return nil
	}
	page := map[string]any{"href": s.shot.URL, "width": s.shot.Viewport.Width, "height": s.shot.Viewport.Height}
	return []replayEvent{newEvent(fullSnapshot, s.at, s.document), newEvent(meta, s.at, page)}
}

func newEvent(kind int, at api.Time, data any) replayEvent {
	event := map[string]any{"type": kind, "data": data, "timestamp": at.UnixMilli()}
	return replayEvent{kind, at.UnixMilli(), toJSON(event)}
}

// rows returns the newest events that fit, beginning with those of a state.
func (r *replay) rows() []json.RawMessage {
	slices.SortStableFunc(r.events, func(a, b replayEvent) int { return cmp.Compare(a.at, b.at) })
	size, from := 0, len(r.events)
	for i, e := range slices.Backward(r.events) {
		if size += len(e.json) + 1; size > maxReplay {
			break
		}
		if e.kind == meta {
			from = i
		}
	}
	for _, e := range r.events[:from] {
		if e.kind == fullSnapshot {
			r.left++
		}
	}
	events := make([]json.RawMessage, 0, len(r.events)-from)
	for _, e := range r.events[from:] {
		events = append(events, e.json)
	}
	return events
}

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

// replayEvent is an event of rrweb. Those of one snapshot have the same shot, and are kept or dropped together.
type replayEvent struct {
	shot *snapshot
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

// endPart adds each snapshot of the part that differs from the one before as a full snapshot. A click follows the
// snapshot of its moment.
func (r *replay) endPart(p *part, files *pageFiles) {
	r.left, r.inner = r.left+r.snapshots.dropped, r.inner+r.snapshots.inner
	var last json.RawMessage
	for _, shot := range r.snapshots.all {
		root, _ := shot.resolve(shot.root)
		at, ok := p.at(shot.Timestamp)
		if root == nil || !ok {
			r.left++
			continue
		}
		document := toJSON(map[string]any{"node": newDocument(shot, files), "initialOffset": map[string]int{"left": 0, "top": 0}})
		if !bytes.Equal(document, last) {
			page := map[string]any{"href": shot.URL, "width": shot.Viewport.Width, "height": shot.Viewport.Height}
			r.events = append(r.events, newEvent(shot, meta, at, toJSON(page)), newEvent(shot, fullSnapshot, at, document))
		}
		last = document
		if click, ok := r.points[shot.CallID]; ok && shot.isAction() {
			data := map[string]any{"source": 2, "type": 2, "id": rootID, "x": click.X, "y": click.Y}
			r.events = append(r.events, newEvent(r.events[len(r.events)-1].shot, incremental, at, toJSON(data)))
		}
	}
	r.snapshots, r.points = newSnapshots(), map[string]point{}
}

func newEvent(shot *snapshot, kind int, at api.Time, data json.RawMessage) replayEvent {
	event := map[string]any{"type": kind, "data": data, "timestamp": at.UnixMilli()}
	return replayEvent{shot, at.UnixMilli(), toJSON(event)}
}

// toJSON returns the JSON of maps, lists, texts and finite numbers, which always have one.
func toJSON(value any) json.RawMessage {
	encoded, _ := json.Marshal(value)
	return encoded
}

// rows returns the newest events that fit, beginning with those of a snapshot.
func (r *replay) rows() []json.RawMessage {
	slices.SortStableFunc(r.events, func(a, b replayEvent) int { return cmp.Compare(a.at, b.at) })
	size, from := 0, len(r.events)
	for i := len(r.events) - 1; i >= 0; i-- {
		if size += len(r.events[i].json) + 1; size > maxReplay {
			break
		}
		if i == 0 || r.events[i-1].shot != r.events[i].shot {
			from = i
		}
	}
	var left *snapshot
	for _, e := range r.events[:from] {
		if e.shot != left {
			r.left++
		}
		left = e.shot
	}
	events := make([]json.RawMessage, 0, len(r.events)-from)
	for _, e := range r.events[from:] {
		events = append(events, e.json)
	}
	return events
}

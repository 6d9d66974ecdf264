package trace

import (
	"encoding/json"
	"slices"
	"strings"
)

// Limits of the snapshots of a part.
const (
	maxSnapshotBytes = 32 << 20 // as they are in the trace
	maxNodes         = 20_000   // of one snapshot
	maxDepth         = 400
)

// snapshots are the DOM snapshots of the pages of a part. A snapshot refers to nodes of earlier ones of its frame.
type snapshots struct {
	all   []*snapshot // in the order of the trace
	frame map[string][]*snapshot
	size  int
	// Left out: those within the page, and those that are damaged or too many.
	inner, dropped int
}

func newSnapshots() *snapshots { return &snapshots{frame: map[string][]*snapshot{}} }

// snapshot is the document of a page at a moment.
type snapshot struct {
	snapshotHead
	root  *node
	nodes []*node // in the order in which references count: children before their parents
	// The earlier snapshots of the same frame, and this one.
	frame []*snapshot
}

type snapshotHead struct {
	CallID    string `json:"callId"`
	Name      string `json:"snapshotName"` // before version 10, such as input@call@12
	Phase     string // since version 10
	FrameID   string `json:"frameId"`
	URL       string `json:"frameUrl"`
	Doctype   string
	HTML      json.RawMessage
	Timestamp float64
	Viewport  struct{ Width, Height int }
	IsMain    bool       `json:"isMainFrame"`
	Overrides []override `json:"resourceOverrides"`
}

// override is a style sheet that the page has changed.
type override struct {
	URL, File string
	SHA1      string `json:"sha1"`
	Ref       int    // "as so many snapshots ago"
}

// isAction reports whether the snapshot was taken at the moment of an input.
func (s *snapshot) isAction() bool { return s.Phase == "action" || strings.HasPrefix(s.Name, "input@") }

// node is a text, an element, or a reference to a node of an earlier snapshot.
type node struct {
	name       string // of an element; empty otherwise
	text       string
	attributes map[string]string
	children   []*node
	// A reference: how many snapshots ago, and which node.
	isReference bool
	ago, index  int
}

// add adds a snapshot, and returns the address of the page: url, unless the snapshot is of a page.
func (s *snapshots) add(raw json.RawMessage, url string) string {
	var head snapshotHead
	switch {
	case json.Unmarshal(raw, &head) != nil:
		s.dropped++
		return url
	case !head.IsMain:
		s.inner++
		return url
	}
	shot := &snapshot{snapshotHead: head}
	if s.size += len(raw); s.size <= maxSnapshotBytes {
		var value any
		if json.Unmarshal(head.HTML, &value) == nil {
			shot.root = shot.node(value, 0)
		}
	}
	shot.HTML = nil
	// A damaged one stays in the list, because references count it.
	s.frame[head.FrameID] = append(s.frame[head.FrameID], shot)
	shot.frame = s.frame[head.FrameID]
	if shot.root == nil {
		s.dropped++
		return head.URL
	}
	s.all = append(s.all, shot)
	return head.URL
}

// node returns a JSON value as a node, and adds it to the nodes of the snapshot; nil for a value that is none.
func (s *snapshot) node(value any, depth int) *node {
	list, _ := value.([]any)
	text, isText := value.(string)
	n := &node{text: text}
	switch {
	case isText:
	case len(list) == 0 || depth > maxDepth || len(s.nodes) >= maxNodes:
		return nil
	default:
		if reference, ok := list[0].([]any); ok {
			return newReference(reference)
		}
		n.name, _ = list[0].(string)
		n.attributes = attributes(list)
		for _, child := range list[min(2, len(list)):] {
			if c := s.node(child, depth+1); c != nil {
				n.children = append(n.children, c)
			}
		}
		if n.name == "" {
			return nil
		}
	}
	s.nodes = append(s.nodes, n)
	return n
}

func newReference(pair []any) *node {
	if len(pair) != 2 {
		return nil
	}
	ago, isNumber := pair[0].(float64)
	index, isIndex := pair[1].(float64)
	if !isNumber || !isIndex || ago < 1 || ago > 1e6 || index < 0 || index > 1e6 { // 0 would be within itself
		return nil
	}
	return &node{isReference: true, ago: int(ago), index: int(index)}
}

func attributes(list []any) map[string]string {
	all := map[string]string{}
	if len(list) > 1 {
		members, _ := list[1].(map[string]any)
		for name, value := range members {
			if text, ok := value.(string); ok {
				all[name] = text
			}
		}
	}
	return all
}

// resolve returns the node to which a reference leads, and its snapshot; nil when it leads nowhere.
func (s *snapshot) resolve(n *node) (*node, *snapshot) {
	for hops := 0; n != nil && n.isReference; hops++ {
		i := len(s.frame) - 1 - n.ago
		if i < 0 || hops > maxDepth || n.index >= len(s.frame[i].nodes) {
			return nil, s
		}
		s, n = s.frame[i], s.frame[i].nodes[n.index]
	}
	return n, s
}

// sheet returns the name of the entry with a style sheet that the page had changed; empty for one as it was loaded.
func (s *snapshot) sheet(url string) string {
	of := func(s *snapshot) *override {
		if i := slices.IndexFunc(s.Overrides, func(o override) bool { return o.URL == url }); i >= 0 {
			return &s.Overrides[i]
		}
		return nil
	}
	o := of(s)
	if o != nil && o.Ref > 0 {
		if i := len(s.frame) - 1 - o.Ref; i >= 0 {
			o = of(s.frame[i])
		}
	}
	if o == nil {
		return ""
	}
	return resource(o.File, o.SHA1)
}

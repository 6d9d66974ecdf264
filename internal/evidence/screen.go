package evidence

import (
	"encoding/json"
	"slices"
)

// Screen is the page that a replay shows, as far as its text can be read: it applies events, and knows no style sheet,
// so that a text which only a class hides counts as visible. It is not safe for concurrent use.
type Screen struct {
	root  *screenNode
	nodes map[int]*screenNode
}

// The limits of a Screen. What exceeds them is left out.
const (
	maxScreenNodes = 100_000
	maxScreenDepth = 500
	maxScreenLines = 2000
	maxScreenLine  = 300 // characters
)

// screenNode is a node of the page.
type screenNode struct {
	kind     int // of rrweb: document, element or text
	tag      string
	text     string
	value    *string // typed or chosen
	checked  *bool
	state    map[string]any // attributes
	parent   *screenNode
	children []*screenNode
}

// recordedNode is a node as rrweb records it.
type recordedNode struct {
	Type        int             `json:"type"`
	ID          int             `json:"id"`
	TagName     string          `json:"tagName"`
	TextContent string          `json:"textContent"`
	Attributes  map[string]any  `json:"attributes"`
	ChildNodes  []*recordedNode `json:"childNodes"`
}

// screenChange is the data of an incremental event.
type screenChange struct {
	Source int `json:"source"`
	Texts  []struct {
		ID    int     `json:"id"`
		Value *string `json:"value"`
	} `json:"texts"`
	Attributes []struct {
		ID         int            `json:"id"`
		Attributes map[string]any `json:"attributes"`
	} `json:"attributes"`
	Removes []struct {
		ID int `json:"id"`
	} `json:"removes"`
	Adds []struct {
		ParentID int           `json:"parentId"`
		NextID   *int          `json:"nextId"`
		Node     *recordedNode `json:"node"`
	} `json:"adds"`
	ID        int     `json:"id"`
	Text      *string `json:"text"`
	IsChecked bool    `json:"isChecked"`
}

// Apply applies an event. It ignores one that changes no text, or cannot be read.
func (s *Screen) Apply(event []byte) {
	var head struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(event, &head) != nil {
		return
	}
	switch head.Type {
	case fullSnapshot:
		var page struct {
			Node *recordedNode `json:"node"`
		}
		if json.Unmarshal(head.Data, &page) == nil && page.Node != nil {
			s.nodes = map[int]*screenNode{}
			s.root = s.insert(page.Node, 0)
		}
	case incremental:
		var change screenChange
		if s.root != nil && json.Unmarshal(head.Data, &change) == nil {
			s.change(change)
		}
	}
}

// insert makes the node that was recorded, and those below it; nil beyond the limits.
func (s *Screen) insert(r *recordedNode, depth int) *screenNode {
	if r == nil || depth > maxScreenDepth || len(s.nodes) >= maxScreenNodes {
		return nil
	}
	n := &screenNode{kind: r.Type, tag: r.TagName, text: r.TextContent, state: r.Attributes}
	s.nodes[r.ID] = n
	for _, child := range r.ChildNodes {
		if c := s.insert(child, depth+1); c != nil {
			c.parent = n
			n.children = append(n.children, c)
		}
	}
	return n
}

// change applies an incremental event.
func (s *Screen) change(c screenChange) {
	switch c.Source {
	case sourceInput:
		if n := s.nodes[c.ID]; n != nil {
			n.value, n.checked = c.Text, &c.IsChecked
		}
	case sourceMutation:
		for _, removed := range c.Removes {
			s.detach(s.nodes[removed.ID])
		}
		s.addAll(c)
		for _, changed := range c.Texts {
			if n := s.nodes[changed.ID]; n != nil && changed.Value != nil {
				n.text = *changed.Value
			}
		}
		for _, changed := range c.Attributes {
			if n := s.nodes[changed.ID]; n != nil {
				n.setState(changed.Attributes)
			}
		}
	}
}

// addAll adds the nodes of a mutation. rrweb may list a node before the one beside which it belongs: those whose place
// is unknown are tried again.
func (s *Screen) addAll(c screenChange) {
	waiting := c.Adds
	for progress := true; len(waiting) > 0 && progress; {
		progress = false
		left := waiting[:0:0]
		for _, add := range waiting {
			parent := s.nodes[add.ParentID]
			isPlaced := add.NextID == nil || s.nodes[*add.NextID] != nil && s.nodes[*add.NextID].parent == parent
			if parent == nil || !isPlaced {
				left = append(left, add)
				continue
			}
			progress = true
			if n := s.insert(add.Node, 0); n != nil && n != s.root {
				s.place(n, parent, add.NextID)
			}
		}
		waiting = left
	}
}

// place puts a new node below a parent, before another one or as the last.
func (s *Screen) place(n, parent *screenNode, next *int) {
	n.parent = parent
	at := len(parent.children)
	if next != nil {
		at = max(0, slices.Index(parent.children, s.nodes[*next]))
	}
	parent.children = slices.Insert(parent.children, at, n)
}

// detach removes a node from its parent.
func (s *Screen) detach(n *screenNode) {
	if n == nil || n.parent == nil {
		return
	}
	if i := slices.Index(n.parent.children, n); i >= 0 {
		n.parent.children = slices.Delete(n.parent.children, i, i+1)
	}
	n.parent = nil
}

// setState changes attributes. One that is null is removed.
func (n *screenNode) setState(changed map[string]any) {
	if n.state == nil {
		n.state = map[string]any{}
	}
	for name, value := range changed {
		if n.state[name] = value; value == nil {
			delete(n.state, name)
		}
		if name == "value" {
			n.value = nil
		}
	}
}

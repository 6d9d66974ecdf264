package evidence

import (
	"encoding/json"
)

// Screen is the page that a replay shows, as far as its text can be read: it applies events, and knows no style sheet,
// so that a text which only a class hides counts as visible. It is not safe for concurrent use.
type Screen struct {
	root      *screenNode
	nodes     map[int]*screenNode
	address   string
	isPartial bool // the page has more than the limits
}

// The limits of a Screen. What exceeds them is left out.
const (
	maxScreenNodes = 250_000
	maxScreenDepth = 500
	maxScreenLines = 2000
	maxScreenLine  = 300 // characters
)

// screenNode is a node of the page, in the list of the children of its parent.
type screenNode struct {
	id             int
	kind           int // of rrweb: document, element or text
	tag            string
	text           string
	value          *string // typed or chosen
	checked        *bool
	state          map[string]any // attributes that matter here
	parent         *screenNode
	previous, next *screenNode
	first, last    *screenNode // children
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

// screenAdd is a node that a mutation adds, before another one or as the last.
type screenAdd struct {
	ParentID int           `json:"parentId"`
	NextID   *int          `json:"nextId"`
	Node     *recordedNode `json:"node"`
	woken    int           // how often a node that it waited for was added
}

// maxWoken is how often an addition waits for a node: for its parent, and for the node that follows it. Otherwise nodes
// that are added again and again would make each of them try again.
const maxWoken = 2

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
	Adds      []screenAdd `json:"adds"`
	ID        int         `json:"id"`
	Text      *string     `json:"text"`
	IsChecked bool        `json:"isChecked"`
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
	case metaEvent:
		var meta struct {
			Href string `json:"href"`
		}
		if json.Unmarshal(head.Data, &meta) == nil {
			s.address = meta.Href
		}
	case fullSnapshot:
		var page struct {
			Node *recordedNode `json:"node"`
		}
		if json.Unmarshal(head.Data, &page) == nil && page.Node != nil {
			*s = Screen{nodes: map[int]*screenNode{}, address: s.address}
			s.root = s.insert(page.Node, 0)
		}
	case incremental:
		var change screenChange
		if s.root != nil && json.Unmarshal(head.Data, &change) == nil {
			s.change(change)
		}
	}
}

// Address returns the address of the page, empty for none.
func (s *Screen) Address() string { return s.address }

// IsPartial reports whether the page has more nodes, or nodes within each other, than are read.
func (s *Screen) IsPartial() bool { return s.isPartial }

// insert makes the node that was recorded, and those below it; nil beyond the limits. A node that had its id leaves the
// page.
func (s *Screen) insert(r *recordedNode, depth int) *screenNode {
	if r == nil || s.root != nil && s.nodes[r.ID] == s.root {
		return nil
	}
	s.remove(s.nodes[r.ID])
	if depth > maxScreenDepth || len(s.nodes) >= maxScreenNodes {
		s.isPartial = true
		return nil
	}
	n := &screenNode{id: r.ID, kind: r.Type, tag: r.TagName, text: r.TextContent}
	n.setState(r.Attributes)
	s.nodes[r.ID] = n
	for _, child := range r.ChildNodes {
		if c := s.insert(child, depth+1); c != nil {
			n.place(c, nil)
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
			s.remove(s.nodes[removed.ID])
		}
		s.addAll(c.Adds)
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

// addAll adds the nodes of a mutation. rrweb may list a node before its parent or the one beside which it belongs: it is
// added after that one, and left out when there is none.
func (s *Screen) addAll(adds []screenAdd) {
	waiting := map[int][]screenAdd{} // by the node that each waits for
	for _, add := range adds {
		for ready := []screenAdd{add}; len(ready) > 0; {
			one := ready[0]
			ready = ready[1:]
			if missing, ok := s.missing(one); ok {
				if one.woken < maxWoken {
					one.woken++
					waiting[missing] = append(waiting[missing], one)
				}
				continue
			}
			parent, next := s.nodes[one.ParentID], s.nextOf(one)
			if one.Node == nil || next != nil && next.id == one.Node.ID || parent.isBelow(one.Node.ID) {
				continue
			}
			n := s.insert(one.Node, 0)
			if n == nil {
				continue
			}
			if s.nodes[parent.id] != parent || next != nil && next.parent != parent { // what is below n has replaced one of them
				s.remove(n)
				continue
			}
			parent.place(n, next)
			ready = append(ready, waiting[n.id]...)
			delete(waiting, n.id)
		}
	}
}

// missing returns the node that another one waits for; not ok when it can be added.
func (s *Screen) missing(add screenAdd) (id int, ok bool) {
	parent := s.nodes[add.ParentID]
	if parent == nil {
		return add.ParentID, true
	}
	if next := s.nextOf(add); add.NextID != nil && (next == nil || next.parent != parent) {
		return *add.NextID, true
	}
	return 0, false
}

// nextOf returns the node before which another one is added; nil for the last.
func (s *Screen) nextOf(add screenAdd) *screenNode {
	if add.NextID == nil {
		return nil
	}
	return s.nodes[*add.NextID]
}

// remove removes a node and those below it from the page, but never the page.
func (s *Screen) remove(n *screenNode) {
	if n == nil || n == s.root {
		return
	}
	n.detach()
	for below := []*screenNode{n}; len(below) > 0; {
		one := below[len(below)-1]
		below = below[:len(below)-1]
		if s.nodes[one.id] == one {
			delete(s.nodes, one.id)
		}
		for child := one.first; child != nil; child = child.next {
			below = append(below, child)
		}
	}
}

// isBelow reports whether a node is the one with an id or below it, or is as deep as nodes may be.
func (n *screenNode) isBelow(id int) bool {
	for depth := 0; n != nil; n = n.parent {
		if depth++; n.id == id || depth > maxScreenDepth {
			return true
		}
	}
	return false
}

// place puts a node below its parent, before another one or as the last.
func (n *screenNode) place(child, next *screenNode) {
	child.parent, child.next, child.previous = n, next, n.last
	if next != nil {
		child.previous, next.previous = next.previous, child
	} else {
		n.last = child
	}
	if child.previous != nil {
		child.previous.next = child
	} else {
		n.first = child
	}
}

// detach takes a node from its parent.
func (n *screenNode) detach() {
	if n.parent == nil {
		return
	}
	if n.previous != nil {
		n.previous.next = n.next
	} else {
		n.parent.first = n.next
	}
	if n.next != nil {
		n.next.previous = n.previous
	} else {
		n.parent.last = n.previous
	}
	n.parent, n.previous, n.next = nil, nil, nil
}

// stateNames are the attributes that matter to the text of a page.
var stateNames = setOf("style hidden open type aria-label id name placeholder value alt checked disabled")

// setState changes attributes. One that is null is removed.
func (n *screenNode) setState(changed map[string]any) {
	for name, value := range changed {
		if !stateNames[name] {
			continue
		}
		if n.state == nil {
			n.state = map[string]any{}
		}
		if n.state[name] = value; value == nil {
			delete(n.state, name)
		}
		if name == "value" {
			n.value = nil
		}
	}
}

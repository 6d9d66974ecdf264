package trace

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Limits of what a document embeds.
const (
	maxImage = 16 << 10
	maxSheet = 512 << 10
)

// rootID is the id of the element html in a replay.
const rootID = 2

// document makes the nodes of rrweb of a snapshot.
type document struct {
	files *pageFiles
	base  *url.URL
	shot  *snapshot
	id    int // of the newest node
	left  int // how many nodes it may still have
}

// newDocument returns a snapshot as the data of an event with a full snapshot, and the number of nodes that were drawn.
func newDocument(shot *snapshot, files *pageFiles) (data json.RawMessage, drawn int) {
	d := &document{files: files, shot: shot, id: rootID, left: maxNodes}
	d.base, _ = url.Parse(shot.URL)
	doctype := map[string]any{"type": doctypeNode, "id": d.nextID(), "name": "html", "publicId": "", "systemId": ""}
	children := []any{}
	if shot.Doctype != "" {
		children = append(children, doctype)
	}
	if html := d.node(shot, shot.root, context{}); html != nil {
		html["id"] = rootID
		children = append(children, html)
	}
	node := map[string]any{"type": documentNode, "id": 1, "childNodes": children}
	data = toJSON(map[string]any{"node": node, "initialOffset": map[string]int{"left": 0, "top": 0}})
	return data, maxNodes - max(0, d.left)
}

// toJSON returns the JSON of maps, lists, texts and finite numbers, which always have one.
func toJSON(value any) json.RawMessage {
	encoded, _ := json.Marshal(value)
	return encoded
}

func (d *document) nextID() int {
	d.id++
	return d.id
}

// context is where a node is.
type context struct {
	depth          int
	inStyle, inSVG bool
}

// node returns a node of a snapshot; nil for one that leads nowhere, runs code, or exceeds the limits.
func (d *document) node(s *snapshot, n *node, at context) map[string]any {
	n, s = s.resolve(n)
	if d.left--; n == nil || d.left < 0 || at.depth > maxDepth || strings.EqualFold(n.name, "script") {
		return nil
	}
	if n.name == "" {
		made := map[string]any{"type": textNode, "id": d.nextID(), "textContent": n.text}
		if at.inStyle {
			made["isStyle"] = true
		}
		return made
	}
	name := n.name
	if strings.ToUpper(name) == name {
		name = strings.ToLower(name)
	}
	if sheet, ok := n.attributes["__playwright_style_sheet_"]; ok { // one that the page has made by script
		text := map[string]any{"type": textNode, "id": d.nextID(), "textContent": sheet, "isStyle": true}
		return d.element("style", map[string]any{}, []any{text})
	}
	at = context{at.depth + 1, name == "style", at.inSVG && name != "foreignObject" || name == "svg"}
	if href := n.attributes["href"]; name == "base" {
		if base, err := url.Parse(href); err == nil && d.base != nil {
			d.base = d.base.ResolveReference(base)
		}
	}
	children, isHost := d.children(s, n, at)
	element := d.element(name, d.attributes(name, n.attributes), children)
	if at.inSVG {
		element["isSVG"] = true
	}
	if isHost {
		element["isShadowHost"] = true
	}
	return element
}

// children returns the children of an element as nodes of a replay. A child that stands for the element's shadow root is
// replaced by the children of that root, each marked as shadow; isHost reports whether there is one.
func (d *document) children(s *snapshot, n *node, at context) (children []any, isHost bool) {
	children = []any{}
	for _, child := range n.children {
		target, of := s.resolve(child)
		if target != nil && target.attributes["__playwright_shadow_root_"] != "" {
			inside, _ := d.children(of, target, at)
			for _, shadow := range inside {
				if node, ok := shadow.(map[string]any); ok {
					node["isShadow"], isHost = true, true
				}
			}
			children = append(children, inside...)
		} else if made := d.node(s, child, at); made != nil {
			children = append(children, made)
		}
	}
	return children, isHost
}

func (d *document) element(name string, attributes map[string]any, children []any) map[string]any {
	return map[string]any{"type": elementNode, "id": d.nextID(), "tagName": name, "attributes": attributes,
		"childNodes": children}
}

// attributes returns the attributes of an element for rrweb: what the user typed and chose, and the contents of style
// sheets and pictures. Addresses of frames and handlers of events are left out.
func (d *document) attributes(name string, from map[string]string) map[string]any {
	attributes := map[string]any{}
	for attribute, value := range from {
		switch lower := strings.ToLower(attribute); {
		case lower == "__playwright_value_":
			if attributes["value"] = value; strings.EqualFold(from["type"], "password") {
				attributes["value"] = mask(value)
			}
		case lower == "__playwright_checked_":
			attributes["checked"] = value == "true"
		case lower == "__playwright_selected_":
			attributes["selected"] = value == "true"
		case lower == "__playwright_scroll_top_":
			attributes["rr_scrollTop"] = number(value)
		case lower == "__playwright_scroll_left_":
			attributes["rr_scrollLeft"] = number(value)
		case lower == "__playwright_dialog_open_", lower == "__playwright_popover_open_":
			attributes["open"] = ""
		case strings.HasPrefix(lower, "__playwright"), strings.HasPrefix(lower, "on"), lower == "srcset":
		case lower == "src" || lower == "srcdoc":
		case slices.Contains(states, lower) && has(from, "__playwright_"+lower+"_"):
		default:
			attributes[attribute] = value
		}
	}
	switch name {
	case "link":
		if strings.Contains(strings.ToLower(from["rel"]), "stylesheet") {
			attributes["_cssText"] = d.files.sheet(d.shot, d.absolute(from["href"]))
			delete(attributes, "href")
		}
	case "img":
		source := from["__playwright_current_src__"]
		if source == "" {
			source = from["src"]
		}
		if content := d.files.image(d.absolute(source)); content != "" {
			attributes["src"] = content
		}
	}
	return attributes
}

// states are attributes whose first value stands in the markup, and whose present value in a member of Playwright.
var states = []string{"value", "checked", "selected"}

func has(attributes map[string]string, name string) bool {
	_, ok := attributes[name]
	return ok
}

// number returns a number of a trace; 0 for another text.
func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return n
}

// absolute returns an address of the document in full.
func (d *document) absolute(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || d.base == nil {
		return address
	}
	parsed = d.base.ResolveReference(parsed)
	parsed.Fragment = ""
	return parsed.String()
}

// pageFiles are the style sheets and pictures that a page has loaded, by their addresses.
type pageFiles struct {
	archive  *archive
	requests map[string]*request
	texts    map[string]string
}

func newPageFiles(a *archive, requests []*request) *pageFiles {
	f := &pageFiles{a, map[string]*request{}, map[string]string{}}
	for _, r := range requests {
		if r.received.entry != "" && r.status() < 300 {
			f.requests[r.url()] = r
		}
	}
	return f
}

// sheet returns a style sheet as the page had it at a snapshot; empty for one that is not in the trace.
func (f *pageFiles) sheet(shot *snapshot, address string) string {
	entry := shot.sheet(address)
	if r := f.requests[address]; entry == "" && r != nil {
		entry = r.received.entry
	}
	return f.once(entry, maxSheet, func(content []byte) string { return string(content) })
}

// image returns a small picture as a data URL; empty for another one.
func (f *pageFiles) image(address string) string {
	r := f.requests[address]
	if strings.HasPrefix(address, "data:image/") && len(address) <= 2*maxImage {
		return address
	}
	if r == nil || !strings.HasPrefix(r.contentType(), "image/") {
		return ""
	}
	return f.once(r.received.entry, maxImage, func(content []byte) string {
		return "data:" + r.contentType() + ";base64," + base64.StdEncoding.EncodeToString(content)
	})
}

// once returns an entry as a text, which it reads once; empty for one that is missing or has more than limit bytes.
func (f *pageFiles) once(entry string, limit int, as func([]byte) string) string {
	found, ok := f.texts[entry]
	if !ok {
		if content, err := f.archive.read(entry, limit); err == nil {
			found = as(content)
		}
		f.texts[entry] = found
	}
	return found
}

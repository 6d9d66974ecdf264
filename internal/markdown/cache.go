package markdown

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"html/template"
	"sync"
)

// maxCached is how many bytes of HTML are retained. HTML of more than an eighth of them is not.
const maxCached = 16 << 20

// conversions retains the HTML of the texts that were converted most recently, by the text and its context: a text
// that costs much is converted once, and again only when it changes or what its words refer to.
var conversions = cache{entries: map[cacheKey]*list.Element{}}

type cacheKey [sha256.Size]byte

// cache is safe for concurrent use.
type cache struct {
	mu      sync.Mutex
	entries map[cacheKey]*list.Element
	recent  list.List // of *conversion, the most recently used first
	bytes   int
}

// conversion is the HTML of a text, and what its words referred to.
type conversion struct {
	key   cacheKey
	html  template.HTML
	words []resolved

	coloured int // bytes of the text
}

// resolved is what a word referred to.
type resolved struct {
	word string
	link Link
	ok   bool
}

func (e *conversion) size() int {
	n := len(e.html) + 512
	for _, w := range e.words {
		n += len(w.word) + len(w.link.Path) + len(w.link.Text) + len(w.link.Title) + 96
	}
	return n
}

// key identifies a text in a context, but for what its words refer to.
func (c Context) key(source string) (k cacheKey) {
	h := sha256.New()
	flags := byte(0)
	if c.Tasks {
		flags |= 1
	}
	if c.Resolve != nil {
		flags |= 2
	}
	if c.plainCode {
		flags |= 4
	}
	h.Write([]byte{flags})
	writeText(h, c.Base)
	writeText(h, source)
	return cacheKey(h.Sum(nil))
}

func writeText(h hash.Hash, s string) {
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
	h.Write([]byte(s))
}

// get returns the conversion of a key, if its words still refer to what they did.
func (c *cache) get(k cacheKey, resolve func(string) (Link, bool)) (found *conversion, ok bool) {
	c.mu.Lock()
	e, ok := c.entries[k]
	if ok {
		c.recent.MoveToFront(e)
	}
	c.mu.Unlock()
	if !ok {
		return nil, false
	}
	found, _ = e.Value.(*conversion)
	for _, w := range found.words {
		if link, ok := resolve(w.word); link != w.link || ok != w.ok {
			return nil, false
		}
	}
	return found, true
}

// put retains a conversion in the place of a former one with its key, and evicts the least recently used ones.
func (c *cache) put(e *conversion) {
	if e.size() > maxCached/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if former, ok := c.entries[e.key]; ok {
		c.remove(former)
	}
	c.entries[e.key] = c.recent.PushFront(e)
	for c.bytes += e.size(); c.bytes > maxCached; {
		c.remove(c.recent.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	removed, _ := c.recent.Remove(e).(*conversion)
	delete(c.entries, removed.key)
	c.bytes -= removed.size()
}

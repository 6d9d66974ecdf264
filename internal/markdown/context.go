package markdown

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Context is what a text refers to, and what can be done with it.
type Context struct {
	// Resolve returns the link of a reference such as WEB-12 or of a mention such as @usr_…, and for the path of a
	// picture such as /files/att_… its size, so that a text does not move when its pictures come. ok is false for a word
	// that stays text.
	Resolve func(word string) (l Link, ok bool)
	Base    string // the path of the page of a share, whose pictures are below it; empty for other pages
	Tasks   bool   // whether the boxes of tasks are buttons, which send task=N
	Page    *Page  // whose bounds the text shares with the others of the page; nil for a text alone

	plainCode bool     // whether code has no colours
	colours   *colours // what is left for those of the text
}

// Link is the link of a word, or the size of a picture in pixels.
type Link struct {
	Path, Text, Title string
	Width, Height     int64
}

var contextKey = parser.NewContextKey()

// parsed returns the context of the parser.
func (c Context) parsed(m *meter) parser.Context {
	pc := parser.NewContext()
	pc.Set(meterKey, m)
	pc.Set(contextKey, c)
	return pc
}

func contextOf(pc parser.Context) Context {
	c, _ := pc.Get(contextKey).(Context)
	return c
}

// word is a word that may be a mention.
type word struct {
	ast.BaseInline
	text string
}

var kindWord = ast.NewNodeKind("Word")

// Kind implements ast.Node.
func (*word) Kind() ast.NodeKind { return kindWord }

// Dump implements ast.Node.
func (w *word) Dump(source []byte, level int) { ast.DumpHelper(w, source, level, nil, nil) }

// wordParser finds the words that may be mentions, before their parts are read as links or emphasis.
type wordParser struct{}

// Trigger implements parser.InlineParser.
func (wordParser) Trigger() []byte { return []byte("@") }

// mention matches a mention at the beginning of a line, and reference finds a reference in a text.
var (
	mention   = regexp.MustCompile(`^@(?:usr_[0-9a-hjkmnp-tv-z]{26}\b|[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+)`)
	reference = regexp.MustCompile(`\b[A-Z][A-Z0-9]{1,5}-[1-9][0-9]{0,12}\b`)
)

// Parse implements parser.InlineParser.
func (wordParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if contextOf(pc).Resolve == nil {
		return nil
	}
	if before := block.PrecendingCharacter(); before == '.' || before == '@' || isWord(before) {
		return nil
	}
	line, _ := block.PeekLine()
	found := mention.Find(line)
	if found == nil {
		return nil
	}
	block.Advance(len(found))
	return &word{text: string(found)}
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// resolve puts links in the place of words, and numbers the tasks.
func (c Context) resolve(document *ast.Document, source []byte) {
	for i, t := range tasks(document) {
		if c.Tasks {
			t.SetAttributeString("value", strconv.Itoa(i+1))
			t.SetAttributeString("label", cmp.Or(labelOf(t, source), "Task "+strconv.Itoa(i+1)))
		}
	}
	if c.Resolve == nil {
		return
	}
	var words []*word
	var texts []*ast.Text
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.AutoLink:
			return ast.WalkSkipChildren, nil
		case *word:
			if entering {
				words = append(words, n)
			}
		case *ast.Text:
			if !inLink(n) {
				texts = append(texts, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, w := range words {
		var in ast.Node = ast.NewString([]byte(w.text))
		if !inLink(w) {
			in = c.link(w.text)
		}
		w.Parent().ReplaceChild(w.Parent(), w, in)
	}
	for _, t := range texts {
		c.linkReferences(t, source)
	}
}

// linkReferences puts links in the place of the references in a text.
func (c Context) linkReferences(t *ast.Text, source []byte) {
	parent, at := t.Parent(), t.Segment
	if parent == nil {
		return
	}
	for _, found := range reference.FindAllIndex(at.Value(source), -1) {
		from, to := at.Start+found[0], at.Start+found[1]
		if from > 0 && strings.IndexByte("/.@#-", source[from-1]) >= 0 {
			continue
		}
		link, ok := c.link(string(source[from:to])).(*ast.Link)
		if !ok {
			continue
		}
		parent.InsertBefore(parent, t, ast.NewTextSegment(text.NewSegment(t.Segment.Start, from)))
		parent.InsertBefore(parent, t, link)
		t.Segment = t.Segment.WithStart(to)
	}
}

// link returns what stands in the place of a word: a link, or its text.
func (c Context) link(name string) ast.Node {
	l, ok := c.Resolve(name)
	if !ok {
		return ast.NewString([]byte(name))
	}
	link := ast.NewLink()
	link.Destination = []byte(l.Path)
	if l.Title != "" {
		link.Title = []byte(l.Title)
	}
	class := "reference"
	if name[0] == '@' {
		class = "mention"
	}
	link.SetAttributeString("class", []byte(class))
	link.AppendChild(link, ast.NewString([]byte(l.Text)))
	return link
}

// tasks returns the boxes of a document in their order.
func tasks(document ast.Node) (all []*extast.TaskCheckBox) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*extast.TaskCheckBox); ok && entering {
			all = append(all, t)
		}
		return ast.WalkContinue, nil
	})
	return all
}

const maxLabel = 120 // bytes of the name of a task

// labelOf returns the text of the first line of a task.
func labelOf(t *extast.TaskCheckBox, source []byte) string {
	var line strings.Builder
	_ = ast.Walk(t.Parent(), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			line.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				return ast.WalkStop, nil
			}
		case *ast.String:
			line.Write(n.Value)
		case *word:
			line.WriteString(n.text)
		case *ast.AutoLink:
			line.Write(n.Label(source))
		case *tag:
			if !n.isShown() {
				line.Write(n.raw)
			}
		case *ast.RawHTML:
			line.Write(n.Segments.Value(source))
		}
		return ast.WalkContinue, nil
	})
	label := strings.TrimSpace(line.String())
	return strings.ToValidUTF8(label[:min(len(label), maxLabel)], "")
}

// inLink reports whether a node is within a link, or within the text of a picture.
func inLink(n ast.Node) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == ast.KindLink || n.Kind() == ast.KindImage {
			return true
		}
	}
	return false
}

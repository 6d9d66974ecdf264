// Package markdown renders the Markdown that people and programs write into reports: CommonMark with tables, task
// lists, strikethrough and bare links. Of markup in it the elements that GitHub has are shown, without attributes,
// and the rest is text. A picture that is no attachment becomes a link that names its host, and links lead to http,
// https, mailto and paths alone. The HTML loads nothing but attachments, runs nothing and has no ids and no styles.
package markdown

import (
	"html/template"
	"net/url"
	"regexp"
	"strconv"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var converter = goldmark.New(
	goldmark.WithParser(parser.NewParser(parser.WithBlockParsers(blockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))),
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.TaskList,
		extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"}),
			extension.WithLinkifyURLRegexp(address)),
	),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(transformer{}, 100)),
		parser.WithParagraphTransformers(util.Prioritized(plainTable{}, 50), // before definitions and tables are read
			util.Prioritized(partedParagraph{}, 300)), // after it
		parser.WithInlineParsers(util.Prioritized(wordParser{}, 90))), // before links
	goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(literal{}, 1))),
)

// attachmentPath is the path of an attachment on the pages, and sharedPath also that on the page of a share.
var (
	attachmentPath = regexp.MustCompile(`^/files/att_[0-9a-hjkmnp-tv-z]{26}$`)
	sharedPath     = regexp.MustCompile(`^(/s/[0-9A-Za-z_-]+)?/files/att_[0-9a-hjkmnp-tv-z]{26}$`)
)

// policy removes what the converter never writes. It is the second guard, should the converter be at fault.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "strong", "del",
		"ul", "ol", "li",
		"table", "thead", "tbody", "tr", "th", "td", "kbd", "sub", "sup", "ins", "details", "summary",
		"tfoot", "caption", "u", "small", "mark", "q", "samp", "var", "wbr", "dl", "dt", "dd", "ruby", "rt", "rp")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[A-Za-z0-9_+#.-]{1,40}$`)).OnElements("code")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^hl-[a-z]{1,10}$`)).OnElements("span")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(reference|mention)$`)).OnElements("a")
	p.AllowAttrs("src").Matching(sharedPath).OnElements("img")
	p.AllowAttrs("alt", "title").OnElements("img")
	p.AllowAttrs("width", "height").Matching(bluemonday.Integer).OnElements("img")
	p.AllowAttrs("loading").Matching(regexp.MustCompile(`^lazy$`)).OnElements("img")
	p.AllowAttrs("class", "name").Matching(regexp.MustCompile(`^task$`)).OnElements("button")
	p.AllowAttrs("value").Matching(bluemonday.Integer).OnElements("button")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("button")
	p.AllowAttrs("aria-checked").Matching(regexp.MustCompile(`^(true|false)$`)).OnElements("button")
	p.AllowAttrs("aria-label").OnElements("button")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href", "title").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

// HTML returns the HTML of a text that refers to nothing. It can be called for any text, and at the same time.
func HTML(source string) template.HTML { return Context{}.HTML(source) }

// HTML returns the HTML of a text in the context. It accepts any text, and is safe for concurrent use. Its time, its
// memory and the HTML grow with the text and no faster: a text that would take more is shown as it was written.
func (c Context) HTML(source string) template.HTML {
	if c.Page == nil {
		html, _ := c.cached(source)
		return html
	}
	if c.Page.isFull() {
		return textAsWritten(source, pageNotice)
	}
	c.plainCode = !c.Page.mayColour()
	html, took := c.cached(source)
	if !c.Page.add(html, took) {
		return textAsWritten(source, pageNotice)
	}
	return html
}

// cached returns the HTML of a text, and what its colours took.
func (c Context) cached(source string) (template.HTML, colours) {
	key := c.key(source)
	if found, ok := conversions.get(key, c.Resolve); ok {
		return found.html, colours{bytes: found.coloured}
	}
	e := &conversion{key: key}
	left := coloursOfText
	if c.plainCode {
		left = colours{}
	}
	before := left
	c.colours = &left
	if resolve := c.Resolve; resolve != nil {
		c.Resolve = func(word string) (Link, bool) {
			link, ok := resolve(word)
			e.words = append(e.words, resolved{word, link, ok})
			return link, ok
		}
	}
	e.html = c.convertOrShow(source)
	e.coloured = before.bytes - left.bytes
	conversions.put(e)
	return e.html, colours{e.coloured, before.time - left.time}
}

// convertOrShow returns the HTML of a text, or the text as it was written when it is beyond the bounds, or the
// converter fails.
func (c Context) convertOrShow(source string) (html template.HTML) {
	defer func() {
		if recover() != nil {
			html = textAsWritten(source, textNotice)
		}
	}()
	return c.convert(source)
}

// textAsWritten returns a text as it was written, below a notice.
func textAsWritten(source, notice string) template.HTML {
	escaped := template.HTMLEscapeString(source)
	return template.HTML("<p><em>" + notice + "</em></p>\n<pre>" + escaped + "</pre>") //nolint:gosec // it is escaped
}

// convert returns the HTML of a text. It panics with errTooMuch when the text is beyond the bounds.
func (c Context) convert(source string) template.HTML {
	b := boundedHTML{left: fixedHTML + htmlPerByte*len(source)}
	if err := converter.Convert([]byte(source), &b, parser.WithContext(c.parsed(newMeter(source)))); err != nil {
		panic(err)
	}
	return template.HTML(policy.SanitizeReader(&b.Buffer).String()) //nolint:gosec // the policy has sanitized it
}

// transformer lowers headings below that of a page, without a gap between two levels, and makes links of pictures.
type transformer struct{}

// Transform implements parser.ASTTransformer.
func (transformer) Transform(document *ast.Document, reader text.Reader, pc parser.Context) {
	joinParts(document)
	readMarkup(document, reader.Source())
	if pc.Get(asParsed) != nil {
		return
	}
	c := contextOf(pc)
	c.resolve(document, reader.Source())
	var pictures []*ast.Image
	var headings []*int // their levels
	highest := 6
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering {
				headings, highest = append(headings, &n.Level), min(highest, n.Level)
			}
		case *tag:
			if entering && n.level > 0 && n.isShown() {
				headings, highest = append(headings, &n.level), min(highest, n.level)
			}
		case *ast.Image:
			if entering {
				pictures = append(pictures, n)
			}
		}
		return ast.WalkContinue, nil
	})
	level := 1
	for _, h := range headings {
		level = min(*h-highest+2, level+1, 6)
		*h = level
	}
	boundColours(document, c.colours)
	for _, p := range pictures {
		if attachmentPath.Match(p.Destination) {
			c.reserve(p)
			p.Destination = append([]byte(c.Base), p.Destination...)
			p.SetAttributeString("loading", []byte("lazy"))
			continue
		}
		replacePicture(p, reader.Source())
	}
}

const maxPictureHeight = 512 // pixels

// reserve gives a picture of a known size its place. A higher one is made smaller, as a whole.
func (c Context) reserve(p *ast.Image) {
	if c.Resolve == nil {
		return
	}
	l, ok := c.Resolve(string(p.Destination))
	if !ok || l.Width <= 0 || l.Height <= 0 {
		return
	}
	width, height := l.Width, l.Height
	if height > maxPictureHeight {
		width, height = max(1, width*maxPictureHeight/height), maxPictureHeight
	}
	p.SetAttributeString("width", []byte(strconv.FormatInt(width, 10)))
	p.SetAttributeString("height", []byte(strconv.FormatInt(height, 10)))
}

// replacePicture puts a link in the place of a picture: its text, and its host. A picture in a link, which cannot
// hold another one, becomes its text.
func replacePicture(p *ast.Image, source []byte) {
	var label ast.Node = ast.NewLink()
	if inLink(p) {
		label = ast.NewEmphasis(1)
	} else if l, ok := label.(*ast.Link); ok {
		l.Destination, l.Title = p.Destination, p.Title
	}
	name := string(p.Destination)
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		name = u.Host
	}
	for c := p.FirstChild(); c != nil; {
		next := c.NextSibling()
		label.AppendChild(label, c)
		c = next
	}
	if label.HasChildren() {
		name = " (" + name + ")"
	}
	label.AppendChild(label, ast.NewString([]byte(name)))
	p.Parent().ReplaceChild(p.Parent(), p, label)
}

// literal renders markup as the text that it is, and the box of a task as a character.
type literal struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (literal) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(extast.KindTaskCheckBox, task)
	r.Register(ast.KindFencedCodeBlock, codeBlock)
	r.Register(ast.KindCodeBlock, asWritten)
	r.Register(ast.KindLink, link)
	r.Register(kindTag, writeTag)
	r.Register(ast.KindAutoLink, bareLink)
}

func rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n, ok := node.(*ast.RawHTML)
	if entering && ok {
		writeLines(w, source, n.Segments)
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n, ok := node.(*ast.HTMLBlock)
	if !entering || !ok {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<pre><code>")
	writeLines(w, source, n.Lines())
	if n.HasClosure() {
		template.HTMLEscape(w, n.ClosureLine.Value(source))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkContinue, nil
}

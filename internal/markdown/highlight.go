package markdown

import (
	"bytes"
	"html/template"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Bounds of the highlighting. A block that is longer or has a longer line is shown without colours, and so are the
// blocks of a text after those that took its time, or its bytes.
const (
	maxHighlighted     = 16 << 10
	maxHighlightedLine = 1000
	maxHighlightedText = 64 << 10
	highlightTime      = 100 * time.Millisecond
)

// colours are what is left for the highlighting of the blocks of a text.
type colours struct {
	bytes int
	time  time.Duration
}

// coloursOfText are those of a text alone.
var coloursOfText = colours{maxHighlightedText, highlightTime}

// boundColours gives the blocks of code of a text their common bounds; nil for those of a text alone.
func boundColours(document ast.Node, left *colours) {
	if left == nil {
		alone := coloursOfText
		left = &alone
	}
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == ast.KindFencedCodeBlock {
			n.SetAttributeString("colours", left)
		}
		return ast.WalkContinue, nil
	})
}

// allow reports whether a block may be highlighted, and counts its bytes.
func (c *colours) allow(code string) bool {
	if c == nil || len(code) > min(maxHighlighted, c.bytes) || c.time <= 0 {
		return false
	}
	for line := range strings.Lines(code) {
		if len(line) > maxHighlightedLine {
			return false
		}
	}
	c.bytes -= len(code)
	return true
}

// languages are the languages that are highlighted, by the names that people write.
var languages = map[string]string{
	"bash": "bash", "sh": "bash", "shell": "bash", "zsh": "bash", "c": "c", "cpp": "c++", "c++": "c++", "cs": "c#",
	"csharp": "c#",
	"css":    "css", "diff": "diff", "patch": "diff", "dockerfile": "docker", "docker": "docker", "go": "go",
	"golang":  "go",
	"graphql": "graphql", "html": "html", "ini": "ini", "java": "java", "javascript": "javascript", "js": "javascript",
	"mjs": "javascript",
	"jsx": "react", "json": "json", "json5": "json", "kotlin": "kotlin", "kt": "kotlin", "makefile": "makefile",
	"python": "python",
	"py":     "python", "ruby": "ruby", "rb": "ruby", "rust": "rust", "rs": "rust", "scss": "scss", "sql": "sql",
	"swift": "swift",
	"toml":  "toml", "typescript": "typescript", "ts": "typescript", "tsx": "typescript",
	"xml": "xml", "svg": "xml", "yaml": "yaml", "yml": "yaml",
}

// codeBlock writes a block of code with a language as spans with classes.
func codeBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n, ok := node.(*ast.FencedCodeBlock)
	if !entering || !ok {
		return ast.WalkContinue, nil
	}
	language := strings.ToLower(string(n.Language(source)))
	_, _ = w.WriteString("<pre><code")
	if language != "" {
		_, _ = w.WriteString(` class="language-` + template.HTMLEscapeString(language) + `"`)
	}
	_, _ = w.WriteString(">")
	var code bytes.Buffer
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		code.Write(at.Value(source))
	}
	value, _ := n.AttributeString("colours")
	left, _ := value.(*colours)
	left.write(w, languages[language], code.String())
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// write writes code, which is highlighted if its language is known.
func (c *colours) write(w util.BufWriter, language, code string) {
	if language != "" && c.allow(code) {
		if html, ok := c.highlight(language, code); ok {
			_, _ = w.WriteString(html)
			return
		}
	}
	template.HTMLEscape(w, []byte(code))
}

// highlight returns code as HTML; ok is false when it takes too long, or the lexer fails.
func (c *colours) highlight(language, code string) (html string, ok bool) {
	defer func() {
		if recover() != nil {
			html, ok = "", false
		}
	}()
	next, err := lexers.GlobalLexerRegistry.Get(language).Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	begin := time.Now() // the lexer is compiled now
	defer func() { c.time -= time.Since(begin) }()
	for token := next(); token != chroma.EOF; token = next() {
		if time.Since(begin) > c.time {
			return "", false
		}
		class := classOf(token.Type)
		text := template.HTMLEscapeString(token.Value)
		if class == "" {
			b.WriteString(text)
			continue
		}
		b.WriteString(`<span class="hl-` + class + `">` + text + "</span>")
	}
	return b.String(), true
}

// classOf returns the class of a kind of tokens, empty for plain text.
func classOf(t chroma.TokenType) string {
	switch {
	case t.InSubCategory(chroma.LiteralString):
		return "string"
	case t.InSubCategory(chroma.LiteralNumber):
		return "number"
	case t.InCategory(chroma.Comment):
		return "comment"
	case t.InCategory(chroma.Keyword):
		return "keyword"
	case t == chroma.NameTag, t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameBuiltin,
		t == chroma.NameAttribute:
		return "name"
	case t == chroma.GenericInserted:
		return "inserted"
	case t == chroma.GenericDeleted:
		return "deleted"
	}
	return ""
}

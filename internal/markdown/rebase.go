package markdown

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// destination finds the destination of a link, a picture or a definition, and the address of a link or a picture of markup.
var destination = regexp.MustCompile(`\]\(\s*<?([^\s<>()]+)|(?m:^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s<>]+))` +
	`|<(?i:a|img)\b[^<>]*?\s(?i:href|src)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')`)

var schemed = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)`)

// Rebase returns a text of another page with the relative addresses of its links and pictures as addresses that lead to the same from
// everywhere. Code stays as it is.
func Rebase(source, page string) string {
	base, err := url.Parse(page)
	if err != nil || base.Host == "" || !strings.ContainsAny(source, "](<") {
		return source
	}
	isCode, ok := codeOf(source)
	if !ok {
		return source
	}
	var b strings.Builder
	end := 0
	for _, m := range destination.FindAllStringSubmatchIndex(source, -1) {
		for i := 2; i < len(m); i += 2 {
			from, to := m[i], m[i+1]
			if from < 0 || from == to || isCode[from] || schemed.MatchString(source[from:to]) {
				continue
			}
			relative, err := url.Parse(source[from:to])
			if err != nil {
				continue
			}
			b.WriteString(source[end:from])
			b.WriteString(base.ResolveReference(relative).String())
			end = to
		}
	}
	return b.String() + source[end:]
}

// codeOf returns which bytes of a text are code; ok is false for a text beyond the bounds.
func codeOf(source string) (isCode []bool, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	isCode = make([]bool, len(source))
	mark := func(s text.Segment) {
		for i := max(s.Start, 0); i < min(s.Stop, len(isCode)); i++ {
			isCode[i] = true
		}
	}
	pc := Context{}.parsed(newMeter(source))
	document := converter.Parser().Parse(text.NewReader([]byte(source)), parser.WithContext(pc))
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				mark(n.Lines().At(i))
			}
		case *ast.Text:
			if n.Parent().Kind() == ast.KindCodeSpan {
				mark(n.Segment)
			}
		}
		return ast.WalkContinue, nil
	})
	return isCode, true
}

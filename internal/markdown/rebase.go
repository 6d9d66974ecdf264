package markdown

import (
	"bytes"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var schemed = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)`)

// inDestination escapes what would end the destination of a link, or the value of an attribute.
var inDestination = strings.NewReplacer("(", "%28", ")", "%29", "'", "%27", `"`, "%22", "<", "%3C", ">", "%3E")

// Rebase returns a text of another page with the relative addresses of its links and pictures as addresses that lead
// to the same from everywhere. It changes the addresses alone that the converter reads as those of links and
// pictures: any other text stays as it is.
func Rebase(source, page string) string {
	base, err := url.Parse(page)
	if err != nil || base.Host == "" || !strings.ContainsAny(source, "](<") {
		return source
	}
	ends, ok := addressesOf([]byte(source))
	if !ok {
		return source
	}
	var b strings.Builder
	end := 0
	for _, from := range slices.Sorted(maps.Keys(ends)) {
		to := ends[from]
		relative, err := url.Parse(source[from:to])
		if err != nil || from < end || strings.Contains(source[from:to], `\`) || schemed.MatchString(source[from:to]) {
			continue
		}
		b.WriteString(source[end:from])
		b.WriteString(inDestination.Replace(base.ResolveReference(relative).String()))
		end = to
	}
	return b.String() + source[end:]
}

// asParsed says that the links and pictures of a document stay as they were parsed.
var asParsed = parser.NewContextKey()

// addressesOf returns where the addresses of the links and pictures of a text end, by where they begin; ok is false
// for a text beyond the bounds.
func addressesOf(source []byte) (ends map[int]int, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	ends = map[int]int{}
	pc := Context{}.parsed(newMeter(string(source)))
	pc.Set(asParsed, true)
	document := converter.Parser().Parse(text.NewReader(source), parser.WithContext(pc))
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			addDestination(ends, source, n.Destination, n.Reference)
		case *ast.Image:
			addDestination(ends, source, n.Destination, n.Reference)
		case *tag:
			if !n.isText {
				addDestination(ends, source, n.href, nil)
			}
		}
		return ast.WalkContinue, nil
	})
	return ends, true
}

// addDestination adds the destination of a link, or of its definition, but for that of a footnote.
func addDestination(ends map[int]int, source, destination []byte, reference *ast.ReferenceLink) {
	if len(destination) == 0 || reference != nil && bytes.HasPrefix(reference.Value, []byte("^")) {
		return
	}
	from := cap(source) - cap(destination) // a destination is cut out of the source
	if from >= 0 && from < len(source) && &source[from] == &destination[0] {
		ends[from] = from + len(destination)
	}
}

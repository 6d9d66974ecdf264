package markdown

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/idna"
)

// address matches an address at the beginning of a line: of http or https, with a host of one name or several, in any
// script, or an IP address, and with a port. It ends at a space or a character that no address has; the converter
// leaves off punctuation at its end.
var address = regexp.MustCompile(`^https?://(?:[-\w.~%+:=!$&]{1,256}@)?` +
	`(?:\[[0-9A-Fa-f:.]{2,45}(?:%25[\w.~-]{1,32})?\]|[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_.-]{0,253}[\p{L}\p{M}\p{N}])?)` +
	`(?::[0-9]{1,5})?` +
	`(?:[/#?][-\p{L}\p{M}\p{N}@:%_+.~#$!?&/=(),;'*">^{}\[\]` + "`" + `]*)?`)

// host finds the host of an address, behind a user.
var host = regexp.MustCompile(`^(?i:https?:)?//(?:[^/?#\\@]*@)?(\[[0-9A-Fa-f:.%\w~-]*\]|[^/?#\\@:\[]+)`)

// href returns an address for an attribute. A host in another script is written as the name that DNS has for it, and
// the brackets of an IP address stay.
func href(address []byte) []byte {
	escaped := func(part []byte) []byte { return util.EscapeHTML(util.URLEscape(part, true)) }
	at := host.FindSubmatchIndex(address)
	if at == nil {
		return escaped(address)
	}
	name := address[at[2]:at[3]]
	if name[0] == '[' {
		name = util.EscapeHTML(name)
	} else if ascii, err := idna.Lookup.ToASCII(string(name)); err == nil {
		name = []byte(ascii)
	} else {
		name = escaped(name)
	}
	return bytes.Join([][]byte{escaped(address[:at[2]]), name, escaped(address[at[3]:])}, nil)
}

// link writes the beginning or the end of a link.
func link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n, ok := node.(*ast.Link)
	if !ok || !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	writeHref(w, n.Destination)
	if n.Title != nil {
		_, _ = w.WriteString(` title="`)
		html.DefaultWriter.Write(w, n.Title)
		_ = w.WriteByte('"')
	}
	html.RenderAttributes(w, n, html.LinkAttributeFilter)
	_ = w.WriteByte('>')
	return ast.WalkContinue, nil
}

// bareLink writes an address that is a link.
func bareLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n, ok := node.(*ast.AutoLink)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	to := n.URL(source)
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(string(to)), "mailto:") {
		to = append([]byte("mailto:"), to...)
	}
	writeHref(w, to)
	_ = w.WriteByte('>')
	_, _ = w.Write(util.EscapeHTML(n.Label(source)))
	_, _ = w.WriteString("</a>")
	return ast.WalkContinue, nil
}

func writeHref(w util.BufWriter, to []byte) {
	_, _ = w.WriteString(`<a href="`)
	if !html.IsDangerousURL(to) {
		_, _ = w.Write(href(to))
	}
	_ = w.WriteByte('"')
}

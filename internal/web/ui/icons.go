package ui

import (
	"context"
	"html/template"
	"sync"
	"text/template/parse"

	"github.com/a-h/templ"

	"bugslice/internal/web/static"
)

// HTML renders a compiled component for a template.
func HTML(c templ.Component) (template.HTML, error) { return templ.ToGoHTML(context.Background(), c) }

// icons are the elements of icons that were shown before, by name.
var icons sync.Map

// icon returns the element that shows an icon. It has the shapes: for a reference to a file, the browser would look
// the file up and copy its elements for each of hundreds of icons.
func icon(name string) template.HTML {
	if known, ok := icons.Load(name); ok {
		return known.(template.HTML)
	}
	element := template.HTML(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">` + static.Icon(name) + `</svg>`)
	icons.Store(name, element)
	return element
}

// Icon shows an icon.
func Icon(name string) templ.Component { return templ.Raw(icon(name)) }

// inlineIcons replaces each {{template "icon" "name"}} of the templates by the element of the icon. A list of fifty
// rows shows hundreds of icons, and a call for each costs more than its text. The templates must not have been
// executed.
func inlineIcons(set *template.Template) {
	for _, t := range set.Templates() {
		if t.Tree != nil {
			inlineIconsOf(t.Tree.Root)
		}
	}
}

func inlineIconsOf(list *parse.ListNode) {
	if list == nil {
		return
	}
	for i, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.IfNode:
			inlineIconsOf(n.List)
			inlineIconsOf(n.ElseList)
		case *parse.RangeNode:
			inlineIconsOf(n.List)
			inlineIconsOf(n.ElseList)
		case *parse.WithNode:
			inlineIconsOf(n.List)
			inlineIconsOf(n.ElseList)
		case *parse.TemplateNode:
			if name, ok := constantIcon(n); ok {
				list.Nodes[i] = &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(icon(name))}
			}
		}
	}
}

// constantIcon returns the name of the icon that a call of a template shows. ok is false for another template, and
// for a name that is computed.
func constantIcon(call *parse.TemplateNode) (name string, ok bool) {
	if call.Name != "icon" || call.Pipe == nil || len(call.Pipe.Cmds) != 1 || len(call.Pipe.Cmds[0].Args) != 1 {
		return "", false
	}
	text, ok := call.Pipe.Cmds[0].Args[0].(*parse.StringNode)
	if !ok {
		return "", false
	}
	return text.Text, true
}

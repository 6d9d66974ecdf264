package ui

import (
	"html/template"
	"text/template/parse"
)

// inlineIcons replaces each {{template "icon" "name"}} of the templates by the element of the icon. A list of fifty rows shows hundreds
// of icons, and a call for each costs more than its text. The templates must not have been executed.
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

// constantIcon returns the name of the icon that a call of a template shows. ok is false for another template, and for a name that is
// computed.
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

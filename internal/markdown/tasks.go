package markdown

import (
	"html/template"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Tick changes the box of the task with a number, counted from 1, and returns the changed text. ok is false when
// there is no such task.
func Tick(source string, number int) (changed string, ok bool) {
	defer func() {
		if recover() != nil { // it is beyond the bounds, and shown without boxes
			changed, ok = source, false
		}
	}()
	pc := Context{}.parsed(newMeter(source))
	all := tasks(converter.Parser().Parse(text.NewReader([]byte(source)), parser.WithContext(pc)))
	if number < 1 || number > len(all) || all[number-1].Parent().Lines().Len() == 0 {
		return source, false
	}
	from := all[number-1].Parent().Lines().At(0).Start
	if from+len("[ ]") > len(source) || source[from] != '[' || source[from+2] != ']' {
		return source, false
	}
	mark := "x"
	if all[number-1].IsChecked {
		mark = " "
	}
	return source[:from+1] + mark + source[from+2:], true
}

// task writes the box of a task: a button, or a character when it cannot be changed.
func task(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n, ok := node.(*extast.TaskCheckBox)
	if !entering || !ok {
		return ast.WalkContinue, nil
	}
	value, isButton := n.AttributeString("value")
	label, _ := n.AttributeString("label")
	checked, character := "false", "☐ "
	if n.IsChecked {
		checked, character = "true", "☑ "
	}
	number, _ := value.(string)
	name, _ := label.(string)
	if !isButton {
		_, _ = w.WriteString(character)
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<button class="task" name="task" value="` + number + `" role="checkbox" aria-checked="` +
		checked +
		`" aria-label="` + template.HTMLEscapeString(name) + `"></button> `)
	return ast.WalkContinue, nil
}

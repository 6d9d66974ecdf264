package api

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"sync"
)

//go:embed *.go
var source embed.FS

// FieldComment returns the comment above a field of a struct type of this package, as one line. The comment is the
// description of the field in the OpenAPI document. Its last line may be "Example: ", with a value in JSON or, for a
// string, without quotes. Both results are empty for a type of another package.
func FieldComment(t reflect.Type, field string) (description, example string) {
	if t.PkgPath() != reflect.TypeFor[Time]().PkgPath() {
		return "", ""
	}
	name, _, _ := strings.Cut(t.Name(), "[") // of a generic type
	comment := "\n" + fieldComments()[name+"."+field]
	description, example, _ = strings.Cut(comment, "\nExample:")
	return strings.Join(strings.Fields(description), " "), strings.Join(strings.Fields(example), " ")
}

var readComments struct {
	sync.Once
	comments map[string]string
}

// fieldComments returns the comments of the fields, by type and name. It is no sync.OnceValue in a variable, which
// would put the source of this package and a parser of Go into each client.
func fieldComments() map[string]string {
	readComments.Do(func() { readComments.comments = parsedComments() })
	return readComments.comments
}

func parsedComments() map[string]string {
	files, err := source.ReadDir(".")
	if err != nil {
		panic(err) // it is compiled in
	}
	all := map[string]string{}
	for _, f := range files {
		text, err := source.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			panic(err) // it was compiled
		}
		addFieldComments(all, file)
	}
	return all
}

// addFieldComments adds the comments of the fields of the struct types in a file.
func addFieldComments(comments map[string]string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isType := n.(*ast.TypeSpec)
		if !isType {
			return true
		}
		if t, isStruct := spec.Type.(*ast.StructType); isStruct {
			for _, field := range t.Fields.List {
				for _, name := range field.Names {
					comments[spec.Name.Name+"."+name.Name] = field.Doc.Text()
				}
			}
		}
		return false
	})
}

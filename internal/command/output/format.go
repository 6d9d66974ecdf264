package output

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/suggest"
)

// Format is how a command prints records when people do not read them: --json, --jq and --template.
type Format struct {
	selected     []string
	jq, template string
	known        []string
	query        *gojq.Code
	layout       *template.Template
}

// Register adds the flags to a command that prints records of type T.
func Register[T any](f *Format, cmd *cobra.Command) {
	f.known = Fields[T]()
	flags := cmd.Flags()
	f.RegisterQueries(cmd)
	flags.StringSliceVar(&f.selected, "json", nil, "print JSON with these `fields`")
	flags.Lookup("json").Annotations = map[string][]string{tree.Choices: f.known}
	_ = cmd.RegisterFlagCompletionFunc("json", func(_ *cobra.Command, _ []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		return completions(f.known, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// RegisterQueries adds --jq and --template alone, to a command that prints JSON of any kind.
func (f *Format) RegisterQueries(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.jq, "jq", "q", "", "print what a jq `expression` makes of the JSON")
	cmd.Flags().StringVarP(&f.template, "template", "T", "", "print what a Go `template` makes of the JSON")
}

// completions returns the lists that add a field to those that are typed.
func completions(fields []string, typed string) (all []string) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, f := range fields {
		if strings.HasPrefix(before+f, typed) {
			all = append(all, before+f)
		}
	}
	return all
}

// Fields returns the names of the members of a record in JSON, in their order.
func Fields[T any]() []string { return fieldsOf(reflect.TypeFor[T]()) }

func fieldsOf(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "":
			names = append(names, fieldsOf(field.Type)...)
		case name != "":
			names = append(names, name)
		}
	}
	return names
}

// Check refuses fields that no record has, and expressions that cannot be parsed, before anything is requested.
func (f *Format) Check() error {
	for _, name := range f.selected {
		if !slices.Contains(f.known, name) {
			return tree.Usagef("--json: there is no field %q%s; the fields are %s", name,
				strings.TrimSuffix(suggest.DidYouMean(name, f.known), "?"), strings.Join(f.known, ", "))
		}
	}
	if f.jq != "" && f.template != "" {
		return tree.Usagef("--jq and --template exclude each other; choose one")
	}
	if f.jq != "" {
		parsed, err := gojq.Parse(f.jq)
		if err == nil {
			f.query, err = gojq.Compile(parsed)
		}
		if err != nil {
			return tree.Usagef("--jq: %w; it is an expression such as '.[].reference'", err)
		}
	}
	if f.template != "" {
		var err error
		if f.layout, err = template.New("").Funcs(templateFunctions).Parse(f.template); err != nil {
			return tree.Usagef("--template: %w; it is a Go template such as '{{.summary}}'", err)
		}
	}
	return nil
}

var templateFunctions = template.FuncMap{
	"join": func(separator string, values []any) string {
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = fmt.Sprint(v)
		}
		return strings.Join(texts, separator)
	},
	"json": func(v any) (string, error) {
		text, err := json.Marshal(v)
		return string(text), err
	},
}

// IsSet reports whether one of the flags was given.
func (f *Format) IsSet() bool { return f.selected != nil || f.jq != "" || f.template != "" }

// Print prints a record, or a list of records.
func (f *Format) Print(ctx context.Context, p *Printer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	if f.selected != nil {
		decoded = f.selectFields(decoded)
	}
	switch {
	case f.query != nil:
		return f.runQuery(ctx, p, decoded)
	case f.layout != nil:
		if !p.Terminal {
			return f.layout.Execute(p.Out, decoded)
		}
		var text strings.Builder
		err := f.layout.Execute(&text, decoded)
		_, failed := io.WriteString(p.Out, Safe(text.String()))
		return cmp.Or(err, failed)
	}
	return p.JSON(decoded)
}

func (f *Format) selectFields(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = f.selectFields(v[i])
		}
		return v
	case map[string]any:
		chosen := make(map[string]any, len(f.selected))
		for _, name := range f.selected {
			chosen[name] = v[name]
		}
		return chosen
	}
	return v
}

// runQuery prints the results of the jq expression: texts as they are, and other values as JSON, each on a line.
func (f *Format) runQuery(ctx context.Context, p *Printer, v any) error {
	results := f.query.RunWithContext(ctx, v)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			return fmt.Errorf("--jq: %w", err)
		}
		if text, isText := result.(string); isText {
			if p.Terminal {
				text = Safe(text)
			}
			if _, err := fmt.Fprintln(p.Out, text); err != nil {
				return err
			}
			continue
		}
		if err := p.JSON(result); err != nil {
			return err
		}
	}
}

// JSON prints a value as JSON: on a terminal with indents, and with escapes for what would change it.
func (p *Printer) JSON(v any) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if !p.Terminal {
		enc = json.NewEncoder(p.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(p.Out, EscapedJSON(text.String()))
	return err
}

// EscapedJSON returns JSON in which characters that a terminal would obey are escapes.
func EscapedJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if isUnsafe(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line prints a line of text. The arguments may be anybody's text: each is made one line that a terminal only shows.
func (p *Printer) Line(w io.Writer, format string, args ...string) error {
	safe := make([]any, len(args))
	for i, text := range args {
		safe[i] = OneLine(text)
	}
	_, err := fmt.Fprintf(w, format+"\n", safe...)
	return err
}

// Lines prints anybody's text, which may have several lines.
func (p *Printer) Lines(w io.Writer, text string) error {
	_, err := io.WriteString(w, Safe(text)+"\n")
	return err
}

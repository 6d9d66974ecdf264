package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// fieldFlags are the flags for members of a report that have one value. Those that are not given are nil.
type fieldFlags struct {
	values map[string]*string
}

// fields are the flags of single members, which create and edit have.
var fields = []struct{ flag, short, usage string }{
	{"summary", "s", "one `line` that says what is wrong"},
	{"priority", "p", "`priority`: urgent, high, medium, low"},
	{"severity", "", "`severity`: blocker, critical, major, minor, trivial"},
	{"assignee", "a", "`user` by name, e-mail address or id, or me"},
	{"space", "", "`space` by name or id"},
	{"url", "", "`address` of the page on which the bug was seen"},
	{"external-id", "", "your own `identifier`, unique in the workspace"},
}

func (f *fieldFlags) register(cmd *cobra.Command) {
	f.values = map[string]*string{}
	for _, field := range fields {
		f.values[field.flag] = cmd.Flags().StringP(field.flag, field.short, "", field.usage)
	}
	cmd.Flags().StringVarP(f.values["summary"], "title", "t", "", "the same as --summary")
	before := cmd.PreRun
	cmd.PreRun = func(cmd *cobra.Command, args []string) {
		if before != nil {
			before(cmd, args)
		}
		for _, field := range fields {
			if !cmd.Flags().Changed(field.flag) && (field.flag != "summary" || !cmd.Flags().Changed("title")) {
				delete(f.values, field.flag)
			}
		}
	}
}

// get returns the value of a flag; nil when it was not given.
func (f *fieldFlags) get(flag string) *string { return f.values[flag] }

// optional returns the value of a flag for a member that may be null; none removes it. ok is false when it was not
// given.
func (f *fieldFlags) optional(flag string) (value *string, ok bool) {
	v := f.values[flag]
	if v == nil {
		return nil, false
	}
	if *v == "none" || *v == "" {
		return nil, true
	}
	return v, true
}

// editFlags are the flags of slice edit.
type editFlags struct {
	fieldFlags
	body              bodyFlags
	status            string
	addLabels, remove []string
	format            output.Format
}

func newSliceEdit(s *session) *cobra.Command {
	var f editFlags
	cmd := s.changing(s.command("edit [REFERENCE…]", "Change reports", nil, func(ctx context.Context,
		args []string) error {
		if err := f.format.Check(); err != nil {
			return err
		}
		if f.body.editor && len(args) > 1 {
			return tree.Usagef("--editor is for one report; use --body")
		}
		return s.each(ctx, args, func(reference string) error {
			in, err := f.input(ctx, s, reference)
			if err != nil {
				return err
			}
			return s.update(ctx, in, &f.format)
		})
	}))
	cmd.Long = "Change reports. The value none removes a priority, severity, assignee, space, URL or external " +
		"id. A change of labels " +
		"and one in the editor are refused with exit code 5 when somebody else changed the report meanwhile."
	cmd.Example = "  bugslice slice edit WEB-161 --priority urgent --add-label checkout --assignee ada@acme.example"
	f.body.register(cmd)
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.status, "status", "", "`status`: open, in_progress, resolved or closed")
	flags.StringSliceVar(&f.addLabels, "add-label", nil, "add a `label`; repeatable")
	synonyms(cmd, map[string]string{"add-assignee": "assignee"})
	flags.StringSliceVar(&f.remove, "remove-label", nil, "remove a `label`; repeatable")
	output.Register[api.Slice](&f.format, cmd)
	return cmd
}

// input returns the change of the flags. One that begins with what is stored now is of that version alone.
func (f *editFlags) input(ctx context.Context, s *session, reference string) (in api.UpdateSlice, err error) {
	in = api.UpdateSlice{SliceID: reference, Patch: api.SlicePatch{}}
	var slice api.Slice
	needsStored := len(f.addLabels)+len(f.remove) > 0 || f.body.editor || f.get("space") != nil
	if needsStored {
		if slice, err = call(ctx, s, api.GetSlice{SliceID: reference}); err != nil {
			return in, err
		}
	}
	if len(f.addLabels)+len(f.remove) > 0 {
		in.IfMatch = fmt.Sprintf("%q", fmt.Sprint(slice.Version))
		in.Patch = in.Patch.Labels(f.labels(slice.Labels))
	}
	text, ok, err := f.body.text(ctx, s)
	if err == nil && f.body.editor {
		in.IfMatch = fmt.Sprintf("%q", fmt.Sprint(slice.Version))
		text, err = s.edit(ctx, deref(slice.Description), "--editor needs a terminal; use --body")
		ok = true
	}
	if err != nil {
		return in, err
	}
	if ok {
		in.Patch = in.Patch.Description(&text)
	}
	if in.Patch, err = f.patch(ctx, s, in.Patch, slice); err != nil {
		return in, err
	}
	if user := f.get("assignee"); user != nil {
		in.Patch, err = s.assigneePatch(ctx, in.Patch, reference, *user)
	}
	if err == nil && len(in.Patch) == 0 {
		err = tree.Usagef("nothing to change; bugslice slice edit --help lists the flags")
	}
	return in, err
}

func (f *editFlags) labels(stored []string) []string {
	labels := slices.DeleteFunc(slices.Clone(stored), func(l string) bool { return slices.Contains(f.remove, l) })
	for _, l := range f.addLabels {
		if !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	return labels
}

// patch adds the members of the flags that have one value to a patch.
func (f *editFlags) patch(ctx context.Context, s *session, patch api.SlicePatch, slice api.Slice) (api.SlicePatch,
	error) {
	if v := f.get("summary"); v != nil {
		patch = patch.Summary(*v)
	}
	if f.status != "" {
		patch = patch.Status(api.Status(strings.ReplaceAll(f.status, "-", "_")))
	}
	if v, ok := f.optional("priority"); ok {
		patch = patch.Priority((*api.Priority)(v))
	}
	if v, ok := f.optional("severity"); ok {
		patch = patch.Severity((*api.Severity)(v))
	}
	if v, ok := f.optional("url"); ok {
		patch = patch.SourceURL(v)
	}
	if v, ok := f.optional("external-id"); ok {
		patch = patch.ExternalID(v)
	}
	v, ok := f.optional("space")
	if !ok {
		return patch, nil
	}
	if v == nil {
		return patch.SpaceID(nil), nil
	}
	id, err := s.spaceID(ctx, slice.WorkspaceID, *v)
	return patch.SpaceID(&id), err
}

// asObject returns a record as JSON shows it.
func asObject(v any) (object map[string]any, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	return object, err
}

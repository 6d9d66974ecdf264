// Package workspace is the page of a workspace in the settings: its name, key and time zone, its spaces and labels,
// what it stores, its export and its deletion.
package workspace

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bugslice/api"
	"bugslice/internal/download"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var (
	view             = ui.NewPage("workspace", folder)
	progressFragment = ui.NewFragment("export-progress")
)

type data struct {
	Workspace page.Workspace
	Admin     bool

	Name, Key, TimeZone string         // in the form
	MetadataKeys        string         // in the form, one a line
	KeepFileMetadata    bool           // in the form
	LinkOnly            bool           // in the form: mails have no texts
	Version             string         // of the settings on which the form is based
	Changed             *api.Workspace // the settings that somebody else has saved since the form was shown

	Spaces      []api.Space
	SpacesAfter string // the cursor of the spaces that are shown; empty for the first ones
	MoreSpaces  string // the address of the next spaces; empty for none
	Labels      []label
	LabelsAfter string // the cursor of the labels that are shown; empty for the first ones
	MoreLabels  string // the address of the next labels; empty for none
	LabelText   string // that labels are searched for
	Templates   []template
	NewTemplate template
	Usage       api.WorkspaceUsage
	Watch       api.Watch // what the reader has chosen to be told of the workspace
	Renamed     string    // the id of the space whose new name is refused
	Stale       string    // the id of the space that somebody else has changed since the page was shown
	Space       string    // the name that is refused, of a new space or of the renamed one
	Label       string    // the label whose new name is refused
	LabelName   string    // the name that is refused
	Confirm     string    // the name that was typed to delete the workspace
	Once        string    // the id of the next export
	Faults      page.Faults
}

// label is a label in use with the query of its reports, the colour that was chosen, empty for none, and the class of the
// one that is shown.
type label struct {
	api.LabelCount
	Query, Color, Class string
}

// Colors lists the colours that a label can have.
func (label) Colors() []string { return api.LabelColor("").Values() }

// ClassOf returns the class of a colour.
func (l label) ClassOf(color string) string {
	return ui.LabelClass(l.Label, map[string]api.LabelColor{l.Label: api.LabelColor(color)})
}

// DefaultClass returns the class of the colour that the label has when none is chosen.
func (l label) DefaultClass() string { return ui.LabelClass(l.Label, nil) }

// Show shows the workspace.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	w, err := get(q)
	if err != nil {
		return d, err
	}
	d = data{Workspace: q.Workspace, Admin: q.Workspace.Role == api.RoleAdmin, Name: w.Name, Key: w.Key,
		TimeZone:     w.TimeZone,
		MetadataKeys: strings.Join(w.MetadataKeys, "\n"), Version: version(w), KeepFileMetadata: w.KeepFileMetadata,
		LinkOnly:  w.MailContent == api.LinkContent,
		Templates: templatesOf(w), Once: page.Once()}
	if d.Usage, err = page.Call(q, q.Tracker.GetUsage, api.GetUsage{WorkspaceID: w.ID}); err != nil {
		return d, err
	}
	if d.Watch, err = page.Call(q, q.Tracker.GetWatch, api.GetWatch{SubjectID: w.ID}); err != nil {
		return d, err
	}
	return d, errors.Join(d.listSpaces(q), d.listLabels(q, w.LabelColors))
}

// listSpaces reads the spaces after the cursor in the address.
func (d *data) listSpaces(q *page.Request) error {
	d.SpacesAfter = q.URL.Query().Get("spaces")
	v, err := input.Check(api.ListSpaces{Paging: api.Paging{Limit: api.MaxLimit, Cursor: d.SpacesAfter},
		WorkspaceID: q.Workspace.ID})
	if err != nil {
		return err
	}
	listed, err := q.Tracker.ListSpaces(q.Context(), q.Session.Caller, v)
	d.Spaces, d.MoreSpaces = listed.Data, more(q, "spaces", listed.Pagination)
	return err
}

// more returns the address of the next part of a list of the page; empty after the last one.
func more(q *page.Request, list string, p api.Pagination) string {
	if p.Cursor == nil {
		return ""
	}
	return pathOf(q.Workspace.Key, list, *p.Cursor)
}

// pathOf returns the address of the part of a list after a cursor.
func pathOf(key, list, cursor string) string {
	if cursor == "" {
		return path(key) + "#" + list
	}
	return path(key) + "&" + url.Values{list: {cursor}}.Encode() + "#" + list
}

// get reads the workspace of the request.
func get(q *page.Request) (api.Workspace, error) {
	v, err := input.Check(api.GetWorkspace{WorkspaceID: q.Workspace.ID})
	if err != nil {
		return api.Workspace{}, api.NotFound("workspace")
	}
	return q.Tracker.GetWorkspace(q.Context(), q.Session.Caller, v)
}

// version identifies the settings that the form shows by their content. The redaction rules, which have a page of
// their own, change the ETag alone.
func version(w api.Workspace) string {
	return page.ContentVersion(w.Name, w.Key, w.TimeZone, w.MetadataKeys, w.KeepFileMetadata, w.MailContent)
}

func path(key string) string { return "/settings/workspace?workspace=" + key }

// finish leads back to the page after a change, or shows the faults of its form.
func finish(q *page.Request, err error, to, notice string) (page.Result, error) {
	if err == nil {
		return page.Redirect(to, notice)
	}
	faults, invalid := page.FaultsOf(err)
	var p *api.Problem
	if !invalid && errors.As(err, &p) && p.Code == api.CodeWorkspaceKeyTaken && len(p.Errors) > 0 {
		faults, invalid = page.Faults{"key": p.Errors[0]}, true
	}
	stale := page.HasCode(err, api.CodePrecondition)
	if !invalid && !stale {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Faults = faults
	status := http.StatusUnprocessableEntity
	if stale {
		status, d.Stale = http.StatusPreconditionFailed, q.PathValue("spaceId")
	}
	if stale && d.Stale == "" {
		w, err := get(q)
		if err != nil {
			return page.Result{}, err
		}
		d.Changed, d.Version = &w, version(w)
	}
	if faults["space"].Code != "" || d.Stale != "" && q.PostForm.Has("name") {
		d.Renamed, d.Space = q.PathValue("spaceId"), q.PostForm.Get("name")
	}
	if faults["label"].Code != "" {
		d.Label, d.LabelName = q.PostForm.Get("label"), q.PostForm.Get("name")
	}
	if fault := faults["reportTemplates"]; fault.Code != "" {
		d.refuseTemplate(q, fault)
	}
	if q.PostForm.Has("key") {
		d.Name, d.Key, d.TimeZone = q.PostForm.Get("name"), q.PostForm.Get("key"), q.PostForm.Get("timeZone")
		d.MetadataKeys, d.KeepFileMetadata = q.PostForm.Get("metadataKeys"), keepsFileMetadata(q)
		d.LinkOnly = mailContent(q) == api.LinkContent
	}
	return page.Result{Page: view, Data: d, Status: status}, nil
}

// metadataKeys returns the names in a text, one a line or with commas between them. A name that is repeated is
// returned once.
func metadataKeys(text string) []any {
	keys := []any{}
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' }) {
		if !slices.Contains(keys, any(name)) {
			keys = append(keys, name)
		}
	}
	return keys
}

// keepsFileMetadata returns whether the box of the form is ticked.
func keepsFileMetadata(q *page.Request) bool {
	return slices.Contains(q.PostForm["keepFileMetadata"], "on")
}

// mailContent returns what the form says that mails have: the last value, which is that of its box when it is ticked.
func mailContent(q *page.Request) api.MailContent {
	all := q.PostForm["mailContent"]
	if len(all) == 0 {
		return ""
	}
	return api.MailContent(all[len(all)-1])
}

// Save changes the name, the key, the time zone, the keys of metadata by which reports are filtered, whether
// files keep their metadata, and what mails have.
func Save(q *page.Request) (page.Result, error) {
	if q.Workspace.ID == "" {
		return page.Result{}, api.NotFound("workspace")
	}
	patch := api.WorkspacePatch{"name": q.PostForm.Get("name"), "key": q.PostForm.Get("key")}
	if q.PostForm.Has("timeZone") {
		patch["timeZone"] = q.PostForm.Get("timeZone")
	}
	if q.PostForm.Has("metadataKeys") {
		patch["metadataKeys"] = metadataKeys(q.PostForm.Get("metadataKeys"))
	}
	if q.PostForm.Has("keepFileMetadata") { // with an empty value, unless the box is ticked
		patch["keepFileMetadata"] = keepsFileMetadata(q)
	}
	if q.PostForm.Has("mailContent") {
		patch["mailContent"] = string(mailContent(q))
	}
	return finish(q, update(q, patch), path(q.PostForm.Get("key")), "workspace-saved")
}

// update changes the settings when they have the version of the form. Without a version they are changed as they are.
func update(q *page.Request, patch api.WorkspacePatch) error {
	w, err := get(q)
	if err != nil {
		return err
	}
	if sent := q.PostForm.Get("version"); sent != "" && sent != version(w) {
		return api.NewProblem(api.CodePrecondition, "Somebody else has changed these settings.")
	}
	v, err := input.Check(api.UpdateWorkspace{WorkspaceID: w.ID, IfMatch: w.ETag(), Patch: patch})
	if err == nil {
		_, err = q.Tracker.UpdateWorkspace(q.Context(), q.Session.Caller, v)
	}
	return err
}

// CreateSpace creates a space.
func CreateSpace(q *page.Request) (page.Result, error) {
	if q.Workspace.ID == "" {
		return page.Result{}, api.NotFound("workspace")
	}
	v, err := input.Check(api.CreateSpace{WorkspaceID: q.Workspace.ID,
		Body: api.SpaceFields{Name: q.PostForm.Get("name")}})
	if err == nil {
		_, err = q.Tracker.CreateSpace(q.Context(), q.Session.Caller, v)
	}
	return finish(q, spaceFault(err), pathOf(q.Workspace.Key, "spaces", q.URL.Query().Get("spaces")), "space-saved")
}

// RenameSpace changes the name of a space.
func RenameSpace(q *page.Request) (page.Result, error) {
	if q.Workspace.ID == "" {
		return page.Result{}, api.NotFound("workspace")
	}
	v, err := input.Check(api.UpdateSpace{WorkspaceID: q.Workspace.ID, SpaceID: q.PathValue("spaceId"),
		IfMatch: q.PostForm.Get("version"), Patch: api.SpacePatch{"name": q.PostForm.Get("name")}})
	if err == nil {
		_, err = q.Tracker.UpdateSpace(q.Context(), q.Session.Caller, v)
	}
	return finish(q, spaceFault(err), pathOf(q.Workspace.Key, "spaces", q.URL.Query().Get("spaces")), "space-saved")
}

// spaceFault gives the fault of the name of a space the name of its field on the page.
func spaceFault(err error) error {
	if faults, ok := page.FaultsOf(err); ok {
		return api.InvalidMember("/space", faults["name"].Code, faults["name"].Detail)
	}
	return err
}

// DeleteSpace deletes a space.
func DeleteSpace(q *page.Request) (page.Result, error) {
	if q.Workspace.ID == "" {
		return page.Result{}, api.NotFound("workspace")
	}
	v, err := input.Check(api.DeleteSpace{WorkspaceID: q.Workspace.ID, SpaceID: q.PathValue("spaceId"),
		IfMatch: q.PostForm.Get("version")})
	if err == nil {
		_, err = q.Tracker.DeleteSpace(q.Context(), q.Session.Caller, v)
	}
	return finish(q, err, pathOf(q.Workspace.Key, "spaces", q.URL.Query().Get("spaces")), "space-deleted")
}

// Export answers with the export of the workspace.
func Export(q *page.Request) (page.Result, error) {
	name := q.Workspace.Key + "-" + q.Now.UTC().Format("2006-01-02") + ".zip"
	return page.Result{Write: func(w http.ResponseWriter, r *http.Request) error {
		v, err := input.Check(api.ExportWorkspace{WorkspaceID: q.Workspace.ID, ExportID: q.PostForm.Get("once")})
		if err != nil {
			return err
		}
		write, err := q.Exports.OpenExport(r.Context(), q.Session.Caller, v)
		if err != nil {
			return err
		}
		return download.WriteArchive(w, r, name, write)
	}}, nil
}

// progress is the progress of an export that is being downloaded.
type progress struct {
	api.ExportProgress
	Known     bool // whether this node writes it
	Workspace page.Workspace
	ID        string
	Next      int // the number of the next request; 0 for none
}

// maxUnknown is the number of requests for the progress of an export that this node does not write.
const maxUnknown = 20

// Progress shows the progress of an export of the reader.
func Progress(q *page.Request) (page.Result, error) {
	if q.Workspace.Role != api.RoleAdmin {
		return page.Result{}, api.NotFound("export")
	}
	p := progress{Workspace: q.Workspace, ID: q.PathValue("exportId")}
	var err error
	p.ExportProgress, err = page.Call(q, q.Tracker.GetExportProgress,
		api.GetExportProgress{WorkspaceID: q.Workspace.ID, ExportID: p.ID})
	if err != nil && !page.HasCode(err, api.CodeNotFound) {
		return page.Result{}, err
	}
	p.Known = err == nil
	n, _ := strconv.Atoi(q.URL.Query().Get("n"))
	if p.Known && p.Running() || !p.Known && n < maxUnknown {
		p.Next = max(n, 0) + 1
	}
	return page.Show(progressFragment, p)
}

// Running returns whether the export is still being written.
func (p progress) Running() bool { return p.State == api.ExportRunning }

// Failed returns whether the export has ended early.
func (p progress) Failed() bool { return p.State == api.ExportFailed }

// Written returns how many slices and files are written.
func (p progress) Written() int64 { return p.Slices + p.Files }

// All returns how many slices and files the export has, at least 1.
func (p progress) All() int64 { return max(p.AllSlices+p.AllFiles, 1) }

// CancelExport ends an export of the reader.
func CancelExport(q *page.Request) (page.Result, error) {
	if q.Workspace.Role != api.RoleAdmin {
		return page.Result{}, api.NotFound("export")
	}
	in := api.CancelExport{WorkspaceID: q.Workspace.ID, ExportID: q.PathValue("exportId")}
	if _, err := page.Call(q, q.Tracker.CancelExport, in); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(path(q.Workspace.Key)+"#export", "export-cancelled")
}

// Delete deletes the workspace in 30 days, when its name was typed.
func Delete(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.ScheduleDeletion,
		api.ScheduleDeletion{WorkspaceID: q.Workspace.ID, Body: api.NamedConfirmation{Name: q.PostForm.Get("name")}})
	if faults, ok := page.FaultsOf(err); ok {
		err = api.InvalidMember("/confirm", faults["name"].Code, faults["name"].Detail)
	}
	return finish(q, err, path(q.Workspace.Key), "workspace-deletion")
}

// CancelDeletion keeps the workspace.
func CancelDeletion(q *page.Request) (page.Result, error) {
	_, err := page.Call(q, q.Tracker.CancelDeletion, api.CancelDeletion{WorkspaceID: q.Workspace.ID})
	return finish(q, err, path(q.Workspace.Key), "workspace-kept")
}

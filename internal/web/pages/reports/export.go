package reports

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"bugslice/api"
	"bugslice/internal/download"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
)

// exportFormats are the media types of exports, by their names.
var exportFormats = map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json"}

// Export answers with every report that the text selects, in the order of the list, as CSV or as an array of JSON. It
// reads a page at a time, each under the rights of its reader at that moment. An export whose reader loses the right
// meanwhile breaks off, and is not taken for a complete one.
func Export(q *page.Request) (page.Result, error) {
	format := cmp.Or(q.URL.Query().Get("format"), "csv")
	mediaType := exportFormats[format]
	if mediaType == "" {
		return page.Result{}, api.InvalidParameter("format", "not_allowed", "format must be csv or json")
	}
	parsed, err := query.Parse(q.URL.Query().Get("q"))
	if err != nil {
		return page.Result{}, refusedText(parsed, err)
	}
	_, in, err := selection(q, parsed)
	if err != nil {
		return page.Result{}, refusedText(parsed, err)
	}
	in.Paging = api.Paging{Limit: pageLimit}
	first, err := q.ListReports(in)
	if err != nil {
		return page.Result{}, refusedText(parsed, err)
	}
	return page.Result{Write: func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Disposition", `attachment; filename="reports.`+format+`"`)
		return download.WriteStream(w, r, mediaType, func(to io.Writer) error {
			if format == "csv" {
				return writeCSV(q, to, in, first)
			}
			return writeJSON(q, to, in, first)
		})
	}}, nil
}

// refusedText returns the error of a text with its first fault as the problem of the parameter q.
func refusedText(parsed query.Query, err error) error {
	faults := query.Faults(nil)
	if f, ok := parsed.FaultsOf(err); ok {
		err = f
	}
	if errors.As(err, &faults) && len(faults) > 0 {
		return api.InvalidParameter("q", "malformed", faults[0].Detail)
	}
	return err
}

// eachPage calls write with the page of reports that is given and all that follow it.
func eachPage(q *page.Request, in api.ListSlices, at api.Page[api.Slice], write func([]api.Slice) error) error {
	for {
		if err := write(at.Data); err != nil || !at.Pagination.HasMore {
			return err
		}
		in.Cursor = cursorOf(at.Pagination)
		var err error
		if at, err = q.ListReports(in); err != nil {
			return err
		}
	}
}

// writeJSON writes reports as the API returns them, in one array.
func writeJSON(q *page.Request, to io.Writer, in api.ListSlices, first api.Page[api.Slice]) error {
	separator := "[\n"
	err := eachPage(q, in, first, func(all []api.Slice) error {
		for _, s := range all {
			text, err := json.Marshal(s)
			if err == nil {
				_, err = io.WriteString(to, separator+string(text))
			}
			if err != nil {
				return err
			}
			separator = ",\n"
		}
		return nil
	})
	if err == nil && separator == "[\n" {
		_, err = io.WriteString(to, "[")
	}
	if err == nil {
		_, err = io.WriteString(to, "\n]\n")
	}
	return err
}

// exported is a report with the names that its row shows.
type exported struct {
	api.Slice
	workspace, assignee, space, address string
}

// columns are those of CSV: the name of each, and its value of a report.
var columns = []struct {
	name  string
	value func(exported) string
}{
	{"Reference", func(r exported) string { return r.Reference }},
	{"Summary", func(r exported) string { return r.Summary }},
	{"Status", func(r exported) string { return string(r.Status) }},
	{"Resolution", func(r exported) string { return textOf(r.Resolution) }},
	{"Priority", func(r exported) string { return textOf(r.Priority) }},
	{"Severity", func(r exported) string { return textOf(r.Severity) }},
	{"Assignee", func(r exported) string { return r.assignee }},
	{"Reporter", func(r exported) string { return r.Reporter.Name }},
	{"Labels", func(r exported) string { return strings.Join(r.Labels, ", ") }},
	{"Workspace", func(r exported) string { return r.workspace }},
	{"Space", func(r exported) string { return r.space }},
	{"Release", func(r exported) string { return textOf(r.Environment.Release) }},
	{"Fixed in release", func(r exported) string { return textOf(r.FixedInRelease) }},
	{"Browser", func(r exported) string { return textOf(r.Environment.Browser) }},
	{"System", func(r exported) string { return textOf(r.Environment.OS) }},
	{"Page", func(r exported) string { return textOf(r.SourceURL) }},
	{"Occurrences", func(r exported) string { return strconv.FormatInt(r.OccurrenceCount, 10) }},
	{"Comments", func(r exported) string { return strconv.FormatInt(r.CommentCount, 10) }},
	{"Created", func(r exported) string { return r.CreatedAt.String() }},
	{"Updated", func(r exported) string { return r.UpdatedAt.String() }},
	{"Last seen", func(r exported) string { return r.LastSeenAt.String() }},
	{"Resolved", func(r exported) string {
		if r.ResolvedAt == nil {
			return ""
		}
		return r.ResolvedAt.String()
	}},
	{"Address", func(r exported) string { return r.address }},
}

// writeCSV writes a row of names, and a row for each report. No cell is a formula of a spreadsheet.
func writeCSV(q *page.Request, to io.Writer, in api.ListSlices, first api.Page[api.Slice]) error {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.name
	}
	if err := writeRow(to, cells); err != nil {
		return err
	}
	spaces := map[string]string{}
	return eachPage(q, in, first, func(all []api.Slice) error {
		rows := q.ReportRows(all, func(string) string { return "" })
		if err := q.NameAssignees([][]page.ReportRow{rows}); err != nil {
			return err
		}
		for i, s := range all {
			space, err := spaceName(q, spaces, s)
			if err != nil {
				return err
			}
			r := exported{s, q.WorkspaceName(&s.WorkspaceID), rows[i].Assignee, space, q.BaseURL + "/" + s.Reference}
			for i, c := range columns {
				cells[i] = harmlessCell(c.value(r))
			}
			if err := writeRow(to, cells); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeRow writes a row of CSV (RFC 4180). Each cell is in quotes, since a program may take another sign than the comma
// for the separator.
func writeRow(to io.Writer, cells []string) error {
	quoted := make([]string, len(cells))
	for i, cell := range cells {
		quoted[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	_, err := io.WriteString(to, strings.Join(quoted, ",")+"\r\n")
	return err
}

// spaceName returns the name of the space of a report, empty for none. It adds the names that it reads to those that
// are known, by the id of the space.
func spaceName(q *page.Request, known map[string]string, s api.Slice) (string, error) {
	spaceID := textOf(s.SpaceID)
	if name, ok := known[spaceID]; ok || spaceID == "" {
		return name, nil
	}
	space, err := page.Call(q, q.Tracker.GetSpace, api.GetSpace{WorkspaceID: s.WorkspaceID, SpaceID: spaceID})
	if err != nil && !page.HasCode(err, api.CodeNotFound) {
		return "", err
	}
	known[spaceID] = space.Name
	return space.Name, nil
}

// harmlessCell returns a text as a cell that no spreadsheet takes for a formula: an apostrophe stands before a text
// that begins as one, also after signs that nobody sees, which some programs remove.
func harmlessCell(text string) string {
	begin := strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	if begin != "" && strings.ContainsRune("=+-@＝＋－＠﹦﹢﹣﹫", []rune(begin)[0]) || strings.HasPrefix(text, "\t") {
		return "'" + text
	}
	return text
}

// textOf returns the text of a value, empty for none.
func textOf[T ~string](v *T) string {
	if v == nil {
		return ""
	}
	return string(*v)
}

// ExportAs returns the address of the export of the list in a format.
func (a address) ExportAs(format string) string {
	values := url.Values{"format": {format}}
	if text := a.Query.String(); text != "" {
		values.Set("q", text)
	}
	if a.Workspace != "" {
		values.Set("workspace", a.Workspace)
	}
	return "/reports/export?" + values.Encode()
}

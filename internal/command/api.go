package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// apiFlags are the flags of api.
type apiFlags struct {
	method   string
	input    string
	fields   []string // NAME=VALUE, whose value may be JSON
	texts    []string // NAME=VALUE, whose value is a text
	headers  []string
	paginate bool
	format   output.Format
}

func newAPI(s *session) *cobra.Command {
	var f apiFlags
	cmd := s.changing(s.command("api METHOD PATH", "Send a request to the API, and print the response", nil,
		func(ctx context.Context, args []string) error {
			if len(args) == 2 && f.method != "" {
				return tree.Usagef("--method and an argument for the method exclude each other; choose one")
			}
			if len(args) == 1 {
				args = []string{f.methodOf(), args[0]}
			}
			if len(args) != 2 {
				return tree.Usagef("a method and a path are required, such as: bugslice api GET /v1/slices?limit=5")
			}
			if err := f.format.Check(); err != nil {
				return err
			}
			in, err := f.request(ctx, s, strings.ToUpper(args[0]), args[1])
			if err != nil {
				return err
			}
			if s.dryRun && in.Method != http.MethodGet {
				return s.out.Lines(s.out.Out, fmt.Sprintf("%s %s\n%s", in.Method, in.Path, in.Body))
			}
			if f.paginate {
				return f.printPages(ctx, s, in)
			}
			return f.print(ctx, s, in)
		}))
	cmd.Long = "Send a request to the API with the key of the profile, and print the response. bugslice api GET " +
		"/openapi.json prints the " +
		"description of the API. The method is GET when it is left out, and POST with --field, --raw-field or --input. " +
		"A path without a slash before it begins at /v1. Fields of GET are parameters of the query."
	cmd.Example = "  bugslice api GET '/v1/slices?status=open' --paginate --jq '.[].reference'\n" +
		"  bugslice api PATCH /v1/slices/WEB-161 --field priority=urgent"
	flags := cmd.Flags()
	flags.StringVar(&s.profileName, "profile", "", "`name` of the profile that names server and token")
	flags.StringVar(&f.input, "input", "", "send the `file` as the body; - reads standard input")
	flags.StringVarP(&f.method, "method", "X", "", "`method` of the request, when the argument is left out")
	flags.StringArrayVarP(&f.fields, "field", "F", nil, "add a member to a JSON body, `NAME=VALUE`; a value that "+
		"is JSON is sent so")
	flags.StringArrayVarP(&f.texts, "raw-field", "f", nil, "add a member whose value is a text, `NAME=VALUE`")
	flags.StringArrayVarP(&f.headers, "header", "H", nil, "add a `header`, such as 'Accept: text/markdown'")
	flags.BoolVar(&f.paginate, "paginate", false, "read all pages of a list, and print one JSON array")
	f.format.RegisterQueries(cmd)
	return cmd
}

func (f *apiFlags) request(ctx context.Context, s *session, method, path string) (in client.RawRequest, err error) {
	if !strings.HasPrefix(path, "/") { // as gh takes it, without the version
		path = "/v1/" + strings.TrimPrefix(path, "v1/")
	}
	if method == http.MethodGet && f.paginate && !strings.Contains(path, "limit=") {
		path += separator(path) + "limit=" + strconv.Itoa(api.MaxLimit)
	}
	in = client.RawRequest{Method: method, Path: path, Header: http.Header{}}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return in, tree.Usagef("--header: %q is no header; write 'Name: value'", h)
		}
		in.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	switch {
	case f.input != "" && f.hasFields():
		return in, tree.Usagef("--input and fields exclude each other; choose one")
	case f.input != "":
		in.Body, err = s.readInput(ctx, f.input)
		return in, err
	case f.hasFields():
		return in, f.addFields(&in)
	}
	return in, nil
}

func (f *apiFlags) hasFields() bool { return len(f.fields)+len(f.texts) > 0 }

// methodOf returns the method of a request without an argument for it.
func (f *apiFlags) methodOf() string {
	if f.method == "" && (f.hasFields() || f.input != "") {
		return http.MethodPost
	}
	return cmp.Or(f.method, http.MethodGet)
}

func separator(path string) string {
	if strings.Contains(path, "?") {
		return "&"
	}
	return "?"
}

// addFields adds the fields to the body of a request, or to the query of GET.
func (f *apiFlags) addFields(in *client.RawRequest) (err error) {
	object := map[string]any{}
	for i, field := range slices.Concat(f.texts, f.fields) {
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			return tree.Usagef("--field: %q is no member; write NAME=VALUE", field)
		}
		if in.Method == http.MethodGet {
			in.Path += separator(in.Path) + url.QueryEscape(name) + "=" + url.QueryEscape(value)
			continue
		}
		object[name] = value
		if i >= len(f.texts) && json.Valid([]byte(value)) {
			object[name] = json.RawMessage(value)
		}
	}
	if in.Method == http.MethodGet {
		return nil
	}
	in.Body, err = json.Marshal(object)
	return err
}

func (f *apiFlags) send(ctx context.Context, s *session, in client.RawRequest) (body []byte, contentType string,
	err error) {
	c, err := s.client()
	if err != nil {
		return nil, "", err
	}
	res, err := c.Send(ctx, in)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return body, res.Header.Get("Content-Type"), err
}

func (f *apiFlags) print(ctx context.Context, s *session, in client.RawRequest) error {
	body, contentType, err := f.send(ctx, s, in)
	if err != nil {
		return err
	}
	isJSON := strings.Contains(contentType, "json")
	switch {
	case len(body) == 0:
		return nil
	case isJSON && f.format.IsSet():
		return f.format.Print(ctx, s.out, json.RawMessage(body))
	case isJSON && s.out.Terminal:
		var text bytes.Buffer
		if err := json.Indent(&text, body, "", "  "); err != nil {
			return err
		}
		return s.out.Page(func(w io.Writer) error { return s.out.Lines(w, output.EscapedJSON(text.String())) })
	case s.out.Terminal:
		body = []byte(output.Safe(string(body)))
	}
	_, err = s.out.Out.Write(body)
	return err
}

// printPages prints the records of all pages as one list.
func (f *apiFlags) printPages(ctx context.Context, s *session, in client.RawRequest) error {
	if in.Method != http.MethodGet {
		return tree.Usagef("--paginate reads lists: the method is GET")
	}
	records, path := []json.RawMessage{}, in.Path
	for {
		body, _, err := f.send(ctx, s, in)
		if err != nil {
			return err
		}
		var page struct {
			Data       *[]json.RawMessage
			Pagination api.Pagination
		}
		if err := json.Unmarshal(body, &page); err != nil || page.Data == nil {
			return errors.Join(errors.New("the response is no page of a list; leave --paginate out"), err)
		}
		records = append(records, *page.Data...)
		if page.Pagination.Cursor == nil {
			break
		}
		in.Path = path + separator(path) + "cursor=" + url.QueryEscape(*page.Pagination.Cursor)
	}
	if f.format.IsSet() {
		return f.format.Print(ctx, s.out, records)
	}
	return s.out.JSON(records)
}

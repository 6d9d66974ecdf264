package reporttext

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// maxSearchedBody is the size of the largest response that is searched for members that are null or missing.
const maxSearchedBody = 256 << 10

// Suspect returns why a response that succeeded may be the cause of a failure; nil when it is not suspicious, and for a
// file of the page.
func (f Failures) Suspect(x evidence.Exchange) *api.Suspicion {
	body, wantsJSON := strings.TrimSpace(x.Response.Body), wantsJSON(x)
	if x.Response.Encoding != "" || evidence.Failed(x.Summary) || staticFile.MatchString(x.Summary.URL) {
		return nil
	}
	if wantsJSON && strings.HasPrefix(body, "<") {
		return &api.Suspicion{Reason: "HTML where JSON was asked for"}
	}
	ended := x.Summary.StartedAt.Add(time.Duration(x.Summary.DurationMs * float64(time.Millisecond)))
	var later []failure
	for _, one := range f.list {
		if !ended.After(one.at.Add(time.Millisecond)) && one.message != "" {
			later = append(later, one)
		}
	}
	if body == "" {
		return emptyBody(x, wantsJSON, later)
	}
	if len(body) > maxSearchedBody || body[0] != '{' && body[0] != '[' {
		return nil
	}
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return nil
	}
	if object, ok := value.(map[string]any); ok {
		if name := errorMember(object); name != "" {
			return &api.Suspicion{Reason: "a success that says " + excerpt(map[string]any{name: object[name]})}
		}
	}
	if len(later) == 0 {
		return nil
	}
	s := searchOf(value)
	var weak *api.Suspicion
	for _, one := range later {
		found := s.explain(one)
		if found != nil && !found.Guess {
			return found
		}
		weak = cmp.Or(weak, found)
	}
	return weak
}

// wantsJSON reports whether a request asked for JSON, or its response says that it is JSON.
func wantsJSON(x evidence.Exchange) bool {
	accept, _ := x.Request.Header("Accept")
	return strings.Contains(x.Response.MediaType, "json") || strings.Contains(accept, "json") &&
		!strings.Contains(accept, "html")
}

// emptyBody returns why an empty response is suspicious: a later error is about the end of JSON.
func emptyBody(x evidence.Exchange, wantsJSON bool, later []failure) *api.Suspicion {
	isAbout := func(f failure) bool {
		return strings.Contains(f.message, "end of JSON") || strings.Contains(f.message, "end of data")
	}
	if !wantsJSON || x.Response.Size > 0 || !slices.ContainsFunc(later, isAbout) {
		return nil
	}
	return &api.Suspicion{Reason: "an empty body where JSON was asked for, and a later error says that JSON ended too early"}
}

// errorMember returns the member by which a response says that it is an error; empty for none.
func errorMember(o map[string]any) string {
	for _, name := range []string{"error", "errors"} {
		switch v := o[name].(type) {
		case string, map[string]any, []any:
			if fmt.Sprint(v) != "" && fmt.Sprint(v) != "[]" && fmt.Sprint(v) != "map[]" {
				return name
			}
		case bool:
			if v {
				return name
			}
		}
	}
	for _, name := range []string{"success", "ok"} {
		if o[name] == false {
			return name
		}
	}
	if o["status"] == "error" || o["status"] == "failed" || o["status"] == "fail" {
		return "status"
	}
	return ""
}

// member is a member of an object in a response.
type member struct {
	path, name string // of the object, and of the member in it
	owner      map[string]any
	value      any
}

// search has the members of the objects of a response.
type search struct {
	present map[string][]member // by name, those that are not null
	null    []member
	missing []member // members that objects beside it have
}

func searchOf(value any) *search {
	s := &search{present: map[string][]member{}}
	s.add("", value)
	return s
}

// The limits of the members of a response that are compared: in all, by name among objects beside each other, and the
// length of the path to one.
const (
	maxMembers  = 2000
	maxCompared = 100
	maxPath     = 500
)

// add adds the members of a value and below it.
func (s *search) add(path string, value any) {
	if len(path) > maxPath {
		return
	}
	var children []member
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			m := member{path, name, v, v[name]}
			if m.value == nil && len(s.null) < maxMembers {
				s.null = append(s.null, m)
			} else if m.value != nil && len(s.present[name]) < maxMembers {
				s.present[name] = append(s.present[name], m)
			}
			children = append(children, m)
		}
	case []any:
		for i, item := range v {
			children = append(children, member{path: path, name: fmt.Sprint(i), value: item})
		}
	}
	s.addMissing(children)
	for _, m := range children {
		s.add(strings.TrimPrefix(m.path+"."+m.name, "."), m.value)
	}
}

// addMissing adds the members that some of several objects beside each other have, and others do not.
func (s *search) addMissing(beside []member) {
	all := map[string]bool{}
	for _, m := range beside {
		if o, ok := m.value.(map[string]any); ok {
			for name := range o {
				all[name] = true
			}
		}
	}
	if len(all) > maxCompared {
		return
	}
	names := slices.Sorted(maps.Keys(all))
	for _, m := range beside {
		o, ok := m.value.(map[string]any)
		for _, name := range names {
			if _, has := o[name]; ok && !has && len(s.missing) < maxMembers {
				s.missing = append(s.missing,
					member{strings.TrimPrefix(m.path+"."+m.name, "."), name, o, nil})
			}
		}
	}
}

// explain returns the member of a response that explains a later failure; nil for none.
func (s *search) explain(f failure) *api.Suspicion {
	for _, state := range []struct {
		says    string
		members []member
	}{{"null", s.null}, {"missing", s.missing}} {
		for _, m := range state.members {
			if state.says == "missing" && f.nothing == "null" || !s.isMet(f, m) {
				continue
			}
			why := fmt.Sprintf("%q: null in %s", m.name, excerptAt(m))
			if state.says == "missing" {
				why = fmt.Sprintf("%q is missing in %s", m.name, excerptAt(m))
			}
			if other := s.other(m, f.read); other != "" {
				why += ", elsewhere " + other
			}
			if f.read != "" {
				why += fmt.Sprintf("; a later error reads %s of %s", f.read, f.nothing)
			} else {
				why += "; a later error names " + m.name
			}
			return &api.Suspicion{Reason: why}
		}
	}
	if f.nothing == "null" && len(s.null) > 0 && len(s.null) <= 3 {
		return &api.Suspicion{Guess: true, Reason: fmt.Sprintf("%q: null in %s; a later error reads %s of null",
			s.null[0].name, excerptAt(s.null[0]), f.read)}
	}
	return nil
}

// isMet reports whether a failure is about a member: its message names the member, or the same member elsewhere has
// the property that was read.
func (s *search) isMet(f failure, m member) bool {
	if f.read != "" && s.other(m, f.read) != "" {
		return true
	}
	return len(m.name) >= 3 && m.name != f.read && f.named[m.name]
}

// other returns a member of the same name elsewhere that has a property, as text; empty for none.
func (s *search) other(m member, property string) string {
	for _, o := range s.present[m.name] {
		if property != "" && hasProperty(o.value, property) {
			return excerpt(map[string]any{m.name: o.value})
		}
	}
	return ""
}

// methods are properties of the values of JavaScript that are no objects, by their types.
var methods = map[string][]string{
	"array":  strings.Fields("map forEach filter length join reduce some every find slice includes push sort concat at"),
	"string": strings.Fields("length trim split slice replace toLowerCase toUpperCase includes startsWith endsWith match"),
	"number": strings.Fields("toFixed toLocaleString toString"),
}

// hasProperty reports whether a value of JSON has a property in JavaScript.
func hasProperty(value any, name string) bool {
	switch v := value.(type) {
	case map[string]any:
		_, has := v[name]
		return has
	case []any:
		return slices.Contains(methods["array"], name)
	case string:
		return slices.Contains(methods["string"], name)
	case float64:
		return slices.Contains(methods["number"], name)
	}
	return false
}

// excerptAt returns the object of a member with its path.
func excerptAt(m member) string {
	if m.path == "" {
		return excerpt(m.owner)
	}
	return m.path + " " + excerpt(m.owner)
}

// excerpt returns the beginning of a value as JSON.
func excerpt(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return oneLine(string(text), 160)
}

package ui

import (
	"fmt"
	"hash/fnv"
	"html/template"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/markdown"
	"bugslice/internal/web/static"
)

var functions = template.FuncMap{
	"asset": static.URL,
	"svg":   icon,
	"dict":  dict,
	"age":   age,
	"count": count,
	"span":  span,
	"ahead": ahead,
	"date":  func(z *time.Location, t any, layout string) string { return instant(t).In(z).Format(layout) },
	"after": func(now time.Time, t any) bool { return instant(t).After(now) },
	"iso":   iso,
	"ms":    func(t any) int64 { return instant(t).UnixMilli() },

	"masked":    masked,
	"maskedURL": maskedURL,
	"bytes":     Bytes,
	"duration":  Duration,
	"hostOf": func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}
		return u.Host
	},

	"exact":        func(v *View, t any) string { return v.Exact(t) },
	"ago":          func(v *View, t any) (template.HTML, error) { return HTML(Ago(v, instant(t))) },
	"avatar":       avatar,
	"menuAvatar":   func(name string) (template.HTML, error) { return HTML(menuAvatar(name, "")) },
	"assignee":     func(name, picture string) (template.HTML, error) { return HTML(Assignee(name, picture)) },
	"marks":        func(e api.EvidenceSummary) (template.HTML, error) { return HTML(Marks(e)) },
	"statusText":   func(status any) string { return StatusText(text(status)) },
	"statusIcon":   func(status any) (template.HTML, error) { return HTML(StatusIcon(text(status))) },
	"priorityText": func(priority any) string { return PriorityText(text(priority)) },
	"priorityIcon": func(priority any) (template.HTML, error) { return HTML(PriorityIcon(text(priority))) },

	"scopes":     func() any { return api.Scopes },
	"zones":      func() []string { return zones },
	"has":        func(list []string, s string) bool { return contains(list, s) },
	"str":        text,
	"strs":       texts,
	"more":       func(scopes []api.Scope, shown int) int { return len(scopes) - shown },
	"grouped":    Grouped,
	"labelClass": LabelClass,
	"share":      share,
	"filesize":   filesize,
	"sentence":   sentence,
	"prose":      func(source string) template.HTML { return Prose(markdown.Context{}, source) },
	"noticeOf":   noticeOf,
	"add":        func(a, b int) int { return a + b },
}

// share returns a part of a whole in percent.
func share(part, whole int64) string {
	switch p := float64(part) * 100 / float64(max(whole, 1)); {
	case part > 0 && p < 0.1:
		return "< 0.1%"
	case p < 10 && part > 0:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
}

// dict returns the arguments of a component, by name.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict takes names and values, not %d arguments", len(pairs))
	}
	all := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		all[name] = pairs[i+1]
	}
	return all, nil
}

// instant returns the time that a template names as a value or a pointer.
func instant(t any) time.Time {
	switch t := t.(type) {
	case time.Time:
		return t
	case api.Time:
		return t.Time
	case *api.Time:
		return t.Time
	}
	panic(fmt.Sprintf("ui: %T is no instant", t))
}

func iso(t any) string { return instant(t).UTC().Format(time.RFC3339) }

// Age is a length of time in its largest unit.
type Age struct {
	N    int
	Unit string // the name of the unit: minute, hour, day, month or year; empty below a minute
}

// age returns how long ago an instant is.
func age(now time.Time, t any) Age { return ageOf(now.Sub(instant(t))) }

// ahead returns how far in the future an instant is, rounded: a link that was created for 7 days a moment ago expires
// in 7 days.
func ahead(now time.Time, t any) Age {
	d := instant(t).Sub(now)
	unit, size := largestUnit(d)
	return Age{int((d + size/2) / size), unit}
}

func ageOf(d time.Duration) Age {
	unit, size := largestUnit(d)
	return Age{int(d / size), unit}
}

// largestUnit returns the largest unit of which a length of time has at least one, and its size. Below a minute it
// has no name.
func largestUnit(d time.Duration) (name string, unit time.Duration) {
	const day = 24 * time.Hour
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"year", 365 * day}, {"month", 30 * day}, {"day", day}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if d >= u.size {
			return u.name, u.size
		}
	}
	return "", time.Minute
}

// span returns a number of seconds in a unit of which there are several.
func span(seconds int64) Age {
	d := time.Duration(seconds) * time.Second
	for _, u := range []struct {
		unit string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if d >= 3*u.size {
			return Age{int((d + u.size/2) / u.size), u.unit}
		}
	}
	return Age{int(d / time.Minute), map[bool]string{true: "minute"}[d >= time.Minute]}
}

// initials returns at most two letters of a name.
func initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	switch len(words) {
	case 0:
		return "?"
	case 1:
		return strings.ToUpper(string([]rune(words[0])[:1]))
	}
	first, last := []rune(words[0]), []rune(words[len(words)-1])
	return strings.ToUpper(string(first[:1]) + string(last[:1]))
}

// hue returns one of eight colours for a name.
func hue(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32() % 8
}

// Grouped writes a number with commas.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// filesize writes a number of bytes in its largest unit.
func filesize(bytes int64) string {
	n, units := float64(bytes), []string{"B", "kB", "MB", "GB"}
	for n >= 1000 && len(units) > 1 {
		n, units = n/1000, units[1:]
	}
	if n < 10 && units[0] != "B" {
		return strconv.FormatFloat(n, 'f', 1, 64) + " " + units[0]
	}
	return strconv.FormatFloat(n, 'f', 0, 64) + " " + units[0]
}

// sentence ends a message with a full stop, unless it ends with another mark.
func sentence(message string) string {
	last, _ := utf8.DecodeLastRuneInString(message)
	if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(`)"”`, last) {
		return message + "."
	}
	return message
}

// text returns a value, or the value of a pointer, as plain text. It is empty for a nil pointer.
func text(v any) string {
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer {
		if p.IsNil() {
			return ""
		}
		v = p.Elem().Interface()
	}
	return fmt.Sprint(v)
}

// texts returns scopes as plain texts.
func texts(scopes []api.Scope) (all []string) {
	for _, s := range scopes {
		all = append(all, string(s))
	}
	return all
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// avatar returns the picture of a person or the initials. The name of the picture, and whether the initials are in a
// square, may be nil.
func avatar(name string, picture, square any) (template.HTML, error) {
	of, _ := picture.(string)
	return HTML(Avatar(name, of, square != nil))
}

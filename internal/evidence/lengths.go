package evidence

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugslice/api"
)

// eachTooLong calls fn for each member of a row, a text or a list, that exceeds the maxItems or maxLength of its tag.
func eachTooLong(row any, fn func(name string, member reflect.Value, limit int)) {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if limit, err := strconv.Atoi(field.Tag.Get("maxItems")); err == nil && value.Len() > limit {
			fn(name, value, limit)
		}
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		limit, err := strconv.Atoi(field.Tag.Get("maxLength"))
		if err == nil && value.IsValid() && utf8.RuneCountInString(value.String()) > limit {
			fn(name, value, limit)
		}
	}
}

// tooLong lists the members of the row at a pointer that are too long, and shortens its lists. Texts are truncated
// when their secrets are removed: no rule detects a piece of a secret.
func (r *repairs) tooLong(pointer string, row any) {
	eachTooLong(row, func(name string, member reflect.Value, limit int) {
		if member.Kind() == reflect.Slice {
			r.add(pointer+"/"+name, api.RepairTruncated, member.Len()-limit, fmt.Sprintf("at most %d values", limit))
			member.SetLen(limit)
			return
		}
		r.add(pointer+"/"+name, api.RepairTruncated, 1, fmt.Sprintf("at most %d characters", limit))
	})
}

// truncateMembers truncates the texts of a row without secrets that are too long, also by redaction.
func truncateMembers(row any) {
	eachTooLong(row, func(_ string, member reflect.Value, limit int) {
		if member.Kind() == reflect.String {
			member.SetString(firstCharacters(member.String(), limit-1) + "…")
		}
	})
}

// firstCharacters returns the first n characters of a longer text.
func firstCharacters(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return strings.Clone(text[:i])
		}
	}
	return text
}

package evidence

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// eachTooLong calls fn for each member of a row that exceeds the maxItems or maxLength of its tag. The text is nil for
// a list.
func eachTooLong(row any, fn func(name string, text *string, limit int)) {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if limit, err := strconv.Atoi(field.Tag.Get("maxItems")); err == nil && value.Len() > limit {
			fn(name, nil, limit)
		}
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		limit, err := strconv.Atoi(field.Tag.Get("maxLength"))
		if err == nil && value.IsValid() && utf8.RuneCountInString(value.String()) > limit {
			fn(name, value.Addr().Interface().(*string), limit)
		}
	}
}

// checkLengths refuses the row at a pointer when a member is too long.
func checkLengths(pointer string, row any) (err error) {
	eachTooLong(row, func(name string, _ *string, limit int) {
		err = invalid(pointer+"/"+name, "at most %d", limit)
	})
	return err
}

// truncateMembers truncates the texts of a row that redaction made too long.
func truncateMembers(row any) {
	eachTooLong(row, func(_ string, text *string, limit int) {
		if text != nil {
			*text = string([]rune(*text)[:limit])
		}
	})
}

package evidence

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// beyond shows the members of a row that are longer than the contract lets them be, texts with
// where they are.
func beyond(row any, fn func(name string, text *string, most int)) {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		f, of := v.Type().Field(i), v.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if most, err := strconv.Atoi(f.Tag.Get("maxItems")); err == nil && of.Len() > most {
			fn(name, nil, most)
		}
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if most, err := strconv.Atoi(f.Tag.Get("maxLength")); err == nil && of.IsValid() && utf8.RuneCountInString(of.String()) > most {
			fn(name, of.Addr().Interface().(*string), most)
		}
	}
}

// tooLong says which members of a row are too long.
func tooLong(i int, row any) (err error) {
	beyond(row, func(name string, _ *string, most int) {
		err = wrong(fmt.Sprintf("/%d/%s", i, name), "at most %d", most)
	})
	return err
}

// fit cuts texts of a row that marks have made too long.
func fit(row any) {
	beyond(row, func(_ string, text *string, most int) {
		if text != nil {
			*text = string([]rune(*text)[:most])
		}
	})
}

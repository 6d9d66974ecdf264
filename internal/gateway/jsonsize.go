package gateway

import (
	"reflect"
	"time"
)

// jsonSize estimates the size of a value in JSON by its strings and raw bytes. Other values are small.
func jsonSize(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return quotedSize(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return jsonSize(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		for i := range v.Len() {
			n += jsonSize(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			n += jsonSize(it.Key()) + jsonSize(it.Value())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return 0
		}
		for i := range v.NumField() { // v.Fields would allocate a description of each
			n += jsonSize(v.Field(i))
		}
	}
	return n
}

// quotedSize returns how many bytes a string needs in JSON.
func quotedSize(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n
}

package store

import (
	"strings"

	"bugslice/internal/strictjson"
)

// unpack decodes a JSON column into target. Empty text, the most frequent, is not parsed: it is an empty list or map,
// or leaves target as it is.
func unpack(text string, target any) error {
	switch target := target.(type) {
	case *[]string:
		*target = []string{}
	case *map[string]string:
		*target = map[string]string{}
	}
	if text == "" {
		return nil
	}
	return strictjson.Unmarshal([]byte(text), target)
}

// pack sets a JSON column to an encoded value, or to empty text for an empty value.
func pack(column *string, value any, isEmpty bool) error {
	if isEmpty {
		*column = ""
		return nil
	}
	b, err := strictjson.Marshal(value)
	*column = string(b)
	return err
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// split decodes a column of words.
func split[T ~string](text string) []T {
	words := strings.Fields(text)
	all := make([]T, len(words))
	for i, w := range words {
		all[i] = T(w)
	}
	return all
}

// join encodes a column of words.
func join[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = string(v)
	}
	return strings.Join(words, " ")
}

// oneOf returns a value, the empty one for none.
func oneOf[T ~string](v *T) []string { return []string{textOf(v)} }

// someOf returns a value that is not empty, and none otherwise.
func someOf[T ~string](v *T) []string {
	if textOf(v) == "" {
		return nil
	}
	return []string{string(*v)}
}

// orEmpty returns values, or the empty one when there are none.
func orEmpty(all []string) []string {
	if len(all) == 0 {
		return []string{""}
	}
	return all
}

func texts[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = string(v)
	}
	return out
}

// emptyForNone returns values with the empty one in place of NoneValue.
func emptyForNone[T ~string](values []T) []string {
	all := texts(values)
	for i, v := range all {
		if v == NoneValue {
			all[i] = ""
		}
	}
	return all
}

// orNull returns a value, or nil for none.
func orNull[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// textOf returns a text, or the empty one for none.
func textOf[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

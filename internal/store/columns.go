package store

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/strictjson"
)

// unpack decodes JSON columns, given as pairs of text and target. Empty ones, the most frequent, are not parsed.
func unpack(pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		switch target := pairs[i+1].(type) {
		case *[]string:
			*target = []string{}
		case *map[string]string:
			*target = map[string]string{}
		}
		if text := pairs[i].(string); text != "" {
			if err := strictjson.Unmarshal([]byte(text), pairs[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack encodes a JSON column; an empty value is empty text.
func pack[T any](v T, empty bool) (string, error) {
	if empty {
		return "", nil
	}
	b, err := strictjson.Marshal(v)
	return string(b), err
}

func timeAt(ms *int64) *api.Time {
	if ms == nil {
		return nil
	}
	t := api.FromMillis(*ms)
	return &t
}

func millis(t *api.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
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

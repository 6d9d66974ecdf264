package api

import "reflect"

// TextFilter is a filter by the values of a text of slices: a member of SliceFilters, and also of Exclusions when its
// values can leave slices out. The tag word of the member names it in the search box and in the store.
type TextFilter struct {
	Word   string
	Values *[]string
}

// Texts returns the filters by texts.
func (f *SliceFilters) Texts() []TextFilter { return textFilters(reflect.ValueOf(f)) }

// Texts returns the exclusions by texts.
func (x *Exclusions) Texts() []TextFilter { return textFilters(reflect.ValueOf(x)) }

func textFilters(filters reflect.Value) (all []TextFilter) {
	for field, value := range filters.Elem().Fields() {
		if word := field.Tag.Get("word"); word != "" {
			all = append(all, TextFilter{word, value.Addr().Interface().(*[]string)})
		}
	}
	return all
}

package store

import (
	"fmt"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// cell is how a member of a slice is stored. A value is a string, an int64, or nil for null.
type cell struct {
	sqlType  string // TEXT or BIGINT
	nullable bool
	content  content
	text     func(*Slice) string // of texts: the value, empty for null
	value    func(*Slice) (any, error)
	set      func(s *Slice, value any) error // of a new Slice
}

// content is what a cell of text contains.
type content int

const (
	numeric         content = iota // it is a number or a time
	keywordContent                 // ids and values of an enumeration: short, and written by nobody
	textContent                    // what people and their programs wrote
	documentContent                // JSON of what they wrote; empty for an empty value
)

func keyword[T ~string](member func(*Slice) *T) cell { return textOfKind(keywordContent, member) }

func nullableKeyword[T ~string](member func(*Slice) **T) cell {
	return nullableOfKind(keywordContent, member)
}

func freeText(member func(*Slice) *string) cell { return textOfKind(textContent, member) }

func nullableFreeText(member func(*Slice) **string) cell { return nullableOfKind(textContent, member) }

func textOfKind[T ~string](kind content, member func(*Slice) *T) cell {
	return cell{sqlType: "TEXT", content: kind,
		text:  func(s *Slice) string { return string(*member(s)) },
		value: func(s *Slice) (any, error) { return string(*member(s)), nil },
		set: func(s *Slice, value any) error {
			v, err := as[string](value)
			*member(s) = T(v)
			return err
		}}
}

func nullableOfKind[T ~string](kind content, member func(*Slice) **T) cell {
	return cell{sqlType: "TEXT", nullable: true, content: kind,
		text: func(s *Slice) string { return textOf(*member(s)) },
		value: func(s *Slice) (v any, err error) {
			if text := *member(s); text != nil {
				v = string(*text)
			}
			return v, nil
		},
		set: func(s *Slice, value any) error {
			if value == nil {
				return nil
			}
			v, err := as[string](value)
			*member(s) = new(T(v))
			return err
		}}
}

// document is a cell of JSON.
func document[T any](member func(*Slice) *T, isEmpty func(T) bool) cell {
	return cell{sqlType: "TEXT", content: documentContent,
		value: func(s *Slice) (any, error) {
			var packed string
			v := *member(s)
			err := pack(&packed, v, isEmpty(v))
			return packed, err
		},
		set: func(s *Slice, value any) error {
			packed, err := as[string](value)
			if err != nil {
				return err
			}
			return unpack(packed, member(s))
		}}
}

func number(member func(*Slice) *int64) cell {
	return cell{sqlType: "BIGINT",
		value: func(s *Slice) (any, error) { return *member(s), nil },
		set: func(s *Slice, value any) (err error) {
			*member(s), err = as[int64](value)
			return err
		}}
}

func moment(member func(*Slice) *api.Time) cell {
	return cell{sqlType: "BIGINT",
		value: func(s *Slice) (any, error) { return member(s).UnixMilli(), nil },
		set: func(s *Slice, value any) error {
			ms, err := as[int64](value)
			*member(s) = api.FromMillis(ms)
			return err
		}}
}

func nullableMoment(member func(*Slice) **api.Time) cell {
	return cell{sqlType: "BIGINT", nullable: true,
		value: func(s *Slice) (any, error) { return orNull(sqldb.Millis(*member(s))), nil },
		set: func(s *Slice, value any) error {
			if value == nil {
				return nil
			}
			ms, err := as[int64](value)
			*member(s) = sqldb.TimeAt(&ms)
			return err
		}}
}

// storedSpace is the cell of the space of a slice, or of the deleted one from which it is not detached yet.
func storedSpace() cell {
	c := nullableKeyword(func(s *Slice) **string { return &s.SpaceID })
	c.text = func(s *Slice) string { return textOf(s.storedSpaceID()) }
	c.value = func(s *Slice) (any, error) { return orNull(s.storedSpaceID()), nil }
	return c
}

func isNil[T any](v *T) bool { return v == nil }

// as returns a value of a database as a string or an int64.
func as[T string | int64](value any) (v T, err error) {
	v, ok := value.(T)
	if !ok {
		err = fmt.Errorf("the database has a %T, and not a %T", value, v)
	}
	return v, err
}

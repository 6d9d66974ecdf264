package sqldb_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"bugslice/internal/store/sqldb"
)

// TestRowsAreReadAsWritten: a statement reads each text, number and NULL of its rows as it was given, in order.
func TestRowsAreReadAsWritten(t *testing.T) {
	texts := []string{"", " ", `"`, `\`, `\u0000`, `\"},{"a":1`, "a\nb\r\t\b\f", "\x01\x1f\x7f",
		"\u2028\u2029\ufeff\ufffd", "é e\u0301", "𝕏🏳️‍🌈",
		`{"slice": {"summary": "x \\ \" \u00e9"}}`, "NULL", "null", "'; --", strings.Repeat("long ", 5000)}
	numbers := []int64{0, 1, -1, 1<<53 + 1, 1<<63 - 1, -1 << 63}
	type named string
	var rows, want [][]any
	for i := range 700 { // more than a statement has
		text, number := texts[i%len(texts)], numbers[i%len(numbers)]
		row, expected := []any{text, number, named(text)}, []any{text, number, text}
		switch i % 7 {
		case 1:
			row[0], expected[0] = &text, text
		case 2:
			row[0], expected[0] = nil, nil
		case 3:
			row[1], expected[1] = (*int64)(nil), nil
		case 4:
			row[0] = json.RawMessage(text)
			row[1], row[2], expected[2] = &number, (*named)(nil), nil
		}
		rows, want = append(rows, row), append(want, expected)
	}
	engines(t, func(t *testing.T, o sqldb.Options) {
		d := open(t, o, nil)
		for _, n := range []int{1, 2, 31, 100, len(rows)} {
			got, err := readRows(d.Read(t.Context()), rows[:n])
			must(t, err)
			if !reflect.DeepEqual(got, want[:n]) {
				t.Errorf("%d rows: %.300q, want %.300q", n, got, want[:n])
			}
		}
	})
}

// TestRowsRefuseOtherTexts: PostgreSQL refuses a text that is not UTF-8 or has a NUL, rather than that another one is
// stored.
func TestRowsRefuseOtherTexts(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		d := open(t, o, nil)
		for _, text := range []string{"a\xffb", "a\x00b"} {
			got, err := readRows(d.Read(t.Context()), [][]any{{text, int64(1), nil}})
			if o.URL != "" && err == nil || err == nil && got[0][0] != text {
				t.Errorf("%q: %q, %v", text, got, err)
			}
		}
	})
}

// readRows returns what a statement reads of rows.
func readRows(x *sqldb.Executor, rows [][]any) (read [][]any, err error) {
	err = x.EachTable("a TEXT, b BIGINT, c TEXT", rows, func(from string, args []any) error {
		return x.Each(func(r sqldb.Row) error {
			values := make([]any, 3)
			read = append(read, values)
			return r.Scan(&values[0], &values[1], &values[2])
		}, "SELECT a, b, c FROM "+from, args...)
	})
	return read, err
}

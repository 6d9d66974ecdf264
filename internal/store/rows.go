package store

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/bits"
	"reflect"
	"strconv"
	"strings"

	"bugslice/internal/strictjson"
)

// insertOf returns the INSERT of rows into a table, in their order, with the rest of the statement, and its arguments. columns are the
// names and types of what each row has.
func (e *engine) insertOf(table, columns string, rows [][]any, rest string) (string, []any, error) {
	var p params
	from, err := e.rowsTable(&p, columns, rows)
	names := strings.Join(columnNames(columns), ", ")
	return "INSERT INTO " + table + " (" + names + ") SELECT " + names + " FROM " + from + " WHERE 1 = 1 " + rest, p.args, err
}

// insert inserts rows into a table, in their order, with the rest of the statement. It returns how many it has inserted or updated.
func (x *executor) insert(table, columns string, rows [][]any, rest string) (total int64, err error) {
	for some := range x.engine.chunks(rows) {
		text, args, err := x.engine.insertOf(table, columns, some, rest)
		if err != nil {
			return total, err
		}
		n, err := x.execCount(text, args...)
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

// chunks yields rows in chunks, each for one statement.
func (e *engine) chunks(rows [][]any) iter.Seq[[][]any] {
	return func(yield func([][]any) bool) {
		for n := 0; len(rows) > 0; rows = rows[n:] {
			if n = e.rowsChunk(rows); !yield(rows[:n]) {
				return
			}
		}
	}
}

// columnNames returns the names of columns with their types.
func columnNames(columns string) []string {
	names := strings.Split(columns, ", ")
	for i, c := range names {
		names[i], _, _ = strings.Cut(c, " ")
	}
	return names
}

// valuesChunk returns how many of the first rows a statement has with a placeholder for each value: a power of two, so that few different
// statements are prepared.
func valuesChunk(rows [][]any) int {
	const most = 32
	return 1 << (bits.Len(uint(min(len(rows), most))) - 1)
}

// valuesTable is the table v of rows, with a placeholder for each value. The placeholders have no names, which SQLite would compare with
// each other whenever they are bound: the statement has all earlier arguments of p before this table, and the later ones behind it.
func valuesTable(p *params, columns string, rows [][]any) (string, error) {
	names, all := columnNames(columns), make([]string, len(rows))
	for i, name := range names {
		names[i] = "column" + strconv.Itoa(i+1) + " AS " + name
	}
	for i, row := range rows {
		marks := make([]string, len(row))
		for j, v := range row {
			if text, ok := v.(json.RawMessage); ok { // SQLite would store bytes as a BLOB
				v = string(text)
			}
			p.add(v)
			marks[j] = "?"
		}
		all[i] = "(" + strings.Join(marks, ", ") + ")"
	}
	return "(SELECT " + strings.Join(names, ", ") + " FROM (VALUES " + strings.Join(all, ", ") + ")) AS v", nil
}

// jsonChunk returns how many of the first rows a statement has with one parameter for all: as many as this parameter has room for.
func jsonChunk(rows [][]any) int {
	const most = 256 << 10 // bytes
	bytes := 0
	for n, row := range rows {
		if bytes += jsonSize(row); bytes > most {
			return max(n, 1)
		}
	}
	return len(rows)
}

// jsonSize estimates the bytes of a row as a JSON object.
func jsonSize(row []any) (bytes int) {
	for _, v := range row {
		text := 0
		switch v := v.(type) {
		case string:
			text = len(v)
		case json.RawMessage:
			text = len(v)
		}
		bytes += 32 + text + text/8 // the name of the column, and escapes
	}
	return bytes
}

// jsonTable is the table v of rows, from one parameter: a statement with many takes longer, and differs with their number.
func jsonTable(p *params, columns string, rows [][]any) (string, error) {
	names := columnNames(columns)
	for i, name := range names {
		names[i] = strconv.Quote(name) + ":"
	}
	bytes := 0
	for _, row := range rows {
		bytes += jsonSize(row)
	}
	all, separator := make([]byte, 0, bytes), "[{"
	var err error
	for _, row := range rows {
		for i, v := range row {
			all = append(append(all, separator...), names[i]...)
			if all, err = appendJSON(all, v); err != nil {
				return "", err
			}
			separator = ","
		}
		separator = "},{"
	}
	return "json_to_recordset(" + p.add(append(all, "}]"...)) + "::text::json) AS v (" + columns + ")", nil
}

// appendJSON appends a text or an integer, or what a pointer leads to. JSON is a text, too.
func appendJSON(b []byte, value any) ([]byte, error) {
	if text, ok := value.(json.RawMessage); ok {
		return strictjson.AppendText(b, text)
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return append(b, "null"...), nil
	case reflect.String:
		return strictjson.AppendText(b, v.String())
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	}
	return b, fmt.Errorf("a row has a %s", v.Kind())
}

package sqldb

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

// Insert inserts rows into a table, in their order, with the rest of the statement. columns are the names and types
// of what each row has. It returns how many rows it has inserted or updated.
func (x *Executor) Insert(table, columns string, rows [][]any, rest string) (total int64, err error) {
	names := strings.Join(columnNames(columns), ", ")
	err = x.EachTable(columns, rows, func(from string, args []any) error {
		n, err := x.ExecCount("INSERT INTO "+table+" ("+names+") SELECT "+names+" FROM "+from+" WHERE 1 = 1 "+rest,
			args...)
		total += n
		return err
	})
	return total, err
}

// EachTable calls do with tables v of rows, each for one statement: from is what stands behind FROM, and args are its
// arguments. columns are the names and types of what each row has: TEXT or BIGINT. For SQLite, an INSERT has a WHERE
// between from and ON CONFLICT.
func (x *Executor) EachTable(columns string, rows [][]any, do func(from string, args []any) error) error {
	for some := range x.Engine.chunks(rows) {
		var p Params
		from, err := x.Engine.rowsTable(&p, columns, some)
		if err != nil {
			return err
		}
		if err := do(from, p.Args); err != nil {
			return err
		}
	}
	return nil
}

// chunks yields rows in chunks, each for one statement.
func (e *Engine) chunks(rows [][]any) iter.Seq[[][]any] {
	return func(yield func([][]any) bool) {
		for n := 0; len(rows) > 0; rows = rows[n:] {
			if n = e.rowsChunk(rows); !yield(rows[:n]) {
				return
			}
		}
	}
}

// columnNames returns the names in columns, such as "id TEXT, number BIGINT", without the types.
func columnNames(columns string) []string {
	names := strings.Split(columns, ", ")
	for i, c := range names {
		names[i], _, _ = strings.Cut(c, " ")
	}
	return names
}

// valuesChunk returns how many of the first rows a statement has with a placeholder for each value: a power of two,
// so that few different statements are prepared.
func valuesChunk(rows [][]any) int {
	const most = 32
	return 1 << (bits.Len(uint(min(len(rows), most))) - 1)
}

// valuesTable is the table v of rows, with a placeholder for each value. The placeholders have no names, which SQLite
// would compare with each other whenever they are bound: the statement has all earlier arguments of p before this
// table, and the later ones behind it.
func valuesTable(p *Params, columns string, rows [][]any) (string, error) {
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
			p.Add(v)
			marks[j] = "?"
		}
		all[i] = "(" + strings.Join(marks, ", ") + ")"
	}
	return "(SELECT " + strings.Join(names, ", ") + " FROM (VALUES " + strings.Join(all, ", ") + ")) AS v", nil
}

// jsonChunk returns how many of the first rows a statement has with one parameter for all: as many as this parameter
// has room for.
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

// jsonTable is the table v of rows, from one parameter: a statement with many takes longer, and differs with their
// number.
func jsonTable(p *Params, columns string, rows [][]any) (string, error) {
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
	return "json_to_recordset(" + p.Add(append(all, "}]"...)) + "::text::json) AS v (" + columns + ")", nil
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

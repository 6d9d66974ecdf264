package store

import (
	"errors"
	"reflect"

	"bugslice/internal/store/sqldb"
)

const maxCacheBytes = 32 << 20 // of slices, by the estimate of sizeOf

// rowVersion identifies a version of a slice. The workspace may have another key for the same version, and the space
// may be deleted.
type rowVersion struct {
	row, version   int64
	inDeletedSpace int64 // 1 if the space of the version is deleted
	workspaceKey   string
}

func scanRowVersion(r sqldb.Row) (v rowVersion, err error) {
	return v, r.Scan(&v.row, &v.version, &v.inDeletedSpace, &v.workspaceKey)
}

// shown returns a slice at the version as lists show it.
func (v rowVersion) shown(s Slice) Slice {
	s.WorkspaceKey = v.workspaceKey
	if v.inDeletedSpace == 1 {
		s.hideSpace()
	}
	return s
}

// sizeOf estimates the memory of a slice, in bytes.
func sizeOf(s Slice) int {
	v := reflect.ValueOf(s)
	return int(v.Type().Size()) + referencedSize(v)
}

// referencedSize estimates the memory that a value refers to, without the value.
func referencedSize(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		n = v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			n = int(v.Type().Elem().Size()) + referencedSize(v.Elem())
		}
	case reflect.Slice:
		n = v.Len() * int(v.Type().Elem().Size())
		for i := range v.Len() {
			n += referencedSize(v.Index(i))
		}
	case reflect.Map:
		n = v.Len() * 2 * int(v.Type().Key().Size()+v.Type().Elem().Size()) // half of a map is empty
		for name, value := range v.Seq2() {
			n += referencedSize(name) + referencedSize(value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += referencedSize(v.Field(i))
		}
	}
	return n
}

var errOtherVersion = errors.New("a slice has changed since its version was read")

// slicesAt returns slices at their versions, from the cache where possible; errOtherVersion when one of them has
// changed.
func (q Queries) slicesAt(versions []rowVersion) ([]Slice, error) {
	all := make([]Slice, len(versions))
	var missing []int // indexes
	var rows []int64
	for i, v := range versions {
		cached, ok := q.slices.get(v.row, v.version)
		if !ok {
			missing, rows = append(missing, i), append(rows, v.row)
			continue
		}
		all[i] = v.shown(cached)
	}
	if len(missing) == 0 {
		return all, nil
	}
	byRow, err := q.slicesByRow(rows)
	if err != nil {
		return nil, err
	}
	for _, i := range missing {
		s := byRow[versions[i].row]
		if s.Version != versions[i].version {
			return nil, errOtherVersion
		}
		s.WorkspaceKey = versions[i].workspaceKey
		q.slices.put(s.Row, s.Version, s, sizeOf(s))
		all[i] = s
	}
	return all, nil
}

// slicesByRow returns slices without the keys of their workspaces.
func (q Queries) slicesByRow(rows []int64) (map[int64]Slice, error) {
	var p sqldb.Params
	all, err := sqldb.List(q.db, scanSlice, "SELECT "+sliceRecord+", '' FROM slices s WHERE s.row IN "+
		sqldb.In(&p, rows), p.Args...)
	byRow := make(map[int64]Slice, len(all))
	for _, s := range all {
		byRow[s.Row] = s
	}
	return byRow, err
}

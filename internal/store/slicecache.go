package store

import (
	"reflect"
	"sync"
)

// sliceCache keeps decoded slices by row and version, so that a list reads only which
// versions of which rows it shows. The version comes from the database on every request, so
// what is cached is never stale, on any node. What it holds is shared: nobody writes to it.
type sliceCache struct {
	mu    sync.RWMutex
	rows  map[int64]Slice
	bytes int
}

const cacheBytes = 64 << 20 // about as much memory as the cache takes

// get returns a row at a version, when it is there.
func (c *sliceCache) get(v rowVersion) (Slice, bool) {
	if c == nil {
		return Slice{}, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.rows[v.row]
	return s, ok && s.Version == v.version
}

// put keeps a row in place of an earlier version of it, and lets others go for it at random.
func (c *sliceCache) put(s Slice) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.rows[s.Row]; ok {
		if old.Version > s.Version {
			return
		}
		c.bytes -= weight(old)
	}
	c.rows[s.Row] = s
	c.bytes += weight(s)
	for row, one := range c.rows {
		if c.bytes <= cacheBytes {
			break
		}
		delete(c.rows, row)
		c.bytes -= weight(one)
	}
}

// weight estimates the memory of a slice, in bytes.
func weight(s Slice) int {
	v := reflect.ValueOf(s)
	return int(v.Type().Size()) + held(v)
}

// held is the memory that a value refers to, beside its own.
func held(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		n = v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			n = int(v.Type().Elem().Size()) + held(v.Elem())
		}
	case reflect.Slice:
		n = v.Len() * int(v.Type().Elem().Size())
		for i := range v.Len() {
			n += held(v.Index(i))
		}
	case reflect.Map:
		n = v.Len() * 2 * int(v.Type().Key().Size()+v.Type().Elem().Size()) // half of a map is empty
		for name, value := range v.Seq2() {
			n += held(name) + held(value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += held(v.Field(i))
		}
	}
	return n
}

// rowVersion is what a list reads of each slice.
type rowVersion struct{ row, version int64 }

func scanRowVersion(r row) (v rowVersion, err error) {
	return v, r.Scan(&v.row, &v.version)
}

// fill returns the slices of a list's rows, from the cache where it has them. ok is false
// when one has changed since the list was read.
func (q Queries) fill(list []rowVersion) (out []Slice, ok bool, err error) {
	out = make([]Slice, len(list))
	var missing []int64
	for i, v := range list {
		if out[i], ok = q.slices.get(v); !ok {
			missing = append(missing, v.row)
		}
	}
	if len(missing) == 0 {
		return out, true, nil
	}
	fresh, err := q.slicesByRow(missing)
	if err != nil {
		return nil, false, err
	}
	for i, v := range list {
		if out[i].Row != 0 && out[i].Version == v.version {
			continue
		}
		if out[i] = fresh[v.row]; out[i].Version != v.version {
			return nil, false, nil
		}
		q.slices.put(out[i])
	}
	return out, true, nil
}

func (q Queries) slicesByRow(rows []int64) (map[int64]Slice, error) {
	var p params
	all, err := list(q.db, scanSlice, "SELECT "+sliceColumns+" FROM slices s WHERE s.row IN "+in(&p, rows), p.args...)
	found := make(map[int64]Slice, len(all))
	for _, s := range all {
		found[s.Row] = s
	}
	return found, err
}

package store

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// sliceCache caches decoded slices by row and version, so that a list reads only the rows and versions it
// consists of. The version comes from the database on every request, so a cached slice is never stale, on any
// node. Cached slices are shared: nobody changes them. A nil cache is empty.
type sliceCache struct {
	mu    sync.RWMutex
	rows  map[int64]Slice
	bytes int

	hits, misses atomic.Int64
}

const maxCacheBytes = 64 << 20 // by the estimate of sizeOf

// rowVersion identifies a version of a slice. The workspace may have another key for the same version, and the space may be
// deleted.
type rowVersion struct {
	row, version   int64
	inDeletedSpace int64 // 1 if the space of the version is deleted
	workspaceKey   string
}

func scanRowVersion(r row) (v rowVersion, err error) {
	return v, r.Scan(&v.row, &v.version, &v.inDeletedSpace, &v.workspaceKey)
}

// get returns the slice of a row if it is cached at that version.
func (c *sliceCache) get(v rowVersion) (Slice, bool) {
	if c == nil {
		return Slice{}, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.rows[v.row]
	ok = ok && s.Version == v.version
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	s.WorkspaceKey = v.workspaceKey
	if v.inDeletedSpace == 1 {
		s.hideSpace()
	}
	return s, ok
}

// put caches a slice instead of an earlier version of it. Beyond maxCacheBytes it evicts slices at random, and maybe this one.
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
		c.bytes -= sizeOf(old)
	}
	c.rows[s.Row] = s
	c.bytes += sizeOf(s)
	for row, evicted := range c.rows {
		if c.bytes <= maxCacheBytes {
			break
		}
		delete(c.rows, row)
		c.bytes -= sizeOf(evicted)
	}
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

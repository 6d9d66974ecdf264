// Package id creates and decodes the ids of records: a prefix for the kind, and a UUIDv7 in 26 characters of lower-case
// Crockford base32 (the layout of TypeID). Ids sort by the time of creation.
package id

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"
)

// The prefixes.
const (
	Slice        = "slc"
	Workspace    = "wsp"
	Space        = "spc"
	User         = "usr"
	Organization = "org"
	Key          = "key"
	Webhook      = "whk"
	Event        = "evt"
	Delivery     = "dlv"
	Attachment   = "att"
	Comment      = "cmt"
	Request      = "req"
	Session      = "ses"
	Attempt      = "try"
	Secret       = "sec"
	Blob         = "blb"
	View         = "viw"
	Share        = "shr"
	Invitation   = "inv"
	OAuthClient  = "ocl"
	Notice       = "ntc"
	Passkey      = "psk"
	Mail         = "mai"
	Source       = "src"
	Submission   = "sub"
	ReporterPage = "rpg"
)

const (
	alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	length   = 26
	maxMilli = 1<<48 - 1
)

var decoding = func() (table [256]byte) {
	for i := range table {
		table[i] = 0xff
	}
	for i, c := range []byte(alphabet) {
		table[c] = byte(i)
	}
	return table
}()

// clock has the last tick. A tick is a millisecond in the upper 48 bits, and a fraction of it or a counter in the
// lower 12. Ticks strictly increase.
var clock struct {
	sync.Mutex
	last uint64
}

func tick() uint64 {
	nano := max(time.Now().UnixNano(), 0)
	milli := nano / 1e6
	now := uint64(milli)<<12 | uint64((nano-milli*1e6)>>8)&0xfff
	clock.Lock()
	defer clock.Unlock()
	if now <= clock.last {
		now = clock.last + 1
	}
	clock.last = now
	return now
}

// New returns an id that sorts after all earlier ones of this process, even when the clock goes back. It has 62 random
// bits.
func New(prefix string) string {
	return prefix + "_" + encode(compose(tick()))
}

// At returns an id with another time. The order within a millisecond is random.
func At(prefix string, t time.Time) string {
	var r [2]byte
	_, _ = rand.Read(r[:])
	milli := uint64(min(max(t.UnixMilli(), 0), maxMilli))
	return prefix + "_" + encode(compose(milli<<12|uint64(binary.BigEndian.Uint16(r[:]))&0xfff))
}

// Ordered returns an id with another time, which sorts within its millisecond by a position of up to 4095.
func Ordered(prefix string, t time.Time, position int) string {
	return prefix + "_" + encode(compose(orderedTick(t, position)))
}

// Named is Ordered for a record that has a name elsewhere, by which NameOf recognises it.
func Named(prefix string, t time.Time, position int, name string) string {
	u, sum := compose(orderedTick(t, position)), sha256.Sum256([]byte(name))
	copy(u[8:], sum[:8])
	u[8] = u[8]&0x3f | 0x80
	return prefix + "_" + encode(u)
}

// NameOf returns what the ids of Named have in common when their names are the same, whatever their times and
// positions are.
func NameOf(s string) [8]byte {
	u, _ := decode(s)
	return [8]byte(u[8:])
}

func orderedTick(t time.Time, position int) uint64 {
	return uint64(min(max(t.UnixMilli(), 0), maxMilli))<<12 | uint64(min(max(position, 0), 0xfff))
}

// compose returns the UUIDv7 of a tick.
func compose(tick uint64) (u [16]byte) {
	_, _ = rand.Read(u[8:])
	binary.BigEndian.PutUint64(u[:8], tick>>12<<16|0x7000|tick&0xfff)
	u[8] = u[8]&0x3f | 0x80
	return u
}

// Lowest returns a lower bound of the ids at a time: an id is at or above it exactly when its time is at or after t.
// Times beyond 48 bits are limited to these.
func Lowest(prefix string, t time.Time) string {
	milli := min(max(t.UnixMilli(), 0), maxMilli)
	if time.UnixMilli(milli).Before(t) && milli < maxMilli {
		milli++
	}
	var u [16]byte
	binary.BigEndian.PutUint64(u[:8], uint64(milli)<<16)
	return prefix + "_" + encode(u)
}

// Time returns the time of an id in UTC, to the millisecond, or the zero time when the id is malformed.
func Time(s string) time.Time {
	u, ok := decode(s)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(u[:8]) >> 16)).UTC()
}

// Valid reports whether s is an id with this prefix.
func Valid(prefix, s string) bool {
	if len(s) != len(prefix)+1+length || s[:len(prefix)] != prefix {
		return false
	}
	u, ok := decode(s)
	return ok && u[6]>>4 == 7 && u[8]>>6 == 2
}

// encode encodes 128 bits as 26 characters of 5 bits, the first of which has 3.
func encode(u [16]byte) string {
	high, low := binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
	var out [length]byte
	for i := length - 1; i >= 0; i-- {
		out[i] = alphabet[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}
	return string(out[:])
}

// decode decodes the UUID after the prefix.
func decode(s string) (u [16]byte, ok bool) {
	at := len(s) - length
	if at < 2 || s[at-1] != '_' || s[at] > '7' {
		return u, false
	}
	var high, low uint64
	for _, c := range []byte(s[at:]) {
		v := decoding[c]
		if v == 0xff {
			return u, false
		}
		high = high<<5 | low>>59
		low = low<<5 | uint64(v)
	}
	binary.BigEndian.PutUint64(u[:8], high)
	binary.BigEndian.PutUint64(u[8:], low)
	return u, true
}

// Derive returns the id of a copy of a record in the target. It keeps the time and the order of the old id, and is
// always the same for the same id and target.
func Derive(prefix, old, target string) string {
	u, ok := decode(old)
	if !ok {
		return New(prefix)
	}
	sum := sha256.Sum256([]byte(target + "\n" + old))
	copy(u[8:], sum[:8])
	u[8] = u[8]&0x3f | 0x80
	return prefix + "_" + encode(u)
}

// Package proofofwork makes requests cost their senders time: a puzzle is a salt and a number of bits, and its answer
// a number with which the SHA-256 of "salt.number" begins with as many zero bits. An answer is checked by one hash.
//
//	p := proofofwork.Puzzle{Salt: rand.Text(), Bits: proofofwork.Bits(rate.Share(key, perMinute))}
//	…
//	if !p.SolvedBy(answer) { … }
//
// No third party takes part, and nothing is asked while requests are few.
package proofofwork

import (
	"crypto/sha256"
	"math/bits"
	"sync"
	"time"
)

// Puzzle is what a client has to solve. One of 0 bits is solved by every number.
type Puzzle struct {
	Salt string `json:"salt"`
	Bits int    `json:"bits"`
}

// maxDigits are those of an answer. With the salt, the text stays within one block of SHA-256.
const maxDigits = 16

// SolvedBy reports whether a decimal number is an answer.
func (p Puzzle) SolvedBy(answer string) bool {
	if answer == "" || len(answer) > maxDigits {
		return false
	}
	for _, c := range []byte(answer) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return zeroBits(sha256.Sum256([]byte(p.Salt+"."+answer))) >= p.Bits
}

func zeroBits(sum [sha256.Size]byte) (n int) {
	for _, b := range sum {
		if b != 0 {
			return n + bits.LeadingZeros8(b)
		}
		n += 8
	}
	return n
}

// Bits returns the bits of a puzzle by the share of a limit that is used: none below a quarter, and from there on
// four times as many hashes for each doubling, up to a million, which took a page here 2 s and takes a phone some
// more.
func Bits(share float64) int {
	switch {
	case share < 0.25:
		return 0
	case share < 0.5:
		return 14
	case share < 1:
		return 16
	case share < 2:
		return 18
	}
	return 20
}

// Rate knows how many requests came for a key lately. It is safe for concurrent use.
type Rate struct {
	now func() time.Time

	mu   sync.Mutex
	keys map[string]*window
}

// window counts the requests of the current minute and of the one before.
type window struct {
	minute        int64
	count, before float64
}

// maxKeys bounds the memory: with as many keys, those without a recent request are forgotten.
const maxKeys = 10_000

// NewRate returns a Rate without requests. now is the clock.
func NewRate(now func() time.Time) *Rate { return &Rate{now: now, keys: map[string]*window{}} }

// Share counts a request of a key, and returns how many there were in the last minute, as a share of a limit.
func (r *Rate) Share(key string, limit int64) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	minute := now.Unix() / 60
	w := r.keys[key]
	if w == nil {
		r.makeRoom(minute)
		w = &window{minute: minute}
		r.keys[key] = w
	}
	switch {
	case minute == w.minute+1:
		w.minute, w.before, w.count = minute, w.count, 0
	case minute > w.minute:
		w.minute, w.before, w.count = minute, 0, 0
	}
	w.count++
	passed := float64(now.UnixMilli()%60_000) / 60_000
	return (w.count + w.before*(1-passed)) / float64(max(limit, 1))
}

func (r *Rate) makeRoom(minute int64) {
	if len(r.keys) < maxKeys {
		return
	}
	for key, w := range r.keys {
		if w.minute < minute-1 {
			delete(r.keys, key)
		}
	}
	if len(r.keys) >= maxKeys { // all are recent: begin anew
		clear(r.keys)
	}
}

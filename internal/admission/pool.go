package admission

import (
	"cmp"
	"container/list"
	"slices"
	"time"
)

// owner is the sender of a body, or the receiver of a response. The command line has no key.
type owner struct{ org, key string }

// account is the memory of a node, an organisation or a key.
type account struct {
	limit, used int64
	evicting    int64     // of evicted reservations that are not released yet
	searchedAt  time.Time // when no slow reservation was left
}

// exceedsHalf reports whether more than half of the limit would be used with n more bytes.
func (a *account) exceedsHalf(n int64) bool { return a.used+n > a.limit/2 }

// pool is memory that reservations share.
type pool struct {
	node     account
	orgs     map[string]*account
	keys     map[owner]*account
	byAge    map[owner]*list.List           // reservations that use memory, the oldest first
	elements map[*Reservation]*list.Element // in byAge
	waiting  map[owner]int
	changed  chan struct{} // closed when memory is released
}

func newPool(limit int64) *pool {
	return &pool{node: account{limit: limit}, orgs: map[string]*account{}, keys: map[owner]*account{},
		byAge:    map[owner]*list.List{},
		elements: map[*Reservation]*list.Element{}, waiting: map[owner]int{}, changed: make(chan struct{})}
}

// accounts are the accounts of a Reservation.
type accounts struct{ node, org, key *account }

func (a accounts) all() [3]*account { return [3]*account{a.node, a.org, a.key} }

// accounts returns the accounts of an owner. New ones are not stored yet.
func (p *pool) accounts(o owner) accounts {
	a := accounts{&p.node, p.orgs[o.org], p.keys[o]}
	if a.org == nil {
		a.org = &account{limit: p.node.limit / 2}
	}
	if a.key == nil {
		a.key = &account{limit: p.node.limit / 8}
	}
	return a
}

// store stores an account, or deletes it when it uses nothing.
func store[K comparable](stored map[K]*account, key K, a *account) {
	if stored[key] = a; a.used == 0 {
		delete(stored, key)
	}
}

// add changes the memory of a Reservation by n bytes, which are negative for a release.
func (p *pool) add(r *Reservation, n int64) {
	of := p.accounts(r.owner)
	for _, a := range of.all() {
		a.used += n
		if r.err != nil {
			a.evicting += n
		}
	}
	store(p.orgs, r.owner.org, of.org)
	store(p.keys, r.owner, of.key)
	r.used += n
	p.updateAge(r)
	if n < 0 && len(p.waiting) > 0 {
		close(p.changed)
		p.changed = make(chan struct{})
	}
}

// updateAge appends a Reservation to those of its key when it begins to use memory, and removes it when it uses none.
func (p *pool) updateAge(r *Reservation) {
	ofKey, element := p.byAge[r.owner], p.elements[r]
	switch {
	case r.used > 0 && element == nil:
		if ofKey == nil {
			ofKey = list.New()
			p.byAge[r.owner] = ofKey
		}
		p.elements[r] = ofKey.PushBack(r)
	case r.used == 0 && element != nil:
		ofKey.Remove(element)
		delete(p.elements, r)
		if ofKey.Len() == 0 {
			delete(p.byAge, r.owner)
		}
	}
}

// isOldest reports whether no other reservation of the key has used memory for longer.
func (p *pool) isOldest(r *Reservation) bool {
	ofKey := p.byAge[r.owner]
	return ofKey == nil || ofKey.Front() == p.elements[r]
}

// decision is the outcome of a request for memory.
type decision int

const (
	granted decision = iota
	pending          // may be granted when memory is released
	denied
)

// decide reports whether a Reservation may use n more bytes. While more than half of the memory would be used, it
// evicts slow reservations, and only the oldest reservation of a key may exceed the limit of the key, so that those
// of one key cannot deadlock.
func (p *pool) decide(r *Reservation, n int64, now time.Time) decision {
	of := p.accounts(r.owner)
	p.evictSlow(r, of.node, n, now)
	p.evictSlow(r, of.org, n, now)
	for _, a := range []*account{of.node, of.org} {
		if a.used-a.evicting+n > a.limit {
			return denied
		}
		if a.used+n > a.limit {
			return pending // until the evicted ones are released
		}
	}
	if (of.node.exceedsHalf(n) || of.org.exceedsHalf(n)) && of.key.used+n > of.key.limit && !p.isOldest(r) {
		return pending
	}
	return granted
}

// searchInterval is the time between searches for slow reservations when there are too few of them.
const searchInterval = time.Second / 4

// evictSlow evicts the slowest reservations of an account until n more bytes would leave half of it free, or no slow
// one is left. The account is that of the node or of r's organisation; r is not evicted.
func (p *pool) evictSlow(r *Reservation, a *account, n int64, now time.Time) {
	excess := a.used - a.evicting + n - a.limit/2
	if excess <= 0 || now.Sub(a.searchedAt) < searchInterval {
		return
	}
	for _, other := range p.slowest(r, a == &p.node, now) {
		if excess <= 0 {
			return
		}
		excess -= other.used
		other.evict()
	}
	a.searchedAt = now
}

// slowest returns the slow reservations of r's organisation, or of all, without r, the slowest first.
func (p *pool) slowest(r *Reservation, ofAll bool, now time.Time) []*Reservation {
	var slow []*Reservation
	for other := range p.elements {
		if other != r && (ofAll || other.owner.org == r.owner.org) && other.isSlow(now) {
			slow = append(slow, other)
		}
	}
	slices.SortFunc(slow, func(a, b *Reservation) int {
		return cmp.Compare(a.rate.perSecond(now),
			b.rate.perSecond(now))
	})
	return slow
}

// isSlow reports whether a Reservation may be evicted.
func (r *Reservation) isSlow(now time.Time) bool {
	return r.transferring && !r.waiting && r.err == nil && now.Sub(r.rate.since) >= grace &&
		r.rate.perSecond(now) < minRate
}

// rate measures the bytes that were transferred in the last minute.
type rate struct {
	since time.Time
	slots [12]int64 // bytes of slotTime each, as a ring
	last  int64     // number of the current slot
}

const slotTime = 5 * time.Second

func (r *rate) add(n int64, now time.Time) {
	r.advance(now)
	r.slots[r.last%int64(len(r.slots))] += n
}

// advance moves to the current slot, and clears those that are older than a minute.
func (r *rate) advance(now time.Time) {
	current := int64(now.Sub(r.since) / slotTime)
	r.last = max(r.last, current-int64(len(r.slots)))
	for r.last < current {
		r.last++
		r.slots[r.last%int64(len(r.slots))] = 0
	}
}

func (r *rate) perSecond(now time.Time) float64 {
	r.advance(now)
	sum, span := int64(0), now.Sub(r.since)
	for _, n := range r.slots {
		sum += n
	}
	if most := time.Duration(len(r.slots)-1)*slotTime + span%slotTime; span > most {
		span = most
	}
	return float64(sum) / max(span.Seconds(), 1)
}

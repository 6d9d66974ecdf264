package admission

import (
	"cmp"
	"container/list"
	"slices"
	"time"
)

// owner is who sends a body. The command line has no key.
type owner struct{ org, key string }

// account is what a node, an organisation or a key uses of its limit. ending is the part that is
// about to be free, because its bodies were ended.
type account struct {
	limit, used, ending int64
	searched            time.Time // when no slow body was left in it
}

// crowded says whether more than half would be used with n more bytes.
func (a *account) crowded(n int64) bool { return a.used+n > a.limit/2 }

// pool is memory that bodies share.
type pool struct {
	node    account
	orgs    map[string]*account
	keys    map[owner]*account
	bodies  map[owner]*list.List           // what uses memory, the oldest first
	at      map[*Reservation]*list.Element // where in bodies
	waiting map[owner]int
	changed chan struct{} // closed when memory becomes free
}

func newPool(limit int64) *pool {
	return &pool{node: account{limit: limit}, orgs: map[string]*account{}, keys: map[owner]*account{}, bodies: map[owner]*list.List{},
		at: map[*Reservation]*list.Element{}, waiting: map[owner]int{}, changed: make(chan struct{})}
}

// accounts returns those of the node, an organisation and a key.
func (p *pool) accounts(o owner) [3]*account {
	all := [3]*account{&p.node, p.orgs[o.org], p.keys[o]}
	if all[1] == nil {
		all[1] = &account{limit: p.node.limit / 2}
	}
	if all[2] == nil {
		all[2] = &account{limit: p.node.limit / 8}
	}
	return all
}

// add changes what a Reservation uses by n bytes. Accounts that use nothing are forgotten.
func (p *pool) add(r *Reservation, n int64) {
	all := p.accounts(r.owner)
	for _, a := range all {
		a.used += n
		if r.err != nil {
			a.ending += n
		}
	}
	if p.orgs[r.owner.org] = all[1]; all[1].used == 0 {
		delete(p.orgs, r.owner.org)
	}
	if p.keys[r.owner] = all[2]; all[2].used == 0 {
		delete(p.keys, r.owner)
	}
	r.used += n
	p.list(r)
	if n < 0 && len(p.waiting) > 0 {
		close(p.changed)
		p.changed = make(chan struct{})
	}
}

// list keeps a Reservation among the bodies of its key while it uses memory.
func (p *pool) list(r *Reservation) {
	bodies, at := p.bodies[r.owner], p.at[r]
	switch {
	case r.used > 0 && at == nil:
		if bodies == nil {
			bodies = list.New()
			p.bodies[r.owner] = bodies
		}
		p.at[r] = bodies.PushBack(r)
	case r.used == 0 && at != nil:
		bodies.Remove(at)
		delete(p.at, r)
		if bodies.Len() == 0 {
			delete(p.bodies, r.owner)
		}
	}
}

// oldest says whether nothing else of the key uses memory for longer.
func (p *pool) oldest(r *Reservation) bool {
	bodies := p.bodies[r.owner]
	return bodies == nil || bodies.Front() == p.at[r]
}

// verdict is whether bytes are given, or may be in a moment.
type verdict int

const (
	given verdict = iota
	waits
	refused
)

// judge says whether a Reservation may use n more bytes. While more than half of the memory would be
// used, it ends slow bodies, and lets only the oldest body of a key go beyond the key's limit: so the
// bodies of a key never wait for each other in a circle.
func (p *pool) judge(r *Reservation, n int64, now time.Time) verdict {
	all := p.accounts(r.owner)
	node, org, key := all[0], all[1], all[2]
	p.endSlow(r, node, n, now)
	p.endSlow(r, org, n, now)
	for _, a := range []*account{node, org} {
		if a.used-a.ending+n > a.limit {
			return refused
		}
		if a.used+n > a.limit {
			return waits
		}
	}
	if (node.crowded(n) || org.crowded(n)) && key.used+n > key.limit && !p.oldest(r) {
		return waits
	}
	return given
}

// endSlow ends the slowest bodies of an account until n more bytes leave half of it free, or no slow one
// is left.
func (p *pool) endSlow(r *Reservation, a *account, n int64, now time.Time) {
	excess := a.used - a.ending + n - a.limit/2
	if excess <= 0 || now.Sub(a.searched) < time.Second/4 {
		return
	}
	var slow []*Reservation
	for other := range p.at {
		if other != r && (a == &p.node || other.owner.org == r.owner.org) && other.slow(now) {
			slow = append(slow, other)
		}
	}
	slices.SortFunc(slow, func(a, b *Reservation) int { return cmp.Compare(a.rate.perSecond(now), b.rate.perSecond(now)) })
	for _, other := range slow {
		if excess <= 0 {
			return
		}
		excess -= other.used
		other.end()
	}
	a.searched = now
}

// slow says whether a body may be ended.
func (r *Reservation) slow(now time.Time) bool {
	return r.arriving && !r.waiting && r.err == nil && now.Sub(r.rate.since) >= grace && r.rate.perSecond(now) < minRate
}

// rate is how much arrived in the last minute.
type rate struct {
	since time.Time
	slots [12]int64 // of five seconds each
	last  int64     // the slot that counts now
}

const slotTime = 5 * time.Second

func (w *rate) add(n int64, now time.Time) {
	w.forget(now)
	w.slots[w.last%int64(len(w.slots))] += n
}

// forget clears what is older than a minute.
func (w *rate) forget(now time.Time) {
	current := int64(now.Sub(w.since) / slotTime)
	w.last = max(w.last, current-int64(len(w.slots)))
	for w.last < current {
		w.last++
		w.slots[w.last%int64(len(w.slots))] = 0
	}
}

func (w *rate) perSecond(now time.Time) float64 {
	w.forget(now)
	sum, span := int64(0), now.Sub(w.since)
	for _, n := range w.slots {
		sum += n
	}
	if most := time.Duration(len(w.slots)-1)*slotTime + span%slotTime; span > most {
		span = most
	}
	return float64(sum) / max(span.Seconds(), 1)
}

package evidence

import (
	"fmt"

	"bugslice/api"
)

// Bounds of the repairs that an answer lists.
const (
	maxListed = 20 // places of each code in one set; further ones are counted together
	maxPlaces = 100
)

// repairs lists what of a set is stored otherwise than it was sent.
type repairs struct {
	list   string // the pointer to the list of entries
	all    []api.Repair
	listed map[api.RepairCode]int
}

// add lists n repairs at a pointer. Beyond maxListed they are counted at the list of entries.
func (r *repairs) add(pointer string, code api.RepairCode, n int, detail string) {
	if n == 0 {
		return
	}
	if r.listed == nil {
		r.listed = map[api.RepairCode]int{}
	}
	if r.listed[code]++; r.listed[code] <= maxListed {
		r.all = append(r.all, api.Repair{Pointer: pointer, Code: code, Count: int64(n), Detail: detail})
		return
	}
	for i := range r.all {
		if r.all[i].Pointer == r.list && r.all[i].Code == code {
			r.all[i].Count += int64(n)
			return
		}
	}
	r.all = append(r.all, api.Repair{Pointer: r.list, Code: code, Count: int64(n), Detail: "further ones"})
}

// entry returns the pointer to the entry with an index.
func (r *repairs) entry(i int) string { return fmt.Sprintf("%s/%d", r.list, i) }

// characters lists characters that were replaced.
func (r *repairs) characters(pointer string, n int) {
	r.add(pointer, api.RepairCharacters, n,
		"U+0000, halves of surrogate pairs and invalid UTF-8 were replaced by U+FFFD")
}

// below returns the repairs with pointers below another one.
func below(pointer string, all []api.Repair) (out []api.Repair) {
	for _, r := range all {
		r.Pointer = pointer + r.Pointer
		out = append(out, r)
	}
	return out
}

// Repairs returns the repairs of a request and of its sets, at most maxPlaces.
func Repairs(before []api.Repair, sets []Set) []api.Repair {
	all := before
	for _, s := range sets {
		all = append(all[:len(all):len(all)], s.Repairs...)
	}
	return all[:min(len(all), maxPlaces)]
}

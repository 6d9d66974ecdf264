package proofofwork

// Keys returns the number of keys that are known.
func (r *Rate) Keys() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.keys)
}

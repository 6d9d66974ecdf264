package reporttext

// truncate returns at most limit characters of a text.
func truncate(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i]
		}
	}
	return s
}

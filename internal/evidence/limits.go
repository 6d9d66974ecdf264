package evidence

// Limits of one set.
const (
	MaxBytes    = 16 << 20      // of a set in a request
	maxStored   = 32 << 20      // of a set without its secrets, whose replacements may be longer
	maxRead     = 4 * maxStored // of a set that an earlier version stored
	maxUnpacked = 8 << 20       // of the packed events of a replay, together
	maxRows     = 50_000
)

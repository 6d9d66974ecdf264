package reporttext

// Evidence is what was read of a kind of evidence of an occurrence.
type Evidence struct {
	Kind    Kind
	Read    []Highlights // by set
	Around  []Highlight  // lines of other rows, which belong to failures
	Rows    int64        // of these sets
	Skipped int          // sets that are too many to be read
	Away    bool         // whether the storage of files cannot be reached
}

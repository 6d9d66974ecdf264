package api

// BatchUpdateSlices changes slices, each by its own JSON Merge Patch.
type BatchUpdateSlices struct {
	Returns[BatchResults]
	Idempotency
	Body BatchUpdate
}

// BatchUpdate is the body of BatchUpdateSlices.
type BatchUpdate struct {
	// From 1 to 100 changes. Each names another slice.
	Items []BatchUpdateItem `json:"items" create:"required" minItems:"1" maxItems:"100"`
}

// BatchUpdateItem is a change of one slice.
type BatchUpdateItem struct {
	// The id of the slice, or its reference.
	ID string `json:"id" create:"required" minLength:"1" maxLength:"100" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The ETag on which the change is based, as in If-Match. Its quotes may be left out.
	// Example: "3"
	IfMatch string `json:"ifMatch" minLength:"1" maxLength:"255"`
	// The version of the slice on which the change is based. The item is refused with 412 when one of the members of
	// its patch was changed after that version, or may have been: of more than 20 changes the older ones are not
	// looked at. Changes of other members do not matter. The members status, resolution and duplicateOfId count as
	// one, because they depend on each other.
	BaseVersion *int64 `json:"baseVersion" minimum:"0" example:"null"`
	// The change, as in the body of the single operation. A fault in it is the problem of this item alone.
	Patch SlicePatch `json:"patch" create:"required"`
	// Labels that the slice gets beside those that it has, whatever their version. The patch then has no labels. A
	// fault in them is the problem of this item alone, as one of the member labels.
	AddLabels []string `json:"addLabels" maxItems:"50"`
	// Labels that the slice loses. One that it does not have is ignored.
	RemoveLabels []string `json:"removeLabels" maxItems:"50"`
}

// Size returns the number of the items.
func (b BatchUpdateSlices) Size() int { return len(b.Body.Items) }

// BatchDeleteSlices deletes slices.
type BatchDeleteSlices struct {
	Returns[BatchResults]
	Idempotency
	Body BatchDelete
}

// BatchDelete is the body of BatchDeleteSlices.
type BatchDelete struct {
	// From 1 to 100 deletions. Each names another slice.
	Items []BatchDeleteItem `json:"items" create:"required" minItems:"1" maxItems:"100"`
}

// BatchDeleteItem is the deletion of one slice.
type BatchDeleteItem struct {
	// The id of the slice, or its reference.
	ID string `json:"id" create:"required" minLength:"1" maxLength:"100" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The ETag on which the deletion is based, as in If-Match. Its quotes may be left out.
	// Example: "3"
	IfMatch string `json:"ifMatch" minLength:"1" maxLength:"255"`
}

// Size returns the number of the items.
func (b BatchDeleteSlices) Size() int { return len(b.Body.Items) }

// BatchRestoreSlices restores deleted slices.
type BatchRestoreSlices struct {
	Returns[BatchResults]
	Idempotency
	Body BatchRestore
}

// BatchRestore is the body of BatchRestoreSlices.
type BatchRestore struct {
	// From 1 to 100 slices, each once.
	Items []BatchRestoreItem `json:"items" create:"required" minItems:"1" maxItems:"100"`
}

// BatchRestoreItem names one deleted slice.
type BatchRestoreItem struct {
	// The id of the slice, or its reference.
	ID string `json:"id" create:"required" minLength:"1" maxLength:"100" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
}

// Size returns the number of the items.
func (b BatchRestoreSlices) Size() int { return len(b.Body.Items) }

// BatchResults has the result of each item of a batch, in the order of the items.
type BatchResults struct {
	Results []BatchResult `json:"results"`
}

// BatchResult is the result of one item of a batch.
type BatchResult struct {
	// The id of the item, as it was sent.
	ID string `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The status with which the single operation would respond.
	Status int `json:"status" minimum:"200" maximum:"599" example:"200"`
	// The slice after the change; null after a deletion, and with a problem.
	Slice *Slice `json:"slice"`
	// Whether the item changed the slice: false when it was so already, and with a problem.
	Changed bool `json:"changed" example:"true"`
	// Why the item was refused; null when it was not.
	Problem *Problem `json:"problem" example:"null"`
}

// Batch is the input of an operation on several records. It counts as one request for each of them.
type Batch interface{ Size() int }

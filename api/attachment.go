package api

// AttachmentKind says what an attachment shows.
type AttachmentKind string

// The kinds.
const (
	KindScreenshot AttachmentKind = "screenshot"
	KindVideo      AttachmentKind = "video"
	KindConsole    AttachmentKind = "console"
	KindNetwork    AttachmentKind = "network"
	KindActions    AttachmentKind = "actions"
	KindReplay     AttachmentKind = "replay"
	KindLog        AttachmentKind = "log"
	KindOther      AttachmentKind = "other"
)

// Values lists the kinds.
func (AttachmentKind) Values() []string {
	return []string{"screenshot", "video", "console", "network", "actions", "replay", "log", "other"}
}

// Attachment is a file of a slice.
type Attachment struct {
	ID      string `json:"id" example:"att_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	SliceID string `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	AttachmentFields
	// What it was found to be, whatever it was sent as.
	ContentType string `json:"contentType" example:"image/png"`
	// In bytes, as it is read back.
	Size int64 `json:"size" minimum:"0" example:"184320"`
	// Of what is read back, in hexadecimal.
	SHA256 string `json:"sha256" minLength:"64" maxLength:"64" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	// Of an image, in pixels.
	Width *int64 `json:"width" minimum:"1" example:"1440"`
	// Of an image, in pixels.
	Height *int64 `json:"height" minimum:"1" example:"812"`
	// Where its bytes are.
	URL string `json:"url" example:"https://bugs.example.com/v1/attachments/att_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// Where a small picture of it is; null when there is none.
	Thumbnail *string  `json:"thumbnail"`
	Creator   Reporter `json:"creator"`
	CreatedAt Time     `json:"createdAt"`
}

// AttachmentFields are the members of an attachment that clients write.
type AttachmentFields struct {
	// Inferred when it is not said.
	Kind AttachmentKind `json:"kind" grows:"true" example:"screenshot"`
	Name string         `json:"name" redact:"text" minLength:"1" maxLength:"255" pattern:"^[^/\\\\\\x00-\\x1f\\x7f]+$" example:"cart.png"`
}

// ListAttachments asks for the attachments of a slice, oldest first.
type ListAttachments struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
	// Only attachments of these kinds.
	Kind []AttachmentKind `query:"kind"`
}

// CreateAttachment adds a file to a slice. The file is the body, or a part of it.
type CreateAttachment struct {
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
	// What it shows; inferred when left out.
	Kind AttachmentKind `query:"kind"`
	// Its name; that of the part or of Content-Disposition when left out.
	Name string `query:"name" maxLength:"255"`
	// attachment; filename="…" names a body that is the file itself.
	Disposition string `header:"Content-Disposition" json:"-" maxLength:"1000"`
	// sha-256=:…: (RFC 9530). A body that is not what it says is refused.
	ContentDigest string `header:"Content-Digest" json:"-" maxLength:"1000"`
}

// GetAttachment asks for the bytes of an attachment.
type GetAttachment struct {
	AttachmentID string `path:"attachmentId" id:"att"`
}

// GetThumbnail asks for a small picture of an attachment.
type GetThumbnail struct {
	AttachmentID string `path:"attachmentId" id:"att"`
}

// UpdateAttachment changes the name or the kind of an attachment.
type UpdateAttachment struct {
	AttachmentID string `path:"attachmentId" id:"att"`
	Patch        Patch[AttachmentFields]
}

// DeleteAttachment removes an attachment.
type DeleteAttachment struct {
	AttachmentID string `path:"attachmentId" id:"att"`
}

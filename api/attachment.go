package api

import "reflect"

// AttachmentKind says what an attachment contains.
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
	return names(KindScreenshot, KindVideo, KindConsole, KindNetwork, KindActions, KindReplay, KindLog, KindOther)
}

// FileMetadata says what became of the metadata of a file, such as the position where a picture was taken, times,
// names and serial numbers.
type FileMetadata string

// The states of the metadata of a file. A file whose format is not known, that is damaged, or that was stored before
// metadata was removed, is unknown.
const (
	MetadataRemoved FileMetadata = "removed"
	MetadataNone    FileMetadata = "none"
	MetadataKept    FileMetadata = "kept"
	MetadataUnknown FileMetadata = "unknown"
)

// Values lists the states.
func (FileMetadata) Values() []string {
	return names(MetadataRemoved, MetadataNone, MetadataKept, MetadataUnknown)
}

// Attachment is a file of a slice.
type Attachment struct {
	ID      string `json:"id" example:"att_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	SliceID string `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	AttachmentFields
	// The number of the report of the bug to which the file belongs.
	Occurrence int64 `json:"occurrence" minimum:"1" example:"1"`
	// The media type, detected from the content. The declared media type only distinguishes kinds of text.
	ContentType string `json:"contentType" example:"image/png"`
	// The size of the stored file in bytes.
	Size int64 `json:"size" minimum:"0" example:"184320"`
	// The SHA-256 of the stored file in hexadecimal.
	SHA256 string `json:"sha256" minLength:"64" maxLength:"64" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	// The width of an image in pixels.
	Width *int64 `json:"width" minimum:"1" example:"1440"`
	// The height of an image in pixels.
	Height *int64 `json:"height" minimum:"1" example:"812"`
	// The address of the file.
	URL string `json:"url" example:"https://bugs.example.com/v1/attachments/att_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The address of the thumbnail; null when there is none.
	Thumbnail *string `json:"thumbnail"`
	// The metadata of a picture or a video: removed when the file was stored, kept by a setting of the workspace, or
	// none. It is unknown when the file may have some that could not be removed.
	Metadata FileMetadata `json:"metadata" grows:"true" example:"removed"`
	// When somebody has said that a screenshot or a video shows no secret; null for never.
	ReviewedAt *Time `json:"reviewedAt"`
	// Who has said so; null for nobody.
	ReviewedBy *Reporter `json:"reviewedBy"`
	Creator    Reporter  `json:"creator"`
	CreatedAt  Time      `json:"createdAt"`
	// What of captured evidence was invalid and is stored otherwise or not at all; at most 100 places. Only the
	// answer to the request that created the attachment has it.
	Repairs []Repair `json:"repairs,omitzero"`
}

// AttachmentFields are the members of an attachment that clients write.
type AttachmentFields struct {
	// What the file contains; detected by default.
	Kind AttachmentKind `json:"kind" grows:"true" example:"screenshot"`
	// Whether somebody has looked at a screenshot or a video and found no secret. Pixels are not redacted. It is false for a
	// new one, unless it replaces another.
	Reviewed bool   `json:"reviewed" example:"false"`
	Name     string `json:"name" redact:"text" minLength:"1" maxLength:"255" pattern:"^[^/\\\\\\x00-\\x1f\\x7f]+$" example:"cart.png"`
}

// AttachmentPatch is a merge patch of an attachment.
type AttachmentPatch map[string]any

// Of returns the type whose members the patch changes.
func (AttachmentPatch) Of() reflect.Type { return reflect.TypeFor[AttachmentFields]() }

// ListAttachments returns the attachments of a slice, oldest first.
type ListAttachments struct {
	Returns[Page[Attachment]]
	Paging
	SliceID string `path:"sliceId" id:"slc"`
	// Only attachments of these kinds.
	Kind []AttachmentKind `query:"kind"`
	// Only attachments of the report with this number.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
}

// CreateAttachment adds a file to a slice. The file is the body, or a part of it.
type CreateAttachment struct {
	Returns[Attachment]
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
	// What the file contains; detected by default.
	Kind AttachmentKind `query:"kind"`
	// The name of the file; by default the filename of the part or of Content-Disposition.
	Name string `query:"name" maxLength:"255"`
	// The number of the report of the bug to which the file belongs; the newest one by default.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
	// The id of a screenshot of the same report, which the file, another screenshot, replaces: it is deleted in the
	// same transaction. The file belongs to its occurrence.
	Replaces string `query:"replaces" id:"att"`
	// attachment; filename="…" names the file when the body is the file itself.
	Disposition string `header:"Content-Disposition" json:"-" maxLength:"1000"`
	// sha-256=:…: is the digest of the body (RFC 9530). A body with another digest is refused.
	ContentDigest string `header:"Content-Digest" json:"-" maxLength:"1000"`
}

// GetAttachment returns the bytes of an attachment.
type GetAttachment struct {
	Returns[Bytes]
	AttachmentID string `path:"attachmentId" id:"att"`
}

// GetThumbnail returns the thumbnail of an attachment.
type GetThumbnail struct {
	Returns[Bytes]
	AttachmentID string `path:"attachmentId" id:"att"`
}

// UpdateAttachment changes the name or the kind of an attachment, or says that it was reviewed.
type UpdateAttachment struct {
	Returns[Attachment]
	AttachmentID string `path:"attachmentId" id:"att"`
	Patch        AttachmentPatch
}

// DeleteAttachment deletes an attachment.
type DeleteAttachment struct {
	Returns[Nothing]
	AttachmentID string `path:"attachmentId" id:"att"`
}

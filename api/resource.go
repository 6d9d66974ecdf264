package api

import "strconv"

// Versioned is a record with an entity tag, which changes with every change of the record.
type Versioned interface{ ETag() string }

// Located is a record that can be created. Location returns the path of its URL.
type Located interface{ Location() string }

// FoundOrCreated is a record that a creation may find instead of creating it.
type FoundOrCreated interface{ Existing() bool }

// Paged is a page of a list.
type Paged interface{ PageInfo() Pagination }

// ETag returns the entity tag of a version.
func ETag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// ETag returns the entity tag of the slice.
func (s Slice) ETag() string { return ETag(s.Version) }

// Location returns the path of the slice.
func (s Slice) Location() string { return "/v1/slices/" + s.ID }

// ETag returns the entity tag of the view.
func (v View) ETag() string { return ETag(v.Version) }

// Location returns the path of the view.
func (v View) Location() string { return "/v1/views/" + v.ID }

// ETag returns the entity tag of the workspace.
func (w Workspace) ETag() string { return ETag(w.Version) }

// Location returns the path of the workspace.
func (w Workspace) Location() string { return "/v1/workspaces/" + w.ID }

// ETag returns the entity tag of the space.
func (s Space) ETag() string { return ETag(s.Version) }

// Location returns the path of the space.
func (s Space) Location() string { return "/v1/workspaces/" + s.WorkspaceID + "/spaces/" + s.ID }

// Location returns the path of the attachment.
func (a Attachment) Location() string { return "/v1/attachments/" + a.ID }

// Location returns the path of the comment.
func (c Comment) Location() string { return "/v1/comments/" + c.ID }

// Location returns the path of the share.
func (s Share) Location() string { return "/v1/shares/" + s.ID }

// Location returns the path of the API key.
func (k Key) Location() string { return "/v1/api-keys/" + k.ID }

// ETag returns the entity tag of the webhook.
func (w Webhook) ETag() string { return ETag(w.Version) }

// Location returns the path of the webhook.
func (w Webhook) Location() string { return "/v1/webhooks/" + w.ID }

// ETag returns the entity tag of the source.
func (s Source) ETag() string { return ETag(s.Version) }

// Location returns the path of the source.
func (s Source) Location() string { return "/v1/sources/" + s.ID }

// PageInfo returns the position of the page in its list.
func (p Page[T]) PageInfo() Pagination { return p.Pagination }

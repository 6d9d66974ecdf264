package api

import (
	"maps"
	"reflect"
)

// A merge patch (RFC 7396) is a JSON object: a member that is absent stays, null removes, and any other value replaces. Each
// type of patch has a method for each member, which returns the patch with the member set. nil is null:
//
//	api.SlicePatch{}.Status(api.Resolved).AssigneeID(nil)
//
// The service validates the members of a patch by the type that Of returns.
type (
	// SlicePatch changes a slice.
	SlicePatch map[string]any
	// AttachmentPatch changes an attachment.
	AttachmentPatch map[string]any
	// CommentPatch changes a comment.
	CommentPatch map[string]any
	// ViewPatch changes a view.
	ViewPatch map[string]any
	// WorkspacePatch changes a workspace.
	WorkspacePatch map[string]any
	// SpacePatch changes a space.
	SpacePatch map[string]any
	// WebhookPatch changes a webhook.
	WebhookPatch map[string]any
)

// Of returns the type whose members the patch changes.
func (SlicePatch) Of() reflect.Type { return reflect.TypeFor[SliceFields]() }

// Of returns the type whose members the patch changes.
func (AttachmentPatch) Of() reflect.Type { return reflect.TypeFor[AttachmentFields]() }

// Of returns the type whose members the patch changes.
func (CommentPatch) Of() reflect.Type { return reflect.TypeFor[CommentFields]() }

// Of returns the type whose members the patch changes.
func (ViewPatch) Of() reflect.Type { return reflect.TypeFor[ViewFields]() }

// Of returns the type whose members the patch changes.
func (WorkspacePatch) Of() reflect.Type { return reflect.TypeFor[WorkspaceFields]() }

// Of returns the type whose members the patch changes.
func (SpacePatch) Of() reflect.Type { return reflect.TypeFor[SpaceFields]() }

// Of returns the type whose members the patch changes.
func (WebhookPatch) Of() reflect.Type { return reflect.TypeFor[WebhookFields]() }

// with returns a copy of a patch with a member.
func with[P ~map[string]any](patch P, name string, value any) P {
	next := maps.Clone(patch)
	if next == nil {
		next = P{}
	}
	next[name] = value
	return next
}

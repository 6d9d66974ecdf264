package api

import "reflect"

// View is a query of slices that is saved under a name.
type View struct {
	ID string `json:"id" example:"viw_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The workspace whose members see the view; null for a view of the caller alone.
	WorkspaceID *string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	ViewFields
	// Increases with every change. The ETag is made from it.
	Version   int64 `json:"version" minimum:"1" example:"1"`
	CreatedAt Time  `json:"createdAt"`
	UpdatedAt Time  `json:"updatedAt"`
}

// ViewFields are the members of a view that clients write.
type ViewFields struct {
	Name string `json:"name" create:"required" minLength:"1" maxLength:"60" pattern:"\\S" name:"true" example:"Open in checkout"`
	// The text of the search box of the web application: words such as status:open and free words. An empty text
	// selects every slice.
	Query string `json:"query" create:"required" maxLength:"2000" example:"status:open label:checkout" untrusted:"true"`
}

// ViewPatch is a merge patch of a view.
type ViewPatch map[string]any

// Of returns the type whose members the patch changes.
func (ViewPatch) Of() reflect.Type { return reflect.TypeFor[ViewFields]() }

// NewView is the body of CreateView.
type NewView struct {
	// The workspace whose members see the view; null for a view of the caller alone. A WST has views of its workspace
	// only.
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true"`
	ViewFields
}

// ListViews returns the views of workspaces and those of the caller alone, oldest first.
type ListViews struct {
	Returns[Page[View]]
	Paging
	// Without views of other workspaces. The views of the caller alone are always listed.
	WorkspaceID string `query:"workspaceId"`
}

// CreateView saves a query.
type CreateView struct {
	Returns[View]
	Idempotency
	Body NewView
}

// UpdateView changes a view by a JSON Merge Patch.
type UpdateView struct {
	Returns[View]
	ViewID string `path:"viewId" id:"viw"`
	// The ETag on which the change is based. When the view has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
	Patch   ViewPatch
}

// DeleteView deletes a view.
type DeleteView struct {
	Returns[Nothing]
	ViewID string `path:"viewId" id:"viw"`
	// The ETag on which the deletion is based. When the view has another one, the status is 412 and nothing changes.
	IfMatch string `header:"If-Match"`
}

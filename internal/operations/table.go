package operations

import (
	"bugslice/api"
	"bugslice/internal/tracker"
)

// All returns every operation, in the order of api.Operations.
func All(t *tracker.Tracker) []Operation {
	return []Operation{
		returnsRecord(t.GetMe),
		returnsRecord(t.ListWorkspaces),
		returnsRecord(t.CreateWorkspace),
		returnsRecord(t.GetWorkspace),
		returnsRecord(t.UpdateWorkspace),
		returnsRecord(t.ListMembers),
		returnsRecord(t.ListSpaces),
		returnsRecord(t.CreateSpace),
		returnsRecord(t.ListSlices),
		returnsRecord(t.CreateSlice),
		withText(returnsRecord(t.GetSlice), t.Markdown),
		returnsRecord(t.UpdateSlice),
		returnsRecord(t.DeleteSlice),
		returnsRecord(t.RestoreSlice),
		returnsRecord(t.ListOccurrences),
		returnsRecord(t.ListAttachments),
		storesFile(t.CreateAttachment),
		returnsFile(t.ReadAttachment, attachment),
		returnsFile(t.ReadThumbnail, thumbnail),
		returnsRecord(t.UpdateAttachment),
		returnsRecord(t.DeleteAttachment),
		returnsRecord(t.ListConsole),
		returnsRecord(t.ListNetwork),
		writesJSON[api.Archive](t.GetArchive),
		returnsRecord(t.ListActions),
		writesJSON[api.Replay](t.GetReplay),
		returnsRecord(t.DryRun),
		returnsRecord(t.ListComments),
		returnsRecord(t.CreateComment),
		returnsRecord(t.UpdateComment),
		returnsRecord(t.DeleteComment),
		returnsRecord(t.ListActivity),
		returnsRecord(t.ListSimilar),
		returnsRecord(t.ListKeys),
		returnsRecord(t.CreateKey),
		returnsRecord(t.GetKey),
		returnsRecord(t.RevokeSelf),
		returnsRecord(t.RevokeKey),
		returnsRecord(t.RotateKey),
		withEvents(returnsRecord(t.ListEvents), t.StreamEvents),
		returnsRecord(t.ListWebhooks),
		returnsRecord(t.CreateWebhook),
		returnsRecord(t.GetWebhook),
		returnsRecord(t.UpdateWebhook),
		returnsRecord(t.DeleteWebhook),
		returnsRecord(t.EnableWebhook),
		returnsRecord(t.RotateSecret),
		returnsRecord(t.TestWebhook),
		returnsRecord(t.ListDeliveries),
		returnsRecord(t.RecoverDeliveries),
		returnsRecord(t.GetDelivery),
		returnsRecord(t.Redeliver),
	}
}

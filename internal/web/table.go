package web

import (
	"net/http"
	"regexp"

	"bugslice/internal/web/page"
	"bugslice/internal/web/pages/agents"
	"bugslice/internal/web/pages/audit"
	"bugslice/internal/web/pages/authenticator"
	"bugslice/internal/web/pages/card"
	"bugslice/internal/web/pages/consent"
	"bugslice/internal/web/pages/delivery"
	"bugslice/internal/web/pages/device"
	"bugslice/internal/web/pages/email"
	"bugslice/internal/web/pages/endedkeys"
	"bugslice/internal/web/pages/erasure"
	"bugslice/internal/web/pages/files"
	"bugslice/internal/web/pages/forgot"
	"bugslice/internal/web/pages/inbox"
	"bugslice/internal/web/pages/invitation"
	"bugslice/internal/web/pages/invite"
	"bugslice/internal/web/pages/key"
	"bugslice/internal/web/pages/keys"
	"bugslice/internal/web/pages/login"
	"bugslice/internal/web/pages/mail"
	"bugslice/internal/web/pages/mailstop"
	"bugslice/internal/web/pages/my"
	"bugslice/internal/web/pages/newfiles"
	"bugslice/internal/web/pages/newkey"
	"bugslice/internal/web/pages/newpasskey"
	"bugslice/internal/web/pages/newreport"
	"bugslice/internal/web/pages/newsource"
	"bugslice/internal/web/pages/newwebhook"
	"bugslice/internal/web/pages/newworkspace"
	"bugslice/internal/web/pages/notifications"
	"bugslice/internal/web/pages/overview"
	"bugslice/internal/web/pages/passkey"
	"bugslice/internal/web/pages/people"
	"bugslice/internal/web/pages/person"
	"bugslice/internal/web/pages/policies"
	"bugslice/internal/web/pages/profile"
	"bugslice/internal/web/pages/provider"
	"bugslice/internal/web/pages/recording"
	"bugslice/internal/web/pages/recoverycodes"
	"bugslice/internal/web/pages/redaction"
	"bugslice/internal/web/pages/replay"
	"bugslice/internal/web/pages/report"
	"bugslice/internal/web/pages/reporter"
	"bugslice/internal/web/pages/reportererase"
	"bugslice/internal/web/pages/reports"
	"bugslice/internal/web/pages/reset"
	"bugslice/internal/web/pages/search"
	"bugslice/internal/web/pages/secondstep"
	"bugslice/internal/web/pages/security"
	"bugslice/internal/web/pages/setup"
	"bugslice/internal/web/pages/share"
	"bugslice/internal/web/pages/shared"
	"bugslice/internal/web/pages/shares"
	"bugslice/internal/web/pages/signinsettings"
	"bugslice/internal/web/pages/source"
	"bugslice/internal/web/pages/sources"
	"bugslice/internal/web/pages/tests"
	"bugslice/internal/web/pages/waiting"
	"bugslice/internal/web/pages/watching"
	"bugslice/internal/web/pages/webhook"
	"bugslice/internal/web/pages/webhooks"
	"bugslice/internal/web/pages/workspace"
)

// visitor says who may see a page. The operations behind it authorise on their own.
type visitor int

const (
	anyone   visitor = iota
	user             // somebody who is signed in
	withLink         // who has the link of a share. No cookie is read or set, so a session makes no difference
	withPage         // who has the address of the page of a report, as its reporter does: as withLink, with forms
)

// hasAddress reports whether the secret address of a page is the right to see it.
func (v visitor) hasAddress() bool { return v == withLink || v == withPage }

// scope says which workspaces a page shows.
type scope int

const (
	noWorkspace  scope = iota // what belongs to no workspace
	oneWorkspace              // the one that ?workspace= names
	anyWorkspace              // the one that ?workspace= names, and without it all of the user
)

// audience says who of those who see its workspace may see a page. The pages of others do not offer it.
type audience int

const (
	everybody       audience = iota
	workspaceAdmins          // the admins of its workspace
	auditors                 // the admins of the organisation, and of any workspace
	managers                 // the owners and the admins of the organisation
)

// row is a page. A path without a row is not served.
type row struct {
	path      string
	access    visitor
	scope     scope
	audience  audience
	form      *regexp.Regexp    // of the path, where its pattern says too little; nil otherwise
	files     bool              // whether its form may have files and a long text
	reads     bool              // whether its post stores nothing
	streams   bool              // whether its answer is written while it is read
	raw       bool              // whether its answer is no page, but a file or data. A script that asks for a page is refused
	setsUp    bool              // whether a session opens it that must get a second factor first
	events    bool              // whether its answer is a stream of events, which is not compressed
	headers   func(http.Header) // changes the headers of every page; nil for a page without headers of its own
	get, post page.Handler      // nil for a method that is refused
}

// filesOf is the form of the path to add files to a report.
var filesOf = regexp.MustCompile(`^/new/[A-Za-z][A-Za-z0-9]{1,5}-[1-9][0-9]{0,12}/files$`)

// table has a row for each page.
var table = []row{
	{path: "/{$}", access: user, get: leadTo("/my")},
	{path: "/login", access: anyone, get: login.Show, post: login.SignIn},
	{path: "/login/passkey", access: anyone, post: login.SignInWithPasskey},
	{path: "/login/second", access: anyone, get: secondstep.Show, post: secondstep.Finish},
	{path: "/login/{organizationId}", access: anyone, get: provider.Start},
	{path: "/login/{organizationId}/callback", access: anyone, get: provider.Return},
	{path: "/login/{organizationId}/link", access: anyone, post: provider.Link},
	{path: "/login/{organizationId}/end", access: anyone, get: provider.End},
	{path: "/login/{organizationId}/back-channel", access: anyone, raw: true, post: provider.BackChannel},
	{path: "/login/{organizationId}/front-channel", access: anyone, raw: true, headers: setEndHeaders, get: provider.FrontChannel},
	{path: "/logout", access: anyone, post: login.SignOut},
	{path: "/setup/{token}", access: anyone, get: setup.Show, post: setup.SetUp},
	{path: "/invitations/{token}", access: anyone, get: invitation.Show, post: invitation.Accept},
	{path: "/forgot", access: anyone, get: forgot.Show, post: forgot.Send},
	{path: "/email/{token}", access: anyone, get: email.Show, post: email.Prove},
	{path: "/mail/stop/{secret}", access: anyone, get: mailstop.Show, post: mailstop.Stop},
	{path: "/reset/{token}", access: anyone, get: reset.Show, post: reset.Reset},

	{path: "/device", access: user, get: device.Show, post: device.Answer},
	{path: "/oauth/authorize", access: user, get: consent.Show, post: consent.Answer},

	{path: "/search", access: user, get: search.Show},
	{path: "/live", access: user, events: true, get: openLive},
	{path: "/inbox", access: user, get: inbox.Show, post: inbox.Change},
	{path: "/inbox/watching", access: user, get: watching.Show, post: watching.Change},
	{path: "/my", access: user, get: my.Show},
	{path: "/reports", access: user, scope: anyWorkspace, get: reports.List, post: reports.Change},
	{path: "/reports/counts", access: user, scope: anyWorkspace, get: reports.Counts},
	{path: "/reports/filter", access: user, scope: anyWorkspace, get: reports.Filter},
	{path: "/reports/export", access: user, scope: anyWorkspace, raw: true, streams: true, get: reports.Export},
	{path: "/reports/views", access: user, scope: anyWorkspace, post: reports.SaveView},
	{path: "/reports/views/{viewId}", access: user, scope: anyWorkspace, post: reports.UpdateView},
	{path: "/reports/views/{viewId}/delete", access: user, scope: anyWorkspace, post: reports.DeleteView},
	{path: "/reports/undo", access: user, post: reports.Undo},
	{path: "/board", access: user, scope: anyWorkspace, get: reports.Board, post: reports.Change},
	{path: "/overview", access: user, scope: oneWorkspace, get: overview.Show},
	{path: "/waiting", access: user, scope: oneWorkspace, get: waiting.Show, post: waiting.Change},
	{path: "/tests", access: user, scope: oneWorkspace, get: tests.Show},
	{path: "/new", access: user, scope: oneWorkspace, files: true, get: newreport.Show, post: newreport.File},
	{path: "/new/demo", access: user, scope: oneWorkspace, post: newreport.FileDemo},
	{path: "/new/draft", access: user, files: true, reads: true, post: newreport.Draft},
	{path: "/new/{reference}/files", access: user, files: true, form: filesOf, get: newfiles.Show, post: newfiles.Add},
	{path: "/{reference}", access: user, get: report.Show, post: report.Change},
	{path: "/{reference}/text", access: user, files: true, post: report.Edit},
	{path: "/{reference}/comments", access: user, files: true, post: report.Comment},
	{path: "/{reference}/comments/{commentId}", access: user, files: true, post: report.EditComment},
	{path: "/{reference}/comments/{commentId}/reactions", access: user, post: report.React},
	{path: "/{reference}/comments/{commentId}/delete", access: user, post: report.DeleteComment},
	{path: "/{reference}/tasks", access: user, post: report.Tick},
	{path: "/{reference}/pictures", access: user, raw: true, files: true, post: report.AddPictures},
	{path: "/{reference}/duplicate", access: user, get: report.ShowOriginals, post: report.MarkDuplicate},
	{path: "/{reference}/redaction", access: user, post: report.MarkRemoved},
	{path: "/{reference}/delete", access: user, post: report.Delete},
	{path: "/{reference}/restore", access: user, post: report.Restore},
	{path: "/{reference}/card", access: user, get: card.Show},
	{path: "/{reference}/markdown", access: user, raw: true, get: report.Markdown},
	{path: "/{reference}/network.har", access: user, raw: true, get: report.Archive},
	{path: "/{reference}/shares", access: user, get: share.Show, post: share.Create},
	{path: "/slices/{reference}", access: user, get: report.Show},
	{path: "/slices/{reference}/replay", access: user, raw: true, streams: true, get: replay.Events},
	{path: "/replay-frame", access: anyone, raw: true, headers: setFrameHeaders, get: replay.Frame},
	{path: "/files/{attachmentId}", access: user, raw: true, get: files.Show},
	{path: "/files/{attachmentId}/thumbnail", access: user, raw: true, get: files.ShowThumbnail},
	{path: "/files/{attachmentId}/review", access: user, post: files.Review},
	{path: "/files/{attachmentId}/annotated", access: user, files: true, post: files.Annotate},

	{path: "/r/{secret}", access: withPage, files: true, get: reporter.Show, post: reporter.Answer},
	{path: "/r/{secret}/erase", access: withPage, get: reportererase.Show, post: reportererase.Erase},
	{path: "/s/{token}", access: withLink, get: shared.Show},
	{path: "/s/{token}/files/{attachmentId}", access: withLink, raw: true, get: shared.File},
	{path: "/s/{token}/files/{attachmentId}/thumbnail", access: withLink, raw: true, get: shared.Thumbnail},
	{path: "/s/{token}/replay", access: withLink, raw: true, streams: true, get: shared.Replay},
	{path: "/s/{token}/network.har", access: withLink, raw: true, streams: true, get: shared.Archive},

	{path: "/settings", access: user, get: leadTo("/settings/keys")},
	{path: "/settings/profile", access: user, get: profile.Show, post: profile.Save},
	{path: "/settings/profile/theme", access: user, post: profile.SetTheme},
	{path: "/settings/profile/picture", access: user, files: true, post: profile.SetPicture},
	{path: "/settings/profile/picture/remove", access: user, post: profile.RemovePicture},
	{path: "/pictures/{picture}", access: user, raw: true, get: profile.Picture},
	{path: "/settings/profile/email", access: user, post: email.Change},
	{path: "/settings/notifications", access: user, get: notifications.Show, post: notifications.Save},
	{path: "/settings/notifications/resume", access: user, post: notifications.Resume},
	{path: "/settings/mail", access: user, audience: managers, get: mail.Show},
	{path: "/settings/mail/test", access: user, post: mail.Test},
	{path: "/settings/mail/stopped/{userId}/resume", access: user, post: mail.Resume},
	{path: "/settings/mail/failed/{mailId}/retry", access: user, post: mail.Retry},
	{path: "/settings/security", access: user, setsUp: true, get: security.Show},
	{path: "/settings/security/password", access: user, post: security.ChangePassword},
	{path: "/settings/security/password/remove", access: user, post: security.RemovePassword},
	{path: "/settings/security/authenticator", access: user, setsUp: true, get: authenticator.Show,
		post: authenticator.Confirm},
	{path: "/settings/security/authenticator/remove", access: user, post: security.RemoveAuthenticator},
	{path: "/settings/security/passkeys", access: user, setsUp: true, get: newpasskey.Show, post: newpasskey.Add},
	{path: "/settings/security/passkeys/{passkeyId}", access: user, get: passkey.Show, post: passkey.Rename},
	{path: "/settings/security/passkeys/{passkeyId}/remove", access: user, post: security.RemovePasskey},
	{path: "/settings/security/codes", access: user, post: recoverycodes.Replace},
	{path: "/settings/security/sessions/end", access: user, post: security.EndOtherSessions},
	{path: "/settings/security/sessions/{sessionId}/end", access: user, post: security.EndSession},
	{path: "/settings/security/provider", access: user, post: provider.LinkOwn},
	{path: "/settings/security/provider/unlink", access: user, post: security.Unlink},
	{path: "/settings/sign-in", access: user, audience: managers, get: signinsettings.Show, post: signinsettings.Save},
	{path: "/settings/sign-in/check", access: user, reads: true, post: signinsettings.Check},
	{path: "/settings/sign-in/remove", access: user, post: signinsettings.Remove},
	{path: "/settings/keys", access: user, get: keys.List, post: newkey.Create},
	{path: "/settings/keys/new", access: user, get: newkey.Show},
	{path: "/settings/keys/ended", access: user, get: endedkeys.List},
	{path: "/settings/keys/{keyId}", access: user, get: key.Show},
	{path: "/settings/keys/{keyId}/rotate", access: user, post: key.Rotate},
	{path: "/settings/keys/{keyId}/revoke", access: user, post: key.Revoke},
	{path: "/settings/agents", access: user, get: agents.Show},
	{path: "/settings/record", access: user, scope: oneWorkspace, get: recording.Show, post: recording.CreateKey},
	{path: "/settings/webhooks", access: user, scope: oneWorkspace, audience: workspaceAdmins, get: webhooks.List,
		post: newwebhook.Create},
	{path: "/settings/webhooks/new", access: user, scope: oneWorkspace, audience: workspaceAdmins,
		get: newwebhook.Show},
	{path: "/settings/webhooks/{webhookId}", access: user, get: webhook.Show, post: newwebhook.Update},
	{path: "/settings/webhooks/{webhookId}/edit", access: user, get: newwebhook.Edit},
	{path: "/settings/webhooks/{webhookId}/test", access: user, post: webhook.Test},
	{path: "/settings/webhooks/{webhookId}/rotate", access: user, post: webhook.Rotate},
	{path: "/settings/webhooks/{webhookId}/disable", access: user, post: webhook.Disable},
	{path: "/settings/webhooks/{webhookId}/enable", access: user, post: webhook.Enable},
	{path: "/settings/webhooks/{webhookId}/recover", access: user, post: webhook.Recover},
	{path: "/settings/webhooks/{webhookId}/deliveries/{deliveryId}", access: user, get: delivery.Show},
	{path: "/settings/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", access: user, post: delivery.Redeliver},
	{path: "/settings/webhooks/{webhookId}/delete", access: user, post: webhook.Delete},
	{path: "/settings/capture", access: user, scope: oneWorkspace, audience: workspaceAdmins, get: sources.List, post: newsource.Create},
	{path: "/settings/capture/new", access: user, scope: oneWorkspace, audience: workspaceAdmins, get: newsource.Show},
	{path: "/settings/capture/{sourceId}", access: user, get: source.Show, post: newsource.Update},
	{path: "/settings/capture/{sourceId}/edit", access: user, get: newsource.Edit},
	{path: "/settings/capture/{sourceId}/pause", access: user, post: source.Pause},
	{path: "/settings/capture/{sourceId}/resume", access: user, post: source.Resume},
	{path: "/settings/capture/{sourceId}/rotate", access: user, post: source.Rotate},
	{path: "/settings/capture/{sourceId}/remove", access: user, post: source.Remove},
	{path: "/settings/capture/{sourceId}/delete", access: user, post: source.Delete},
	{path: "/settings/redaction", access: user, scope: oneWorkspace, get: redaction.Show, post: redaction.Save},
	{path: "/settings/redaction/try", access: user, scope: oneWorkspace, files: true, reads: true, post: redaction.Try},
	{path: "/settings/audit", access: user, audience: auditors, get: audit.Show},
	{path: "/settings/audit/events.ndjson", access: user, raw: true, streams: true, reads: true, get: audit.Download,
		post: audit.Download},
	{path: "/settings/people", access: user, get: people.List, post: invite.Create},
	{path: "/settings/people/new", access: user, get: invite.Show},
	{path: "/settings/people/invitations/{invitationId}/revoke", access: user, post: people.RevokeInvitation},
	{path: "/settings/people/{userId}", access: user, get: person.Show},
	{path: "/settings/people/{userId}/role", access: user, post: person.ChangeRole},
	{path: "/settings/people/{userId}/members", access: user, post: person.PutMember},
	{path: "/settings/people/{userId}/members/remove", access: user, post: person.RemoveMember},
	{path: "/settings/people/{userId}/disable", access: user, post: person.Disable},
	{path: "/settings/people/{userId}/enable", access: user, post: person.Enable},
	{path: "/settings/people/{userId}/remove", access: user, post: person.Remove},
	{path: "/settings/people/{userId}/reset", access: user, post: person.Reset},
	{path: "/settings/people/{userId}/factors", access: user, post: person.RemoveFactors},
	{path: "/settings/people/{userId}/erase", access: user, get: erasure.Show, post: erasure.Erase},
	{path: "/settings/policies", access: user, audience: managers, get: policies.Show, post: policies.Save},
	{path: "/settings/workspace", access: user, scope: oneWorkspace, get: workspace.Show, post: workspace.Save},
	{path: "/settings/workspace/new", access: user, get: newworkspace.Show, post: newworkspace.Create},
	{path: "/settings/workspace/labels", access: user, scope: oneWorkspace, post: workspace.ChangeLabel},
	{path: "/settings/workspace/templates", access: user, scope: oneWorkspace, post: workspace.SaveTemplate},
	{path: "/settings/workspace/spaces", access: user, scope: oneWorkspace, post: workspace.CreateSpace},
	{path: "/settings/workspace/spaces/{spaceId}", access: user, scope: oneWorkspace, post: workspace.RenameSpace},
	{path: "/settings/workspace/spaces/{spaceId}/delete", access: user, scope: oneWorkspace,
		post: workspace.DeleteSpace},
	{path: "/settings/workspace/export", access: user, scope: oneWorkspace, raw: true, streams: true, reads: true,
		post: workspace.Export},
	{path: "/settings/workspace/export/{exportId}", access: user, scope: oneWorkspace, get: workspace.Progress},
	{path: "/settings/workspace/export/{exportId}/cancel", access: user, scope: oneWorkspace,
		post: workspace.CancelExport},
	{path: "/settings/workspace/delete", access: user, scope: oneWorkspace, post: workspace.Delete},
	{path: "/settings/workspace/keep", access: user, scope: oneWorkspace, post: workspace.CancelDeletion},
	{path: "/settings/shares", access: user, scope: oneWorkspace, get: shares.List},
	{path: "/settings/shares/{shareId}/revoke", access: user, post: shares.Revoke},
}

// openLive answers with the changes of reports after the position in Last-Event-ID.
func openLive(q *page.Request) (page.Result, error) {
	stream, err := q.Tracker.OpenLive(q.Context(), *q.Session, q.Header.Get("Last-Event-ID"))
	return page.Result{Live: stream}, err
}

// leadTo returns the handler of a path in place of which another page is shown.
func leadTo(path string) page.Handler {
	return func(*page.Request) (page.Result, error) { return page.Redirect(path, "") }
}

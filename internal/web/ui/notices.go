package ui

// Notice is what a page says about the request before.
type Notice struct {
	Tone string // good or warning
	Text string
}

// notices are those that say the same each time, by their names. Those of noticeTemplates say more.
var notices = map[string]Notice{
	"comment-deleted":  {"good", "The comment is deleted."},
	"delivery-queued":  {"good", "The delivery is queued, and is sent at once."},
	"email-asked":      {"good", "A mail is on its way to that address. It becomes yours when you use the link in it."},
	"export-cancelled": {"good", "The export is cancelled."},
	"factor-added":     {"good", "It is added. You can sign in with it from now on."},
	"factor-removed":   {"good", "It is removed, and does not open your account any more."},
	"factors-removed": {"warning",
		"An admin has removed your second factor. Set one up again under Security, and tell your admin if you did not ask for this."},
	"files-added":        {"good", "The files are added."},
	"identity-linked":    {"good", "Your account is linked. You can sign in at the provider from now on."},
	"identity-unlinked":  {"good", "The link with the provider has ended."},
	"invitation-revoked": {"good", "The invitation is revoked. Its link does not work any more."},
	"key-revoked":        {"good", "The key is revoked. Requests with it are refused from now on."},
	"mail-resumed":       {"good", "Mails are sent to this address again."},
	"mail-retried":       {"good", "The mail is sent again."},
	"mail-tested": {"good",
		"A mail to you is on its way. This page says what the server answers, when it does not take it."},
	"member-removed":         {"good", "The membership has ended."},
	"no-factor":              {"warning", "Set up a second factor first."},
	"notifications-saved":    {"good", "Your notifications are saved."},
	"passkey-renamed":        {"good", "The passkey has another name."},
	"password-changed":       {"good", "Your password is changed. All other sessions have ended."},
	"password-removed":       {"good", "Your password is removed. All other sessions have ended."},
	"person-factors-removed": {"good", "The second factor is removed. The person is told at the next sign-in."},
	"picture-removed":        {"good", "The picture is removed."},
	"picture-saved":          {"good", "Your picture is saved."},
	"policies-saved":         {"good", "The policies are saved."},
	"profile-saved":          {"good", "Your profile is saved."},
	"proved":                 {"good", "It is confirmed that it is you. Start the download again."},
	"proved-at-provider":     {"good", "It is confirmed that it is you. Send it again now."},
	"provider-removed":       {"good", "The sign-in at the provider is removed."},
	"provider-saved":         {"good", "The sign-in is saved."},
	"redaction-saved":        {"good", "The rules are saved. They apply to what is filed from now on."},
	"report-restored":        {"good", "The report is restored."},
	"role-changed":           {"good", "The role is changed."},
	"session-ended":          {"good", "That session has ended."},
	"session-over":           {"warning", "Your session has ended. Sign in to go on."},
	"sessions-ended":         {"good", "All other sessions have ended."},
	"share-gone":             {"warning", "This link does not exist any more."},
	"share-revoked":          {"good", "The link is revoked. Nobody can open it any more."},
	"sign-in-over":           {"warning", "That took too long or too many attempts. Sign in again."},
	"signed-out":             {"good", "You are signed out."},
	"source-created":         {"good", "The source is ready. Paste the lines below into your pages."},
	"source-deleted":         {"good", "The source is deleted. The reports of its visitors stay."},
	"source-paused":          {"good", "The source is paused. It takes no reports."},
	"source-resumed":         {"good", "The source takes reports again."},
	"source-saved":           {"good", "The source is saved."},
	"space-deleted":          {"good", "The space is deleted. Its reports have no space now."},
	"space-saved":            {"good", "The space is saved."},
	"template-deleted":       {"good", "The template is deleted."},
	"template-saved":         {"good", "The template is saved. The form of a new report offers it."},
	"user-being-erased": {"good",
		"The person is being erased. Sessions, keys and memberships have ended; the name is replaced in the background."},
	"user-disabled": {"good",
		"The person is disabled. Sessions and personal access tokens are refused from now on."},
	"user-enabled":     {"good", "The person can sign in again."},
	"user-erased":      {"good", "The person is erased."},
	"user-removed":     {"good", "The person is removed from the organisation."},
	"view-deleted":     {"good", "The view is deleted."},
	"view-saved":       {"good", "The view is saved. It is in the sidebar."},
	"view-updated":     {"good", "The view is changed."},
	"webhook-deleted":  {"good", "The webhook is deleted."},
	"webhook-disabled": {"good", "The webhook is disabled. Nothing is sent."},
	"webhook-enabled": {"good",
		"The webhook is enabled. To send what was missed, choose “Redeliver all failed since…”."},
	"webhook-saved":      {"good", "The webhook is saved."},
	"workspace-created":  {"good", "The workspace is created. You are its admin."},
	"workspace-deletion": {"good", "The workspace will be deleted in 30 days. Until then every admin can keep it."},
	"workspace-kept":     {"good", "The workspace will not be deleted."},
	"workspace-saved":    {"good", "The workspace is saved."},
}

// noticeTemplates are the names of the notices that are about something. Each is that of a template, which notice-about calls.
var noticeTemplates = []string{"deliveries-queued", "label-changed", "report-filed", "inbox-changed", "watch-set", "reports-changed",
	"reports-restored", "reports-removed", "submissions-decided"}

// noticeOf returns a notice that says the same each time; nil for another one.
func noticeOf(name string) *Notice {
	n, ok := notices[name]
	if !ok {
		return nil
	}
	return &n
}

package search

import (
	"slices"
	"strings"
)

// Place is a page of the application that a text finds by its name, and by other words for what it has.
type Place struct{ Path, Name, Icon, words string }

// reference is the reference of the API, which everybody may open.
const reference = "/docs"

// places are the pages that have a name of their own, in the order in which they are shown.
var places = []Place{
	{"/inbox", "Inbox", "inbox", "notifications notices unread mentions"},
	{"/inbox/watching", "What I watch", "inbox", "watching subscriptions following watched"},
	{"/my", "My reports", "circle-user", "home assigned mine start"},
	{"/reports", "Reports", "list", "list bugs issues slices tickets"},
	{"/board", "Board", "square-kanban", "kanban columns"},
	{"/overview", "Overview", "chart-column", "dashboard statistics charts metrics"},
	{"/tests", "Tests", "flask-conical", "ci flaky junit runs"},
	{"/waiting", "Waiting", "inbox", "waiting reports queue moderation approval spam visitors submissions"},
	{"/new", "New report", "plus", "create file bug issue"},
	{"/settings/profile", "Profile", "circle-user", "account name picture avatar time zone shortcuts email language"},
	{"/settings/notifications", "Notifications", "inbox", "mails digest subscriptions email"},
	{"/settings/security", "Security", "shield-check",
		"2fa mfa totp passkeys password authenticator recovery codes sessions webauthn two-factor second factor"},
	{"/settings/keys", "Integrations & API keys", "key-round", "tokens credentials pat service"},
	{"/settings/keys/new", "New API key", "plus", "create token"},
	{"/settings/keys/ended", "Revoked and expired keys", "key-round", "api ended expired revoked tokens"},
	{"/settings/record", "Record your application", "video", "capture script snippet install sdk setup replay"},
	{"/settings/capture", "Capture", "globe", "sources visitors widget script sdk feedback origins"},
	{"/settings/capture/new", "New source", "plus", "create capture site"},
	{"/settings/webhooks", "Webhooks", "webhook", "slack discord teams mattermost chat events deliveries integrations"},
	{"/settings/webhooks/new", "New webhook", "plus", "create slack discord teams"},
	{"/settings/agents", "Connect an agent", "bot", "agents mcp claude codex cursor ai assistants llm"},
	{"/settings/workspace", "Workspace", "settings", "labels templates spaces export name delete"},
	{"/settings/workspace/new", "New workspace", "plus", "create project"},
	{"/settings/redaction", "Redaction", "eye-off", "secrets privacy masking rules pii gdpr"},
	{"/settings/shares", "Shared reports", "link", "shares public links"},
	{"/settings/shares/recordings", "Recording links", "video", "ask screen recordings shares"},
	{"/settings/shares/recordings/new", "Ask for a recording", "video", "new link screen request"},
	{"/settings/people", "People", "users", "members users team roles invitations"},
	{"/settings/people/new", "Invite person", "plus", "invitation somebody add member user people"},
	{"/settings/policies", "Policies", "shield-check", "sessions networks ip allowlist domains lifetime require factor"},
	{"/settings/sign-in", "Sign-in", "key-round", "sso openid oidc saml provider login google okta entra keycloak single sign-on"},
	{"/settings/mail", "Mail", "send", "smtp email server outgoing sender"},
	{"/settings/audit", "Audit log", "scroll-text", "events history trail activity compliance"},
	{reference, "API reference", "scroll-text", "documentation openapi rest curl docs operations"},
}

// placesOf returns the pages of which each word of the text begins a word, those with the words in their names first. A single letter
// finds none.
func placesOf(text string, exists func(path string) bool) (found []Place) {
	words := strings.Fields(strings.ToLower(text))
	if len(strings.TrimSpace(text)) < 2 {
		return nil
	}
	var others []Place
	for _, p := range places {
		name := strings.FieldsFunc(strings.ToLower(p.Name), isBetween)
		switch all := slices.Concat(name, []string{strings.ToLower(p.Name)}, strings.Fields(p.words)); {
		case !begin(words, all) || p.Path != reference && !exists(p.Path):
		case begin(words, append(name, strings.ToLower(p.Name))):
			found = append(found, p)
		default:
			others = append(others, p)
		}
	}
	return slices.Concat(found, others)
}

func isBetween(r rune) bool { return r == ' ' || r == '-' }

// begin reports whether each word begins one of the others.
func begin(words, others []string) bool {
	for _, word := range words {
		if !slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(other, word) }) {
			return false
		}
	}
	return true
}

// Places returns the pages that a search finds.
func Places() []Place { return slices.Clone(places) }

package web

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bugslice/internal/tracker"
)

// unlisted are the methods of the tracker that pages call and that are no operations with a validated input: they
// read for pages, or are for somebody who has not signed in yet. Of those that write, each has a reason.
var unlisted = map[string]string{
	"SignIn": "opens a session", "SignInWithPasskey": "opens a session", "FinishSignIn": "opens a session",
	"AcceptInvitation": "opens a session by a link",
	"ResetPassword":    "opens a session by a link",
	"FinishAtProvider": "opens a session after a sign-in at a provider",
	"LinkSignIn":       "opens a session after a sign-in at a provider and a proof of the password",
	"EndByProvider":    "ends sessions by a message that the provider has signed",
	"EndInFrame":       "ends a session that the provider names",
	"UndoChanges":      "carries out batches of operations",

	"SignInChoices": "", "BeginSignIn": "", "EndAddress": "",

	"Session": "", "OpenShare": "", "MyWorkspaces": "", "WorkspaceOfKey": "", "Start": "", "OpenLive": "",
	"EndedKeys": "", "KeyDetails": "", "KeyActivity": "", "KeyRefusals": "", "CapturedEvidence": "",
	"CapturedRequest": "",
	"AdminNames":      "", "MemberNames": "", "PicturesOf": "", "Directory": "", "UniqueNames": "", "RecentReleases": "",
	"ReportUntil": "", "DeletedReport": "", "WorkspaceShares": "", "SliceShares": "", "SharedSlice": "",
	"SharedSliceAfter": "",
	"SharedEvidence":   "", "Invitation": "", "CheckResetLink": "",
	"SignInStep": "", "AskSignIn": "", "NewStep": "", "NewAuthenticatorOf": "",
	"MailEnabled": "", "MailStop": "", "WantedEmail": "", "MailedShare": "",
	"StopMails": "by an address in a mail", "ResumeMails": "by an address in a mail", "ProveEmail": "by a link",
	"ForgotPassword": "for somebody who cannot sign in",
	"Visitors":       "what people without an account do", "SliceReporters": "",
	"CountUnread": "", "CountWaiting": "", "Inbox": "", "ReadNotices": "",
}

// TestPagesCallOperations: every method of the tracker that a page calls takes a validated input, and so has a row,
// or is listed here.
func TestPagesCallOperations(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	call := regexp.MustCompile(`\b(?:q|a|request)\.Tracker\.([A-Z]\w+)`)
	must(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			called[m[1]] = true
		}
		return err
	}))
	if len(called) < 80 {
		t.Fatalf("only %d methods are found", len(called))
	}
	of := reflect.TypeFor[*tracker.Tracker]()
	for _, name := range slices.Sorted(maps.Keys(called)) {
		m, _ := of.MethodByName(name)
		validated := false
		for i := range m.Type.NumIn() {
			validated = validated || strings.HasPrefix(m.Type.In(i).String(), "input.Valid[")
		}
		if _, ok := unlisted[name]; ok == validated {
			t.Errorf("%s takes a validated input: %t; it is listed: %t", name, validated, ok)
		}
	}
	for name := range unlisted {
		if !called[name] {
			t.Errorf("no page calls %s", name)
		}
	}
}

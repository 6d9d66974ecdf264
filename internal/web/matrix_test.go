package web

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/operator"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// askers are those whose answers the matrix has. The lead administers WEB, and is a member of the organisation; the
// admin administers the organisation, and is a member of WEB.
var askers = []string{"", stranger, member, lead, admin, owner}

const (
	lead  = "lead@northwind.example"
	admin = "admin@northwind.example"
)

// matrix says what each page of the workspace WEB answers to nobody, the owner of another organisation, a member, the
// lead, the admin and the owner. A page without a line fails; so does a line without a page.
var matrix = map[string][6]int{
	"GET /{$}":                                                   {303, 303, 303, 303, 303, 303},
	"GET /login":                                                 {200, 303, 303, 303, 303, 303},
	"POST /login":                                                {422, 422, 422, 422, 422, 422},
	"POST /logout":                                               {303, 303, 303, 303, 303, 303},
	"GET /login/{organizationId}":                                {404, 303, 303, 303, 303, 303},
	"GET /login/{organizationId}/callback":                       {403, 403, 403, 403, 403, 403},
	"POST /login/{organizationId}/link":                          {403, 403, 403, 403, 403, 403},
	"GET /login/{organizationId}/end":                            {404, 404, 404, 404, 404, 404},
	"POST /login/{organizationId}/back-channel":                  {400, 400, 400, 400, 400, 400},
	"GET /login/{organizationId}/front-channel":                  {404, 404, 404, 404, 404, 404},
	"POST /settings/security/provider":                           {303, 404, 404, 404, 404, 404},
	"POST /settings/security/provider/unlink":                    {303, 404, 404, 404, 404, 404},
	"GET /settings/sign-in":                                      {303, 200, 403, 403, 200, 200},
	"POST /settings/sign-in":                                     {303, 422, 403, 403, 422, 422},
	"POST /settings/sign-in/check":                               {303, 404, 403, 403, 404, 404},
	"POST /settings/sign-in/remove":                              {303, 404, 403, 403, 404, 404},
	"POST /login/passkey":                                        {422, 422, 422, 422, 422, 422},
	"GET /login/second":                                          {303, 303, 303, 303, 303, 303},
	"POST /login/second":                                         {303, 303, 303, 303, 303, 303},
	"GET /setup/{token}":                                         {404, 404, 404, 404, 404, 404},
	"POST /setup/{token}":                                        {404, 404, 404, 404, 404, 404},
	"GET /r/{secret}":                                            {404, 404, 404, 404, 404, 404},
	"POST /r/{secret}":                                           {404, 404, 404, 404, 404, 404},
	"GET /r/{secret}/erase":                                      {404, 404, 404, 404, 404, 404},
	"POST /r/{secret}/erase":                                     {404, 404, 404, 404, 404, 404},
	"GET /device":                                                {303, 200, 200, 200, 200, 200},
	"POST /device":                                               {303, 422, 422, 422, 422, 422},
	"GET /oauth/authorize":                                       {303, 400, 400, 400, 400, 400},
	"POST /oauth/authorize":                                      {303, 400, 400, 400, 400, 400},
	"GET /search":                                                {303, 200, 200, 200, 200, 200},
	"GET /inbox":                                                 {303, 200, 200, 200, 200, 200},
	"POST /inbox":                                                {303, 422, 422, 422, 422, 422},
	"GET /inbox/watching":                                        {303, 200, 200, 200, 200, 200},
	"POST /inbox/watching":                                       {303, 422, 422, 422, 422, 422},
	"GET /my":                                                    {303, 200, 200, 200, 200, 200},
	"GET /reports":                                               {303, 404, 200, 200, 200, 200},
	"POST /reports":                                              {303, 404, 422, 422, 422, 422},
	"POST /reports/views":                                        {303, 404, 422, 422, 422, 422},
	"POST /reports/views/{viewId}":                               {303, 404, 404, 404, 404, 404},
	"POST /reports/views/{viewId}/delete":                        {303, 404, 404, 404, 404, 404},
	"POST /reports/undo":                                         {303, 404, 404, 404, 404, 404},
	"GET /reports/counts":                                        {303, 404, 200, 200, 200, 200},
	"GET /reports/filter":                                        {303, 404, 200, 200, 200, 200},
	"GET /reports/export":                                        {303, 404, 200, 200, 200, 200},
	"GET /board":                                                 {303, 404, 200, 200, 200, 200},
	"POST /board":                                                {303, 404, 422, 422, 422, 422},
	"GET /overview":                                              {303, 404, 200, 200, 200, 200},
	"GET /tests":                                                 {303, 404, 200, 200, 200, 200},
	"GET /new":                                                   {303, 404, 200, 200, 200, 200},
	"POST /new":                                                  {303, 404, 422, 422, 422, 422},
	"POST /new/demo":                                             {303, 404, 303, 303, 303, 303},
	"POST /new/draft":                                            {303, 200, 200, 200, 200, 200},
	"GET /new/{reference}/files":                                 {303, 404, 200, 200, 200, 200},
	"POST /new/{reference}/files":                                {303, 404, 422, 422, 422, 422},
	"GET /{reference}":                                           {303, 404, 200, 200, 200, 200},
	"GET /slices/{reference}":                                    {303, 404, 303, 303, 303, 303},
	"GET /slices/{reference}/replay":                             {303, 404, 200, 200, 200, 200},
	"GET /replay-frame":                                          {200, 200, 200, 200, 200, 200},
	"GET /files/{attachmentId}":                                  {303, 404, 200, 200, 200, 200},
	"GET /files/{attachmentId}/thumbnail":                        {303, 404, 200, 200, 200, 200},
	"POST /files/{attachmentId}/annotated":                       {303, 404, 400, 400, 400, 400},
	"GET /{reference}/shares":                                    {303, 404, 200, 200, 200, 200},
	"POST /{reference}/shares":                                   {303, 404, 200, 200, 200, 200},
	"GET /settings/shares":                                       {303, 404, 200, 200, 200, 200},
	"POST /settings/shares/{shareId}/revoke":                     {303, 303, 303, 303, 303, 303},
	"GET /s/{token}":                                             {404, 404, 404, 404, 404, 404},
	"GET /s/{token}/files/{attachmentId}":                        {404, 404, 404, 404, 404, 404},
	"GET /s/{token}/files/{attachmentId}/thumbnail":              {404, 404, 404, 404, 404, 404},
	"GET /s/{token}/replay":                                      {404, 404, 404, 404, 404, 404},
	"GET /s/{token}/network.har":                                 {404, 404, 404, 404, 404, 404},
	"POST /{reference}":                                          {303, 404, 400, 400, 400, 400},
	"POST /{reference}/text":                                     {303, 404, 412, 412, 412, 412},
	"POST /{reference}/comments":                                 {303, 404, 422, 422, 422, 422},
	"POST /{reference}/comments/{commentId}":                     {303, 404, 404, 404, 404, 404},
	"POST /{reference}/comments/{commentId}/delete":              {303, 404, 404, 404, 404, 404},
	"POST /{reference}/comments/{commentId}/reactions":           {303, 422, 422, 422, 422, 422},
	"POST /{reference}/tasks":                                    {303, 404, 404, 404, 404, 404},
	"POST /{reference}/pictures":                                 {303, 404, 422, 422, 422, 422},
	"GET /{reference}/duplicate":                                 {303, 404, 200, 200, 200, 200},
	"POST /{reference}/duplicate":                                {303, 404, 422, 422, 422, 422},
	"GET /{reference}/card":                                      {303, 404, 200, 200, 200, 200},
	"GET /{reference}/markdown":                                  {303, 404, 200, 200, 200, 200},
	"GET /{reference}/network.har":                               {303, 404, 200, 200, 200, 200},
	"POST /{reference}/restore":                                  {303, 404, 303, 303, 303, 303},
	"POST /{reference}/delete":                                   {303, 404, 303, 303, 303, 303},
	"GET /settings":                                              {303, 303, 303, 303, 303, 303},
	"GET /settings/profile":                                      {303, 200, 200, 200, 200, 200},
	"POST /settings/profile":                                     {303, 422, 422, 422, 422, 422},
	"POST /settings/profile/theme":                               {303, 422, 422, 422, 422, 422},
	"POST /settings/profile/picture":                             {303, 422, 422, 422, 422, 422},
	"POST /settings/profile/picture/remove":                      {303, 404, 404, 404, 404, 404},
	"GET /pictures/{picture}":                                    {303, 404, 404, 404, 404, 404},
	"GET /settings/security":                                     {303, 200, 200, 200, 200, 200},
	"POST /settings/security/password":                           {303, 422, 422, 422, 422, 422},
	"POST /settings/security/password/remove":                    {303, 409, 409, 409, 409, 409},
	"GET /settings/security/authenticator":                       {303, 200, 200, 200, 200, 200},
	"POST /settings/security/authenticator":                      {303, 200, 200, 200, 200, 200},
	"POST /settings/security/authenticator/remove":               {303, 404, 404, 404, 404, 404},
	"GET /settings/security/passkeys":                            {303, 409, 409, 409, 409, 409},
	"POST /settings/security/passkeys":                           {303, 409, 409, 409, 409, 409},
	"GET /settings/security/passkeys/{passkeyId}":                {303, 404, 404, 404, 404, 404},
	"POST /settings/security/passkeys/{passkeyId}":               {303, 404, 404, 404, 404, 404},
	"POST /settings/security/passkeys/{passkeyId}/remove":        {303, 404, 404, 404, 404, 404},
	"POST /settings/security/codes":                              {303, 303, 303, 303, 303, 303},
	"POST /settings/people/{userId}/factors":                     {303, 404, 403, 403, 303, 303},
	"GET /settings/policies":                                     {303, 200, 403, 403, 200, 200},
	"POST /settings/policies":                                    {303, 422, 403, 403, 422, 422},
	"POST /settings/security/sessions/end":                       {303, 303, 303, 303, 303, 303},
	"GET /live":                                                  {303, 200, 200, 200, 200, 200},
	"POST /settings/security/sessions/{sessionId}/end":           {303, 404, 404, 404, 404, 404},
	"GET /settings/record":                                       {303, 404, 200, 200, 200, 200},
	"POST /settings/record":                                      {303, 404, 403, 200, 403, 200},
	"GET /settings/agents":                                       {303, 200, 200, 200, 200, 200},
	"GET /settings/keys":                                         {303, 200, 200, 200, 200, 200},
	"POST /settings/keys":                                        {303, 422, 422, 422, 422, 422},
	"GET /settings/keys/new":                                     {303, 200, 200, 200, 200, 200},
	"GET /settings/keys/ended":                                   {303, 200, 200, 200, 200, 200},
	"GET /settings/keys/{keyId}":                                 {303, 404, 404, 404, 404, 200},
	"POST /settings/keys/{keyId}/rotate":                         {303, 404, 404, 404, 404, 200},
	"POST /settings/keys/{keyId}/revoke":                         {303, 404, 404, 404, 404, 303},
	"GET /settings/capture":                                      {303, 404, 403, 200, 403, 200},
	"POST /settings/capture":                                     {303, 404, 422, 422, 422, 422},
	"GET /settings/capture/new":                                  {303, 404, 403, 200, 403, 200},
	"GET /settings/capture/{sourceId}":                           {303, 404, 404, 200, 404, 200},
	"POST /settings/capture/{sourceId}":                          {303, 404, 404, 422, 404, 422},
	"GET /settings/capture/{sourceId}/edit":                      {303, 404, 404, 200, 404, 200},
	"POST /settings/capture/{sourceId}/pause":                    {303, 404, 404, 303, 404, 303},
	"POST /settings/capture/{sourceId}/resume":                   {303, 404, 404, 303, 404, 303},
	"POST /settings/capture/{sourceId}/rotate":                   {303, 404, 404, 200, 404, 200},
	"POST /settings/capture/{sourceId}/remove":                   {303, 404, 404, 422, 404, 422},
	"POST /settings/capture/{sourceId}/delete":                   {303, 404, 404, 303, 404, 303},
	"GET /waiting":                                               {303, 404, 200, 200, 200, 200},
	"POST /waiting":                                              {303, 404, 303, 303, 303, 303},
	"GET /settings/webhooks":                                     {303, 404, 403, 200, 403, 200},
	"POST /settings/webhooks":                                    {303, 404, 422, 422, 422, 422},
	"GET /settings/webhooks/new":                                 {303, 404, 403, 200, 403, 200},
	"GET /settings/webhooks/{webhookId}":                         {303, 404, 404, 200, 404, 200},
	"GET /settings/webhooks/{webhookId}/edit":                    {303, 404, 404, 200, 404, 200},
	"POST /settings/webhooks/{webhookId}":                        {303, 404, 404, 303, 404, 303},
	"POST /settings/webhooks/{webhookId}/test":                   {303, 404, 404, 200, 404, 200},
	"POST /settings/webhooks/{webhookId}/rotate":                 {303, 404, 404, 200, 404, 200},
	"POST /settings/webhooks/{webhookId}/enable":                 {303, 404, 404, 303, 404, 303},
	"POST /settings/webhooks/{webhookId}/disable":                {303, 404, 404, 303, 404, 303},
	"POST /settings/webhooks/{webhookId}/recover":                {303, 404, 404, 422, 404, 422},
	"POST /settings/webhooks/{webhookId}/delete":                 {303, 404, 404, 303, 404, 303},
	"GET /settings/webhooks/{webhookId}/deliveries/{deliveryId}": {303, 404, 404, 200, 404, 200},
	"POST /files/{attachmentId}/review":                          {303, 404, 303, 303, 303, 303},
	"POST /{reference}/redaction":                                {303, 404, 422, 422, 422, 422},
	"POST /settings/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {303, 404, 404, 303, 404, 303},
	"POST /settings/workspace/labels":                                       {303, 404, 403, 422, 403, 422},
	"GET /settings/redaction":                                               {303, 404, 200, 200, 200, 200},
	"POST /settings/redaction":                                              {303, 404, 403, 303, 403, 303},
	"POST /settings/redaction/try":                                          {303, 404, 200, 200, 200, 200},
	"GET /settings/audit":                                                   {303, 200, 403, 200, 200, 200},
	"GET /settings/audit/events.ndjson":                                     {303, 200, 403, 200, 200, 200},
	"POST /settings/audit/events.ndjson":                                    {303, 200, 403, 200, 200, 200},
	"GET /invitations/{token}":                                              {404, 404, 404, 404, 404, 404},
	"POST /invitations/{token}":                                             {404, 404, 404, 404, 404, 404},
	"GET /reset/{token}":                                                    {404, 404, 404, 404, 404, 404},
	"POST /reset/{token}":                                                   {404, 404, 404, 404, 404, 404},
	"GET /forgot":                                                           {200, 200, 200, 200, 200, 200},
	"POST /forgot":                                                          {403, 403, 403, 403, 403, 403},
	"GET /email/{token}":                                                    {404, 404, 404, 404, 404, 404},
	"POST /email/{token}":                                                   {404, 404, 404, 404, 404, 404},
	"GET /mail/stop/{secret}":                                               {404, 404, 404, 404, 404, 404},
	"POST /mail/stop/{secret}":                                              {404, 404, 404, 404, 404, 404},
	"POST /settings/profile/email":                                          {303, 403, 403, 403, 403, 403},
	"GET /settings/notifications":                                           {303, 200, 200, 200, 200, 200},
	"POST /settings/notifications":                                          {303, 422, 422, 422, 422, 422},
	"POST /settings/notifications/resume":                                   {303, 303, 303, 303, 303, 303},
	"GET /settings/mail":                                                    {303, 200, 403, 403, 200, 200},
	"POST /settings/mail/test":                                              {303, 403, 403, 403, 403, 403},
	"POST /settings/mail/stopped/{userId}/resume":                           {303, 404, 403, 403, 303, 303},
	"POST /settings/mail/failed/{mailId}/retry":                             {303, 404, 403, 403, 404, 404},
	"GET /settings/people":                                                  {303, 200, 200, 200, 200, 200},
	"POST /settings/people":                                                 {303, 422, 403, 422, 422, 422},
	"GET /settings/people/new":                                              {303, 200, 403, 200, 200, 200},
	"POST /settings/people/invitations/{invitationId}/revoke":               {303, 404, 404, 404, 404, 404},
	"GET /settings/people/{userId}":                                         {303, 404, 200, 200, 200, 200},
	"POST /settings/people/{userId}/role":                                   {303, 422, 422, 422, 422, 422},
	"POST /settings/people/{userId}/members":                                {303, 422, 422, 422, 422, 422},
	"POST /settings/people/{userId}/members/remove":                         {303, 404, 404, 404, 404, 404},
	"POST /settings/people/{userId}/disable":                                {303, 404, 403, 403, 303, 303},
	"POST /settings/people/{userId}/enable":                                 {303, 404, 403, 403, 303, 303},
	"POST /settings/people/{userId}/remove":                                 {303, 404, 403, 403, 303, 303},
	"POST /settings/people/{userId}/reset":                                  {303, 404, 403, 403, 409, 409},
	"GET /settings/people/{userId}/erase":                                   {303, 404, 403, 403, 200, 200},
	"GET /settings/workspace":                                               {303, 404, 200, 200, 200, 200},
	"POST /settings/workspace":                                              {303, 404, 422, 422, 422, 422},
	"GET /settings/workspace/new":                                           {303, 200, 200, 200, 200, 200},
	"POST /settings/workspace/new":                                          {303, 422, 422, 422, 422, 422},
	"POST /settings/workspace/templates":                                    {303, 404, 403, 422, 403, 422},
	"POST /settings/workspace/spaces":                                       {303, 404, 422, 422, 422, 422},
	"POST /settings/workspace/spaces/{spaceId}":                             {303, 404, 422, 422, 422, 422},
	"POST /settings/workspace/spaces/{spaceId}/delete":                      {303, 404, 403, 404, 403, 404},
	"POST /settings/workspace/export":                                       {303, 404, 403, 200, 403, 200},
	"GET /settings/workspace/export/{exportId}":                             {303, 404, 404, 200, 404, 200},
	"POST /settings/workspace/export/{exportId}/cancel":                     {303, 404, 404, 404, 404, 404},
	"POST /settings/workspace/delete":                                       {303, 404, 403, 422, 403, 422},
	"POST /settings/workspace/keep":                                         {303, 404, 403, 303, 403, 303},
	"POST /settings/people/{userId}/erase":                                  {303, 404, 403, 403, 422, 422},
}

// TestTable asks each page as each of them, each in a world of its own, and reads the headers of each answer.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range table {
		for method := range r.handlers() {
			seen[method+" "+r.path] = true
			if _, ok := matrix[method+" "+r.path]; !ok {
				t.Errorf("%s %s has no line in the matrix", method, r.path)
			}
		}
	}
	for line := range matrix {
		if !seen[line] {
			t.Errorf("%s is no page", line)
		}
	}
	for i, who := range askers {
		t.Run("as "+who, func(t *testing.T) {
			t.Parallel()
			askEach(t, who, false, func(line string) int { return matrix[line][i] })
		})
	}
	t.Run("as "+owner+" by a password where there are none", func(t *testing.T) {
		t.Parallel()
		askEach(t, owner, true, func(line string) int { return matrix[line][0] })
	})
}

// askEach asks each page as somebody, who has a new session for each. passwordsOff says that the organisation signs in at
// its provider alone by then.
func askEach(t *testing.T, who string, passwordsOff bool, want func(line string) int) {
	w := newWorld(t, table, nil)
	w.addAdmins(t)
	k := w.newKey(t, api.KeyFields{Name: "Second", Type: api.PAT, Scopes: []api.Scope{api.SlicesRead}})
	hook := w.newWebhook(t, "https://hooks.example.com/")
	picture := w.attach(t, "WEB-161", "cart.png", screenshot(t, 40, 30))
	fill := strings.NewReplacer("{attachmentId}", picture.ID, "{$}", "",
		"{token}", "guess", "{sessionId}", "ses_none", "{passkeyId}", "psk_01ja8m2c9tf3qb6h0v5r4x7kyz", "{viewId}",
		"viw_01ja8m2c9tf3qb6h0v5r4x7kyz",
		"{shareId}", "shr_01ja8m2c9tf3qb6h0v5r4x7kyz",
		"{commentId}", "cmt_01ja8m2c9tf3qb6h0v5r4x7kyz", "{keyId}", k.ID,
		"{sourceId}", w.newSource(t, "Shop").ID, "{webhookId}", hook.ID, "{deliveryId}", w.deliveries(t, hook.ID)[0].ID,
		"{spaceId}", "spc_01ja8m2c9tf3qb6h0v5r4x7kyz", "{userId}", w.users[newcomer],
		"{organizationId}", "org_none", "{invitationId}", "inv_01ja8m2c9tf3qb6h0v5r4x7kyz", "{exportId}", "none",
		"{mailId}", "mai_01ja8m2c9tf3qb6h0v5r4x7kyz", "{secret}", "guess",
		"{reference}", "WEB-161")
	for _, r := range table {
		path := fill.Replace(r.path)
		if r.scope != noWorkspace {
			path += "?workspace=WEB"
		}
		for _, method := range []string{"GET", "POST"} {
			if r.handlers()[method] == nil {
				continue
			}
			b := w.browser(t)
			if who != "" {
				b = w.signedIn(t, who)
			}
			if passwordsOff {
				w.setProvider(t, identities.Provider{OrgID: w.org.ID, Name: "Acme", Issuer: "https://127.0.0.1", PasswordsOff: true})
			}
			a := b.ask(r, method, path)
			if a.status != want(method+" "+r.path) {
				t.Errorf("%s %s: %d, want %d", method, r.path, a.status, want(method+" "+r.path))
			}
			if passwordsOff {
				w.setProvider(t, identities.Provider{OrgID: w.org.ID})
			}
			var changed map[string]string
			if a.status == 200 {
				changed = changedHeaders[r.path]
			}
			checkHeaders(t, a, changed)
			if parts := []string{"/settings/workspace/export/{exportId}", "/reports/counts"}; !r.events &&
				!slices.Contains(parts, r.path) {
				checkTitle(t, a)
			}
		}
	}
}

// setProvider stores the provider of an organisation; one without an issuer removes it.
func (w *world) setProvider(t testing.TB, p identities.Provider) {
	t.Helper()
	must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
		if p.Issuer == "" {
			return tx.Identities().DeleteProvider(p.OrgID)
		}
		return tx.Identities().PutProvider(p)
	}))
}

// handlers returns the handlers of a row by their methods.
func (r row) handlers() map[string]page.Handler {
	all := map[string]page.Handler{"GET": r.get, "POST": r.post}
	maps.DeleteFunc(all, func(_ string, h page.Handler) bool { return h == nil })
	return all
}

// ask sends the request of a row without a form. The answer with events has no body, which would not end.
func (b *browser) ask(r row, method, path string) answer {
	switch {
	case r.events:
		return b.do(http.NewRequest("HEAD", b.w.url+path, nil))
	case method == "GET":
		return b.get(path)
	default:
		return b.post(path)
	}
}

// addAdmins adds the lead and the admin.
func (w *world) addAdmins(t *testing.T) {
	t.Helper()
	in := w.operator.In(w.org)
	w.users = maps.Clone(w.users) // other worlds have the same
	for who, roles := range map[string][2]api.Role{lead: {api.RoleMember, api.RoleAdmin},
		admin: {api.RoleAdmin, api.RoleMember}} {
		added, err := in.AddUser(t.Context(), operator.NewUser{Email: who, Role: roles[0]})
		must(t, err)
		w.users[who] = added.UserID
		must(t, in.InTransaction(t.Context(),
			func(tx *tracker.OperatorTx) error { return tx.AddMember(w.web, added.UserID, roles[1]) }))
	}
}

// changedHeaders are the headers of answers that are no pages.
var changedHeaders = map[string]map[string]string{
	"/replay-frame": {"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src " +
		"data:; font-src data:; " +
		"media-src data:; frame-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
		"Referrer-Policy": "no-referrer", "X-DNS-Prefetch-Control": "off"},
	"/files/{attachmentId}": {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
		"Cache-Control": "private, no-cache", "Content-Type": "image/png",
		"Cross-Origin-Resource-Policy": "same-origin"},
	"/files/{attachmentId}/thumbnail": {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
		"Cache-Control": "private, no-cache", "Cross-Origin-Resource-Policy": "same-origin"},
}

// checkHeaders fails the test unless an answer has the headers of a page, of which some may be changed.
func checkHeaders(t *testing.T, a answer, changed map[string]string) {
	t.Helper()
	referrer, robots := "same-origin", ""
	if strings.Contains(a.path, " /s/") {
		referrer, robots = "no-referrer", "noindex, nofollow"
	}
	if strings.Contains(a.path, " /r/") {
		robots = "noindex, nofollow"
	}
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
			"connect-src 'self'; " +
			"media-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
			"require-trusted-types-for 'script'; trusted-types bugslice default",
		"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": referrer,
		"X-Robots-Tag": robots, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
	}
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") && a.path != "GET /replay-frame" {
		want[pageMark] = "1"
	} else {
		want[pageMark] = ""
	}
	maps.Copy(want, changed)
	for name, value := range want {
		if got := a.header.Get(name); got != value {
			t.Errorf("%s: %s is %q", a.path, name, got)
		}
	}
}

// checkTitle fails the test when an answer is a page without a title.
func checkTitle(t *testing.T, a answer) {
	t.Helper()
	isPage := strings.HasPrefix(a.header.Get("Content-Type"), "text/html")
	if a.status != 303 && isPage && !regexp.MustCompile(`<title>\S.* · Bugslice</title>`).MatchString(a.body) {
		t.Errorf("%s: no title in %s", a.path, a.body)
	}
}

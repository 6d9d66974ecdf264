package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/examples/shop"
)

// TestBrokenShop: a customer of the broken shop reports what Chromium captured, and it is read back over the API and as
// Markdown: what went wrong is there, what she typed in confidence is not.
func TestBrokenShop(t *testing.T) {
	seen := readCapture(t, "discount-code")
	s := oneEngine(t)
	o := newOrg(t, s, "shop")
	var environment map[string]any
	raw, err := json.Marshal(seen.Environment)
	must(t, err)
	must(t, json.Unmarshal(raw, &environment))
	a := o.want(t, 201, "POST", "/v1/slices",
		map[string]any{"workspaceId": o.Workspace, "summary": "Checkout fails with a discount code",
			"description": "I paid with " + shop.CardNumber + " and my password is password=" + shop.Password,
			"sourceUrl":   shopAddress + "checkout?access_token=" + shop.AccessToken,
			"environment": environment, "evidence": map[string]any{"console": seen.Console,
				"network": seen.Network, "actions": seen.Actions, "replay": seen.Replay}})
	path := "/v1/slices/" + a.get(t, "id").(string)
	last := seen.Screenshots[len(seen.Screenshots)-1]
	shot := o.upload(t, 201, a.get(t, "id").(string), "checkout.png", "image/png", string(last.png))
	shot.has(t, members{"kind": "screenshot"})
	if shot.get(t, "width").(float64) < 500 || shot.get(t, "thumbnail") == nil {
		t.Errorf("%s", shot.Body)
	}
	parts := map[string]string{"slice": path, "errors": path + "/console?limit=100&level=error",
		"console": path + "/console?limit=100", "failed": path + "/network?limit=100&status=4xx,5xx,failed",
		"network": path + "/network?limit=100", "archive": path + "/network.har",
		"actions": path + "/actions?limit=100", "replay": path + "/replay",
		"events": "/v1/events?limit=100&workspaceId=" + o.Workspace}
	read := map[string]string{}
	for name, p := range parts {
		read[name] = string(o.want(t, 200, "GET", p, nil).Body)
	}
	read["markdown"] = string(o.want(t, 200, "GET", path+"?maxTokens=8000", nil, "Accept", "text/markdown").Body)
	for name, wants := range map[string][]string{
		"errors": {"TypeError", "onDiscount"}, "failed": {"/api/orders",
			`"status":500`, "cus_20417.jpg", `"status":404`, "ERR_EMPTY_RESPONSE"}, "actions": {"click"},
		"replay":   {`"type":2`},
		"markdown": {"TypeError", "/api/orders → 500", "applyDiscount", "checkout.png"},
	} {
		for _, want := range wants {
			if !strings.Contains(read[name], want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
	_, signature, _ := strings.Cut(shop.Token, ".")
	for name, text := range read {
		for what, secret := range map[string]string{"password": shop.Password,
			"card": shop.CardNumber, "card without spaces": strings.ReplaceAll(shop.CardNumber, " ", ""),
			"half a card": "4242 4242 4", "session": shop.Session,
			"access token": shop.AccessToken, "token": shop.Token, "the token's end": signature} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s holds the %s: …%s…", name, what, text[max(0, i-150):min(len(text), i+60)])
			}
		}
	}
	if dir := os.Getenv("BUGSLICE_TEST_SHOTS"); dir != "" {
		must(t, os.WriteFile(filepath.Join(dir, "broken-shop.md"), []byte(read["markdown"]), 0o600))
	}
}

package suite

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime"
	"net/http"
	"testing"
)

// captured is evidence as a tool sends it, with secrets in it.
func captured() map[string]any {
	return map[string]any{
		"console": []any{
			map[string]any{"level": "info", "timestamp": "2026-11-20T10:00:00.000Z", "message": "cart opened"},
			map[string]any{"level": "error", "timestamp": "2026-11-20T10:00:01.000Z",
				"message": "TypeError: voucher.discount is undefined",
				"stack":   "TypeError: voucher.discount is undefined\n    at applyVoucher (checkout.js:42:17)",
				"args":    []any{map[string]any{"password": "hunter2hunter2"}}},
			map[string]any{"level": "warn", "timestamp": "2026-11-20T10:00:02.000Z",
				"message": "retry with token=9b74c9897bac770ffc029102a200c5de"},
		},
		"network": map[string]any{"log": map[string]any{"version": "1.2",
			"creator": map[string]any{"name": "test", "version": "1"}, "entries": []any{
				entry("GET", "https://shop.example.com/api/cart", 200),
				entry("POST", "https://shop.example.com/api/orders?access_token=0123456789abcdef", 500),
				entry("GET", "https://shop.example.com/missing.png", 404),
				entry("GET", "https://tracker.example.com/", 0)}}},
		"actions": []any{
			map[string]any{"type": "input", "timestamp": "2026-11-20T10:00:00.000Z",
				"selector": "input#password", "value": "correct horse"},
			map[string]any{"type": "click", "timestamp": "2026-11-20T10:00:01.000Z", "selector": "button#checkout",
				"text": "Checkout"},
		},
		"replay": []any{map[string]any{"type": 4, "timestamp": 1,
			"data": map[string]any{"href": "https://shop.example.com/"}},
			map[string]any{"type": 3, "timestamp": 2,
				"data": map[string]any{"source": 5, "text": "4111 1111 1111 1111"}}},
	}
}

var planted = []string{"hunter2hunter2", "9b74c9897bac770ffc029102a200c5de",
	"0123456789abcdef", "correct horse", "4111 1111 1111 1111", "header-secret", "cookie-secret", "body-secret"}

func entry(method, url string, status int) map[string]any {
	return map[string]any{"startedDateTime": "2026-11-20T10:00:00.500Z",
		"time": 12.5, "cache": map[string]any{}, "timings": map[string]any{},
		"request": map[string]any{"method": method, "url": url, "httpVersion": "HTTP/2",
			"headers":  []any{map[string]any{"name": "Authorization", "value": "Bearer header-secret"}},
			"cookies":  []any{map[string]any{"name": "sid", "value": "cookie-secret"}},
			"postData": map[string]any{"mimeType": "text/plain", "text": `{"password":"body-secret","item":4711}`}},
		"response": map[string]any{"status": status, "statusText": http.StatusText(status),
			"headers": []any{}, "content": map[string]any{"mimeType": "application/json",
				"text": `{"error":"no such voucher"}`}}}
}

// upload sends a file as the body.
func (c client) upload(t *testing.T, status int, sliceID, name, kind, body string, headers ...string) answer {
	t.Helper()
	headers = append([]string{"Content-Type", kind, "Content-Disposition",
		mime.FormatMediaType("attachment", map[string]string{"filename": name})}, headers...)
	return c.want(t, status, "POST", "/v1/slices/"+sliceID+"/attachments", body, headers...)
}

func picture(w, h int) string {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{uint8(x), uint8(y), uint8(x * y), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.String()
}

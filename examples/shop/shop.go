// Package shop is a small web shop with typical bugs. Browsers visit it to capture the evidence of the demo, and in
// tests. It responds the same each time, forgets its orders when it ends, and loads nothing from other hosts.
package shop

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// Input of the customer.
const (
	Name         = "Astrid Lindqvist"
	Email        = "astrid.lindqvist@customer.example"
	Password     = "correct-Horse-7-battery"
	CardNumber   = "4242 4242 4242 4242"
	CardExpiry   = "11 / 29"
	CardCode     = "739"
	DiscountCode = "AUTUMN15" // its campaign has ended, which breaks the page
)

// Credentials that the shop issues.
const (
	Session     = "s%3AkQ7vX2mB9tLrN4wZ8pYc1dHs6gJf3aUe" // a cookie that scripts cannot read
	Visitor     = "v-59c1f0b2a7d84e36"                   // a cookie that they can read
	AccessToken = "kc_at_7Gm2RzVq9LxTb4NwYs8KdPf1"       // in the address of a request
)

// Token is the JSON Web Token of a login: in its response, then in the Authorization header.
var Token = token(`{"alg":"HS256","typ":"JWT"}`, `{"sub":"cus_20417","email":"`+Email+
	`","iat":1767225600,"exp":1798761600}`)

// Slow is the time of a response with shipping rates.
const Slow = time.Second

//go:embed site
var site embed.FS

// Capture is where visitors report bugs of the shop: a source of an instance.
type Capture struct {
	Instance string // its address; empty for a shop without reports
	Key      string // svc_pub_…
}

// script returns the element that loads the script, and the button that opens its dialog.
func (c Capture) script() (script, button string) {
	if c.Instance == "" {
		return "", ""
	}
	script = fmt.Sprintf("<script async src=\"%s/capture/v1.js\" data-key=\"%s\" data-release=\"%s\"></script>\n",
		html.EscapeString(strings.TrimSuffix(c.Instance, "/")), html.EscapeString(c.Key), Release)
	return script, ` · <button class="quiet" type="button" onclick="(window.Bugslice ||= []).push(['report'])">Report a problem</button>`
}

// Release is that of the shop.
const Release = "2026.11.2"

// Handler serves the shop.
func Handler(c Capture) http.Handler {
	files, err := fs.Sub(site, "site")
	if err != nil {
		panic(err)
	}
	placed := &orders{}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /{$}", visit(page(files, "index.html", c)))
	for _, name := range []string{"product", "checkout", "account"} {
		mux.HandleFunc("GET /"+name, visit(page(files, name+".html", c)))
	}
	mux.HandleFunc("POST /newsletter", subscribe)
	mux.HandleFunc("GET /api/products", products)
	mux.HandleFunc("GET /api/products/{id}/reviews", reviews)
	mux.HandleFunc("POST /api/products/{id}/reviews", review)
	mux.HandleFunc("GET /api/prices", prices)
	mux.HandleFunc("GET /api/search", searching)
	mux.HandleFunc("GET /api/stores", stores)
	mux.HandleFunc("GET /api/stock", stock)
	mux.HandleFunc("GET /api/recommendations", recommendations)
	mux.HandleFunc("GET /api/discounts", discounts)
	mux.HandleFunc("GET /api/shipping", shipping)
	mux.HandleFunc("GET /api/account", account)
	mux.HandleFunc("GET /api/account/reviews", openReviews)
	mux.HandleFunc("POST /api/login", login)
	mux.HandleFunc("POST /api/metrics", metrics)
	mux.HandleFunc("GET /api/orders", placed.list)
	mux.HandleFunc("POST /api/orders", placed.place)
	mux.HandleFunc("POST /api/returns", returns)
	mux.HandleFunc("OPTIONS pay.northwind.example/v1/gift-cards/balance", giftCards)
	return noStore(mux)
}

// noStore forbids caching, so that each visit sends the same requests.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// token signs a JSON Web Token.
func token(header, payload string) string {
	signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte("a shop for tests"))
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// page serves a page, with the script before its own ones.
func page(files fs.FS, name string, c Capture) http.HandlerFunc {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}
	script, button := c.script()
	text = bytes.Replace(text, []byte("<script"), []byte(script+"<script"), 1)
	text = bytes.Replace(text, []byte("</footer>"), []byte(button+"</footer>"), 1)
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
	}
}

// visit sets a cookie on the first visit of a browser.
func visit(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("visitor"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "visitor", Value: Visitor, Path: "/", SameSite: http.SameSiteLaxMode})
		}
		next(w, r)
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

type errorBody struct {
	Error struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		RequestID string `json:"requestId"`
	} `json:"error"`
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	var f errorBody
	f.Error.Code, f.Error.Message, f.Error.RequestID = code, message, "req_01k3shq7v2mb9tlrn4wz"
	writeJSON(w, status, f)
}

// loggedIn reports whether a request has both the session's cookie and its token.
func loggedIn(r *http.Request) bool {
	c, err := r.Cookie("session")
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return err == nil && c.Value == Session && ok && bearer == Token
}

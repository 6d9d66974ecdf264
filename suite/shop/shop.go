// Package shop is a small web shop that breaks as shops do: the material that tests of
// captures work on. It keeps nothing between requests, answers the same each time, and
// loads nothing from elsewhere. It serves tests alone.
package shop

import (
	"crypto/hmac"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// Customer, as she types herself in.
const (
	Name         = "Astrid Lindqvist"
	Email        = "astrid.lindqvist@customer.example"
	Password     = "correct-Horse-7-battery"
	CardNumber   = "4242 4242 4242 4242"
	CardExpiry   = "11 / 29"
	CardCode     = "739"
	DiscountCode = "AUTUMN15" // its campaign has ended, which breaks the page
)

// What the shop hands out.
const (
	Session     = "s%3AkQ7vX2mB9tLrN4wZ8pYc1dHs6gJf3aUe" // a cookie that scripts do not see
	Visitor     = "v-59c1f0b2a7d84e36"                   // a cookie that they see
	AccessToken = "kc_at_7Gm2RzVq9LxTb4NwYs8KdPf1"       // in the address of a request
)

// Token is the JSON Web Token of a login: the answer's, then the Authorization header's.
var Token = token(`{"alg":"HS256","typ":"JWT"}`, `{"sub":"cus_20417","email":"`+Email+`","iat":1767225600,"exp":1798761600}`)

// Slow is how long the shipping rates take.
const Slow = time.Second

//go:embed site
var site embed.FS

// Handler serves the shop.
func Handler() http.Handler {
	files, err := fs.Sub(site, "site")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /{$}", visit(page(files, "index.html")))
	mux.HandleFunc("GET /checkout", visit(page(files, "checkout.html")))
	mux.HandleFunc("POST /newsletter", subscribe)
	mux.HandleFunc("GET /api/products", products)
	mux.HandleFunc("GET /api/recommendations", recommendations)
	mux.HandleFunc("GET /api/reviews", reviews)
	mux.HandleFunc("GET /api/discounts", discounts)
	mux.HandleFunc("GET /api/shipping", shipping)
	mux.HandleFunc("GET /api/account", account)
	mux.HandleFunc("POST /api/login", login)
	mux.HandleFunc("POST /api/metrics", metrics)
	mux.HandleFunc("POST /api/orders", orders)
	return fresh(mux)
}

// fresh keeps answers out of caches, so that each visit makes the same requests.
func fresh(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func token(header, payload string) string {
	signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte("a shop for tests"))
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func page(files fs.FS, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, name) }
}

// visit greets a browser that comes for the first time.
func visit(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("visitor"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "visitor", Value: Visitor, Path: "/", SameSite: http.SameSiteLaxMode})
		}
		next(w, r)
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

type fault struct {
	Error struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		RequestID string `json:"requestId"`
	} `json:"error"`
}

func fail(w http.ResponseWriter, status int, code, message string) {
	var f fault
	f.Error.Code, f.Error.Message, f.Error.RequestID = code, message, "req_01k3shq7v2mb9tlrn4wz"
	answer(w, status, f)
}

// loggedIn wants the session's cookie and its token.
func loggedIn(r *http.Request) bool {
	c, err := r.Cookie("session")
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return err == nil && c.Value == Session && ok && bearer == Token
}

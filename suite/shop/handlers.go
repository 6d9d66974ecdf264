package shop

import (
	"encoding/json"
	"net/http"
	"time"
)

type product struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Note  string `json:"note"`
	Cents int    `json:"cents"`
	Image string `json:"image"`
	Tint  string `json:"tint"`
}

// catalogue names a picture that does not exist.
var catalogue = []product{
	{"kettle", "Stovetop kettle", "Enamelled steel, 1.8 l", 6400, "/images/kettle.svg", "sage"},
	{"teapot", "Round teapot", "Stoneware, with strainer", 4900, "/images/teapot.svg", "sand"},
	{"mug", "Everyday mug", "Hand-thrown, 0.3 l", 1850, "/images/mug.svg", "clay"},
	{"board", "Bread board", "Oiled oak, 40 cm", 3800, "/images/board.svg", "sky"},
	{"towel", "Linen tea towel", "Washed linen, set of two", 2200, "/images/towel.jpg", "sand"},
	{"jar", "Pantry jar", "Glass and cork, 1 l", 1600, "/images/jar.svg", "sage"},
	{"pan", "Cast-iron pan", "Pre-seasoned, 26 cm", 7200, "/images/pan.svg", "sky"},
	{"bowl", "Batter bowl", "Glazed, with spout, 2 l", 3450, "/images/bowl.svg", "sand"},
	{"whisk", "Balloon whisk", "Steel wire, beech handle", 1450, "/images/whisk.svg", "clay"},
}

func products(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": catalogue, "currency": "EUR"})
}

func recommendations(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("access_token") != AccessToken {
		writeError(w, http.StatusUnauthorized, "token_unknown", "That access token is not known.")
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"items": []string{"mug", "jar"}, "model": "often-together"})
}

// reviews returns the error page of a proxy, with the media type of JSON.
func reviews(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("<!doctype html><title>502</title><h1>Bad gateway</h1>\n"))
}

// discounts lists a campaign that has ended and has no terms.
func discounts(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"codes": map[string]any{
		DiscountCode: map[string]any{"campaign": "autumn-2026", "endsAt": "2026-10-31T22:59:59Z", "terms": nil},
		"WELCOME5":   map[string]any{"campaign": "welcome", "endsAt": nil, "terms": map[string]int{"percent": 5}},
	}})
}

func shipping(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(Slow):
	case <-r.Context().Done():
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"rates": []map[string]any{
		{"id": "standard", "name": "Standard, 3 to 5 days", "cents": 490},
		{"id": "express", "name": "Express, next day", "cents": 1290},
	}})
}

func login(w http.ResponseWriter, r *http.Request) {
	var in struct{ Email, Password string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Email != Email || in.Password != Password {
		writeError(w, http.StatusUnauthorized, "login_refused", "E-mail and password do not match.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "session", Value: Session, Path: "/", MaxAge: 14 * 24 * 3600,
		HttpOnly: true, SameSite: http.SameSiteLaxMode})
	writeJSON(w, http.StatusOK, map[string]any{"token": Token, "expiresIn": 3600, "user": customer})
}

var customer = map[string]string{"id": "cus_20417", "name": Name, "email": Email}

func account(w http.ResponseWriter, r *http.Request) {
	if !loggedIn(r) {
		writeError(w, http.StatusUnauthorized, "login_needed", "Please log in.")
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"user": customer, "points": 340})
}

// metrics closes the connection without a response.
func metrics(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// subscribe accepts a form and redirects the browser.
func subscribe(w http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("email") == "" {
		writeError(w, http.StatusUnprocessableEntity, "email_missing", "An e-mail address is needed.")
		return
	}
	http.Redirect(w, r, "/?subscribed=1", http.StatusSeeOther)
}

// orders always fails.
func orders(w http.ResponseWriter, r *http.Request) {
	var in struct{ Items []any }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Items) == 0 {
		writeError(w, http.StatusUnprocessableEntity, "cart_empty", "The order has no items.")
		return
	}
	writeError(w, http.StatusInternalServerError, "stock_reservation_failed",
		"reserve stock: deadline exceeded after 3 attempts (warehouse eu-north-1)")
}

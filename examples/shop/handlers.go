package shop

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

type product struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Note  string   `json:"note"`
	About string   `json:"about"`
	Cents int      `json:"cents"`
	Tint  string   `json:"tint"`
	Sizes []string `json:"sizes"`
	Photo string   `json:"photo,omitempty"` // in place of the drawing; the file does not exist
}

var catalogue = []product{
	{"jacket", "Storm jacket", "Three layers, 420 g", "Waterproof, with a hood that fits over a helmet.", 18900, "sand",
		[]string{"XS", "S", "M", "L"}, ""},
	{"boots", "Fell boots", "Leather, resoleable", "Stiff enough for scree, soft enough for the pub afterwards.", 21450,
		"sky",
		[]string{"39", "40", "41", "42", "43"}, ""},
	{"socks", "Merino socks", "Two pairs, mid calf", "Warm when wet, and darned by us for free.", 499, "clay",
		[]string{"36-39", "40-43"}, ""},
	{"backpack", "Day pack 24", "24 litres, rain cover", "One big pocket, one small one, nothing that dangles.", 9800,
		"sage",
		[]string{"Regular", "Long"}, ""},
	{"flask", "Steel flask", "0.75 l, keeps 12 hours", "Dents add character. Lids are spare parts.", 3250, "sky",
		[]string{"0.5 l", "0.75 l"}, ""},
	{"tent", "Ridge tent", "Two people, 1.9 kg", "Pitches in four minutes, in the rain, by one person.", 42900, "sage",
		[]string{"2 people"}, ""},
	{"beanie", "Wool beanie", "Undyed, one size", "Knitted in Västergötland.", 2900, "sand", []string{"One size"}, ""},
	{"lantern", "Camp lantern", "USB-C, 60 hours", "A warm light that does not blind your neighbours.", 4500, "clay",
		[]string{"One size"},
		"/photos/lantern-1200.jpg"},
	{"stove", "Gas stove", "83 g, boils in 3 min", "Folds smaller than your fist.", 5600, "sky", []string{"One size"},
		""},
}

func products(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": catalogue, "currency": "EUR"})
}

// prices takes longer than a double click.
func prices(w http.ResponseWriter, r *http.Request) {
	if !pause(r, 600*time.Millisecond) {
		return
	}
	cents := map[string]int{}
	for _, p := range catalogue {
		cents[p.ID] = p.Cents
	}
	writeJSON(w, http.StatusOK, map[string]any{"cents": cents})
}

// searching answers short queries late, so that the results of an earlier query replace those of a later one.
func searching(w http.ResponseWriter, r *http.Request) {
	query := strings.ToLower(r.URL.Query().Get("q"))
	if !pause(r, max(0, 4-time.Duration(len(query)))*1200*time.Millisecond) {
		return
	}
	found := []product{}
	for _, p := range catalogue {
		if strings.Contains(strings.ToLower(p.Name), query) {
			found = append(found, p)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"items": found})
}

// pause waits, and reports whether the client still does.
func pause(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

func recommendations(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("access_token") != AccessToken {
		writeError(w, http.StatusUnauthorized, "token_unknown", "That access token is not known.")
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"items": []string{"boots", "socks"}, "model": "often-together"})
}

// openReviews returns the error page of a proxy, with the media type of JSON.
func openReviews(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("<!doctype html><title>502</title><h1>Bad gateway</h1>\n"))
}

func reviews(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": []map[string]any{
		{"stars": 5, "title": "Ten winters and counting",
			"text": "Resewn once by the workshop, for free. Still my favourite."},
		{"stars": 4, "title": "Good, runs small", "text": "Take one size more than usual."}}})
}

// review refuses a review without stars.
func review(w http.ResponseWriter, r *http.Request) {
	var in struct{ Stars int }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Stars == 0 {
		writeError(w, http.StatusUnprocessableEntity, "stars_missing", "Please choose how many stars you give.")
		return
	}
	writeJSON(w, http.StatusCreated, map[string]any{"state": "waiting"})
}

// stores has no body for a product that no store has.
func stores(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("product") == "tent" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"stores": []map[string]any{
		{"name": "Gothenburg", "count": 3}, {"name": "Malmö", "count": 1}}})
}

// discounts lists a campaign that has ended and has no terms.
func discounts(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"codes": map[string]any{
		DiscountCode: map[string]any{"campaign": "autumn-2026", "endsAt": "2026-10-31T22:59:59Z", "terms": nil},
		"WELCOME5":   map[string]any{"campaign": "welcome", "endsAt": nil, "terms": map[string]int{"percent": 5}},
	}})
}

// shipping lists a store without hours.
func shipping(w http.ResponseWriter, r *http.Request) {
	if !pause(r, Slow) {
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"rates": []map[string]any{
		{"id": "standard", "name": "Standard, 3 to 5 days", "cents": 490},
		{"id": "express", "name": "Express, next day", "cents": 1290},
		{"id": "pickup", "name": "Collect in Gothenburg", "cents": 0,
			"store": map[string]any{"id": "gbg-1", "name": "Gothenburg", "hours": nil}},
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

// customer has a picture that does not exist.
var customer = map[string]string{"id": "cus_20417", "name": Name, "email": Email, "picture": "/avatars/cus_20417.jpg"}

func account(w http.ResponseWriter, r *http.Request) {
	if !loggedIn(r) {
		writeError(w, http.StatusUnauthorized, "login_needed", "Please log in.")
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"user": customer, "points": 340})
}

// metrics closes the connection without a response.
func metrics(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// stock never answers with the stock.
func stock(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "60")
	writeError(w, http.StatusServiceUnavailable, "warehouse_unavailable",
		"The stock is being counted. Try again in a minute.")
}

// giftCards is on another host, and does not allow the shop's origin.
func giftCards(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// returns refuses a large photo with the page of a proxy.
func returns(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusRequestEntityTooLarge)
	_, _ = io.WriteString(w, "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n"+
		"<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n")
}

// subscribe accepts a form and redirects the browser.
func subscribe(w http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("email") == "" {
		writeError(w, http.StatusUnprocessableEntity, "email_missing", "An e-mail address is needed.")
		return
	}
	http.Redirect(w, r, "/?subscribed=1", http.StatusSeeOther)
}

type order struct {
	Number  string `json:"number"`
	Summary string `json:"summary"`
	Cents   int    `json:"cents"`
	State   string `json:"state"`
}

// orders are those of a visit. The same order may be placed twice.
type orders struct {
	mu  sync.Mutex
	all []order
}

func (o *orders) list(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{"items": append(o.all,
		order{"NO-48177", "1 × Wool beanie", 2900, "Delivered"})})
}

// place fails for an order with a discount code whose campaign has no terms.
func (o *orders) place(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Items []struct {
			ID       string
			Quantity int
		}
		Discount string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Items) == 0 {
		writeError(w, http.StatusUnprocessableEntity, "cart_empty", "The order has no items.")
		return
	}
	if in.Discount == DiscountCode {
		writeError(w, http.StatusInternalServerError, "discount_not_applied",
			"campaign autumn-2026: terms are nil (pricing/discount.go:118)")
		return
	}
	placed := order{State: "In preparation"}
	var lines []string
	for _, item := range in.Items {
		for _, p := range catalogue {
			if p.ID == item.ID {
				placed.Cents += p.Cents * item.Quantity
				lines = append(lines, fmt.Sprintf("%d × %s", item.Quantity, p.Name))
			}
		}
	}
	placed.Summary = strings.Join(lines, ", ")
	o.mu.Lock()
	defer o.mu.Unlock()
	placed.Number = fmt.Sprintf("NO-%d", 48211+len(o.all))
	o.all = append(o.all, placed)
	writeJSON(w, http.StatusCreated, placed)
}

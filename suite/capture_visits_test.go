package suite

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"bugslice/examples/shop"
)

// device is what a shopper of the shop uses. Its browser is always Chromium.
type device struct {
	name, os, platform, agent string // agent is the part in parentheses of the user agent
	width, height             int64
	screenWidth, screenHeight int64
	scale                     float64
	mobile                    bool
	locale, timezone          string
}

var (
	desktop = device{name: "ThinkCentre", os: "Windows 11", platform: "Win32", agent: "Windows NT 10.0; Win64; x64",
		width: 1280, height: 800, screenWidth: 1920, screenHeight: 1080, scale: 1, locale: "sv-SE",
		timezone: "Europe/Stockholm"}
	laptop = device{name: "MacBook Air", os: "macOS 26.1", platform: "MacIntel",
		agent: "Macintosh; Intel Mac OS X 10_15_7",
		width: 1440, height: 812, screenWidth: 1440, screenHeight: 900, scale: 1, locale: "en-GB",
		timezone: "Europe/London"}
	phone = device{name: "Pixel 9", os: "Android 16", platform: "Linux armv8l", agent: "Linux; Android 10; K",
		width: 390, height: 844, screenWidth: 390, screenHeight: 844, scale: 2, mobile: true, locale: "pt-PT",
		timezone: "Europe/Lisbon"}
)

// visit is one to the shop that ends with a bug.
type visit struct {
	name   string // of its folder among the demo's evidence
	device device
	steps  func(v *shopper)
}

// visits are those that the demo shows.
var visits = []visit{
	{"discount-code", desktop, func(v *shopper) { payWithDiscount(v, "jacket", "socks", "socks", "flask") }},
	{"discount-code-laptop", laptop, func(v *shopper) { payWithDiscount(v, "tent") }},
	{"discount-code-phone", phone, func(v *shopper) { payWithDiscount(v, "boots", "beanie") }},
	{"store-pickup", desktop, func(v *shopper) { collectInStore(v, "backpack", "flask") }},
	{"store-pickup-phone", phone, func(v *shopper) { collectInStore(v, "stove") }},
	{"lost-review", laptop, loseReview},
	{"double-order", desktop, orderTwice},
	{"missing-photo", laptop, openLantern},
	{"slow-search", desktop, searchSlowly},
	{"store-spinner", laptop, findInStore},
	{"store-spinner-phone", phone, findInStore},
	{"cut-off-button", phone, buyOnPhone},
	{"gift-card", desktop, useGiftCard},
	{"rounding", laptop, payInKronor},
	{"return-photo", desktop, returnWithPhoto},
	{"stock-flood", desktop, watchStock},
}

// payWithDiscount logs in, subscribes to the letter, and pays with a code whose campaign is over: the page throws, and
// the order fails.
func payWithDiscount(v *shopper, products ...string) {
	v.open("", "#add-jacket")
	v.click("#login-open")
	v.enter("#login-email", shop.Email)
	v.enter("#login-password", shop.Password+kb.Enter)
	v.seen("#account")
	fillCart(v, products)
	v.scrollTo("#newsletter")
	v.enter("#newsletter-email", shop.Email)
	v.click("#newsletter button")
	v.seen("#subscribed")
	checkOut(v)
	v.click("#rate-express")
	v.enter("#discount-code", shop.DiscountCode)
	v.click("#discount-apply")
	v.shoot("code-applied")
	fillOrder(v)
	v.click("#pay")
	v.seen("#order-error")
	v.shoot("order-failed")
}

func fillCart(v *shopper, products []string) {
	for _, id := range products {
		v.click("#add-" + id)
	}
	v.settle()
}

func checkOut(v *shopper) {
	v.click("#checkout-link")
	v.seen("#rate-express")
}

func fillOrder(v *shopper) {
	v.enter("#order-name", shop.Name)
	v.enter("#order-email", shop.Email)
	v.enter("#card-number", shop.CardNumber)
	v.enter("#card-expiry", shop.CardExpiry)
	v.enter("#card-code", shop.CardCode)
	v.enter("#order-password", shop.Password)
}

// collectInStore chooses a store without hours: the page throws, and the button stays disabled.
func collectInStore(v *shopper, products ...string) {
	v.open("", "#add-jacket")
	fillCart(v, products)
	checkOut(v)
	v.click("#rate-pickup")
	v.scrollTo("#pay")
	v.shoot("button-stays-grey")
}

// loseReview sends a review without stars: it is refused, and the form is empty.
func loseReview(v *shopper) {
	v.open("product?id=boots", "#buy")
	v.scrollTo("#review")
	v.enter("#review-title", "Dry feet on Kebnekaise")
	v.enter("#review-text", "Two weeks of rain, scree and snow fields, and my socks stayed dry. The left heel needed "+
		"three days to break in; since then I forget that I wear them. The laces are too long.")
	v.shoot("review-written")
	v.click("#review-send")
	v.shoot("review-gone")
}

// orderTwice clicks twice on the button that pays: two orders are placed.
func orderTwice(v *shopper) {
	v.open("", "#add-jacket")
	fillCart(v, []string{"backpack", "beanie"})
	checkOut(v)
	fillOrder(v)
	v.pointAt("#pay")
	v.do(chromedp.Click(chromedp.CSS("#pay")), chromedp.Click(chromedp.CSS("#pay")))
	v.settle()
	v.seen("#thanks")
	v.shoot("two-orders")
}

// openLantern opens a product whose photo is missing.
func openLantern(v *shopper) {
	v.open("", "#add-jacket")
	v.click("#open-lantern")
	v.seen("#buy")
	v.shoot("no-photo")
}

// searchSlowly types a word whose first letters are answered last.
func searchSlowly(v *shopper) {
	v.open("", "#add-jacket")
	v.enter("#search", "te")
	time.Sleep(600 * time.Millisecond)
	v.keys("nt")
	v.do(chromedp.WaitVisible(chromedp.CSS("#search-results li")))
	v.shoot("results-of-the-first-letter")
}

// findInStore looks for a product that no store has: the spinner stays.
func findInStore(v *shopper) {
	v.open("", "#add-jacket")
	v.click("#open-tent")
	v.seen("#buy")
	v.click("#find-store")
	v.pause(4 * time.Second)
	v.shoot("still-asking")
}

// buyOnPhone looks for the button that is beyond the right edge of the screen.
func buyOnPhone(v *shopper) {
	v.open("", "#add-jacket")
	v.click("#open-boots")
	v.seen("#find-store")
	v.click("#size-41")
	v.scrollTo("#engraving")
	v.enter("#engraving", "ASTRID")
	v.shoot("no-button")
}

// useGiftCard asks another host, which does not allow the shop's origin.
func useGiftCard(v *shopper) {
	v.open("", "#add-jacket")
	fillCart(v, []string{"boots"})
	checkOut(v)
	v.enter("#gift-card", "NWGC-2026-0418")
	v.click("#gift-apply")
	v.shoot("gift-card-refused")
}

// payInKronor changes the currency: the total is truncated, not rounded.
func payInKronor(v *shopper) {
	v.open("", "#add-jacket")
	fillCart(v, []string{"socks", "socks", "socks"})
	v.shoot("total-in-euro")
	v.do(chromedp.Focus(chromedp.CSS("#currency")))
	v.keys("S")
	v.settle()
	v.shoot("total-in-kronor")
}

// returnWithPhoto sends a photo that is too large: the page waits for ever.
func returnWithPhoto(v *shopper) {
	photo := filepath.Join(v.t.TempDir(), "IMG_2041.jpg")
	random := make([]byte, 6<<20)
	_, _ = rand.Read(random)
	must(v.t, os.WriteFile(photo, append([]byte("\xff\xd8\xff\xe0"), random...), 0o600))
	v.open("account", "#orders tr")
	v.scrollTo("#return")
	v.enter("#return-reason", "The zip of my beanie bag came off on the second day.")
	v.do(chromedp.SetUploadFiles(chromedp.CSS("#return-photo"), []string{photo}))
	v.pause(time.Second)
	v.click("#return-send")
	v.pause(2 * time.Second)
	v.shoot("stuck-at-100")
}

// watchStock turns on the live stock, which asks again at once after a failure, and turns it off.
func watchStock(v *shopper) {
	v.open("", "#add-jacket")
	v.click("#live-stock")
	time.Sleep(800 * time.Millisecond)
	v.click("#live-stock")
	v.shoot("no-stock")
}

// shopper makes a visit in a browser that records it.
type shopper struct {
	t       *testing.T
	ctx     context.Context
	r       *recorder
	address string
	device  device
	shots   []screenshot
	slowly  bool // as a person does
	x, y    float64
}

// record makes a visit at the shop's address and returns what was captured. slowly makes a replay that people can
// follow.
func (w visit) record(t *testing.T, ctx context.Context, address string, slowly bool) Capture {
	t.Helper()
	v := &shopper{t: t, ctx: ctx, r: newRecorder(t, ctx), address: address, device: w.device, slowly: slowly}
	version := v.emulate()
	began := time.Now()
	w.steps(v)
	v.settle()
	c := v.r.finish(t, ctx)
	c.StartedAt, c.EndedAt = stamp(float64(began.UnixMilli())), stamp(float64(time.Now().UnixMilli()))
	c.Screenshots = v.shots
	c.Environment.Browser, c.Environment.OS, c.Environment.Device = "Chrome "+version, w.device.os, w.device.name
	return c
}

// emulate turns the browser into the shopper's device, and returns the major version of Chromium.
func (v *shopper) emulate() string {
	d := v.device
	product, err := chromedp.CallBrowser(v.ctx, browser.GetVersion, cdp.Empty{})
	must(v.t, err)
	_, version, _ := strings.Cut(product.Product, "/")
	version, _, _ = strings.Cut(version, ".")
	mobile := ""
	if d.mobile {
		mobile = " Mobile"
	}
	brands := []*emulation.UserAgentBrandVersion{{Brand: "Google Chrome", Version: version},
		{Brand: "Chromium", Version: version}}
	_, err = chromedp.Call(v.ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{
		UserAgent: fmt.Sprintf("Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0%s Safari/537.36",
			d.agent, version, mobile),
		AcceptLanguage: d.locale, Platform: d.platform,
		UserAgentMetadata: &emulation.UserAgentMetadata{Brands: brands, Platform: strings.Fields(d.os)[0],
			Mobile: d.mobile}})
	must(v.t, err)
	_, err = chromedp.Call(v.ctx, emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: d.timezone})
	must(v.t, err)
	set := func(p *emulation.SetDeviceMetricsOverrideParams, touch *emulation.SetTouchEmulationEnabledParams) {
		p.ScreenWidth, p.ScreenHeight, p.DeviceScaleFactor, p.Mobile = d.screenWidth, d.screenHeight, d.scale, d.mobile
		touch.Enabled = d.mobile
	}
	must(v.t, chromedp.Do(v.ctx, chromedp.EmulateViewport(d.width, d.height, set)))
	return version
}

func (v *shopper) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	must(v.t, chromedp.Do(v.ctx, actions...))
}

// settle waits until the page is quiet. What is not settled before the next page is not captured completely.
func (v *shopper) settle() {
	v.t.Helper()
	v.r.settle(v.t, v.ctx)
}

// pause lets a person look.
func (v *shopper) pause(d time.Duration) {
	if v.slowly {
		time.Sleep(d)
	}
}

func (v *shopper) open(path, id string) {
	v.t.Helper()
	v.do(chromedp.Navigate(v.address+path), chromedp.WaitVisible(chromedp.CSS(id)))
	v.settle()
	v.pause(time.Second)
}

func (v *shopper) seen(id string) {
	v.t.Helper()
	v.do(chromedp.WaitVisible(chromedp.CSS(id)))
	v.settle()
	v.pause(700 * time.Millisecond)
}

func (v *shopper) scrollTo(id string) {
	v.t.Helper()
	v.do(chromedp.ScrollIntoView(chromedp.CSS(id)))
	v.pause(700 * time.Millisecond)
}

func (v *shopper) click(ids ...string) {
	v.t.Helper()
	for _, id := range ids {
		v.pointAt(id)
		v.do(chromedp.Click(chromedp.CSS(id)))
		v.pause(400 * time.Millisecond)
	}
}

// pointAt moves the mouse to an element, as a person does.
func (v *shopper) pointAt(id string) {
	v.t.Helper()
	if !v.slowly || v.device.mobile {
		return
	}
	v.do(chromedp.WaitVisible(chromedp.CSS(id)), chromedp.ScrollIntoView(chromedp.CSS(id)))
	to := evaluate[[2]float64](v.t, v.ctx, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2] })()`, id))
	const steps = 12
	for i := 1.0; i <= steps; i++ {
		part := i / steps
		part = part * part * (3 - 2*part)
		v.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, v.x+(to[0]-v.x)*part, v.y+(to[1]-v.y)*part))
		time.Sleep(25 * time.Millisecond)
	}
	v.x, v.y = to[0], to[1]
}

// enter types into a field.
func (v *shopper) enter(id, text string) {
	v.t.Helper()
	v.click(id)
	v.keys(text)
	v.pause(300 * time.Millisecond)
}

// keys types where the focus is.
func (v *shopper) keys(text string) {
	v.t.Helper()
	if !v.slowly {
		v.do(chromedp.KeyEvent(text))
		return
	}
	for _, key := range text {
		v.do(chromedp.KeyEvent(string(key)))
		time.Sleep(55 * time.Millisecond)
	}
}

// shoot takes a screenshot, of which the actions and the replay know.
func (v *shopper) shoot(name string) {
	v.t.Helper()
	v.pause(800 * time.Millisecond)
	v.settle()
	at := evaluate[float64](v.t, v.ctx, fmt.Sprintf(`takesScreenshot(%q), Date.now()`, name+".png"))
	png, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	must(v.t, err)
	v.shots = append(v.shots, screenshot{Name: name + ".png", At: stamp(at), png: png})
	v.pause(500 * time.Millisecond)
}

package demo

import "bugslice/api"

// scenario is a bug as somebody met it; it is filed once for each of its settings.
type scenario struct {
	space, summary, steps, expected, actual string
	labels                                  []string
	severity                                api.Severity
	trace                                   string // a stack trace, or ""
}

var shopScenarios = []scenario{
	{"Checkout", "Checkout button does nothing after a voucher was removed", "Put two items in the cart|Enter voucher AUTUMN15 and remove it again|Press **Checkout**", "The address step opens", "The button greys out and nothing happens", []string{"checkout", "voucher"}, "critical", "TypeError: Cannot read properties of null (reading 'code')\n    at applyTotals (cart.js:214:31)\n    at onCheckout (cart.js:88:5)"},
	{"Checkout", "Order total differs by one cent between cart and receipt", "Add three pairs of socks at 4.99|Choose pickup|Pay and open the receipt", "Both show 14.97", "The receipt shows 14.96", []string{"checkout", "rounding"}, "major", ""},
	{"Checkout", "Card form loses the expiry date when the tab is switched", "Start to pay by card|Fill number and expiry date|Switch to the banking app and back", "The form is as it was", "Expiry date is empty and marked red", []string{"checkout", "payments"}, "major", ""},
	{"Checkout", "Shipping estimate stays at “calculating…” for island addresses", "Enter a postcode on Gotland|Wait", "An estimate with the ferry surcharge", "The spinner never ends; /api/rates answers 504 after 30 s", []string{"shipping"}, "major", "GET /api/rates?postcode=62157 504 (30012 ms)"},
	{"Checkout", "Gift message is cut at the first emoji", "Tick gift wrapping|Write a message with 🎁 in the middle|Order", "The whole message is printed", "The packing slip ends before the emoji", []string{"gift", "unicode"}, "minor", ""},
	{"Search", "Search suggestions cover the cart icon", "Focus the search field|Type *rain jac*", "Suggestions end above the header's edge", "The list lies over the cart and takes its clicks", []string{"search", "layout"}, "minor", ""},
	{"Search", "Filter “in stock” shows sold-out sizes", "Open Rain jackets|Tick *in stock*|Choose size S", "Only jackets in S", "Half of the results are sold out in S", []string{"search", "stock"}, "major", ""},
	{"Search", "Back button forgets the chosen filters", "Filter boots by size 42 and colour brown|Open a product|Go back", "The filters are kept", "All 312 boots are shown again", []string{"search", "navigation"}, "minor", ""},
	{"Search", "Searching for an apostrophe answers with an error page", "Search for *men's*", "Results for men's wear", "“Something went wrong”, status 500", []string{"search"}, "critical", "SyntaxError: unterminated string at position 5\n    at parseQuery (search/query.ts:41:13)"},
	{"Account", "Password reset mail links to the old domain", "Ask for a reset|Open the mail", "The link leads to the shop", "The link leads to the domain we gave up in May", []string{"account", "mail"}, "critical", ""},
	{"Account", "Order history shows the dates of returns as order dates", "Return an order|Open the history", "The order's own date", "The date of the return, so the list is out of order", []string{"account"}, "minor", ""},
	{"Account", "Newsletter box is ticked again after each save", "Untick *newsletter*|Save|Reload", "It stays unticked", "It is ticked; support had two complaints this week", []string{"account", "privacy"}, "major", ""},
	{"Account", "Deleting an address deletes the default one instead", "Have three addresses|Delete the second", "The second is gone", "The default is gone, the second is still there", []string{"account", "data-loss"}, "blocker", ""},
	{"Product pages", "Zoomed picture jumps to the first one on scroll", "Open a product with five pictures|Zoom the third|Scroll a little", "The third picture stays", "The first is shown", []string{"product", "images"}, "trivial", ""},
	{"Product pages", "Size table is in inches for everyone", "Open any trousers|Open *sizes*", "Centimetres outside of the US", "Inches only", []string{"product", "i18n"}, "minor", ""},
	{"Product pages", "Reviews load twice when sorted by newest", "Open a product with over 20 reviews|Sort by newest|Scroll to the end", "Each review once", "Reviews 11 to 20 stand there twice", []string{"product", "reviews"}, "minor", ""},
	{"Product pages", "“Notify me” accepts an address without a domain", "Open a sold-out product|Enter *anna@*|Press **Notify me**", "The field says what is wrong", "“We will write to you” – and the job fails each night", []string{"product", "mail"}, "minor", "ValidationError: invalid recipient \"anna@\"\n    at Mailer.enqueue (jobs/notify.rb:27)"},
	{"Checkout", "Second click on Pay charges the card twice", "Throttle the network to 3G|Press **Pay** twice", "One charge", "Two charges, one order", []string{"checkout", "payments"}, "blocker", "POST /api/charge 200 (4120 ms)\nPOST /api/charge 200 (4388 ms)"},
	{"Search", "Voice search button is read out as “button button”", "Turn a screen reader on|Tab to the search field", "“Search by voice”", "“button button”", []string{"accessibility", "search"}, "minor", ""},
	{"Account", "Session ends in the middle of writing a review", "Write for over 20 minutes|Press **Send**", "The review is sent", "The login page, and the text is gone", []string{"account", "data-loss"}, "major", ""},
}

var appScenarios = []scenario{
	{"Onboarding", "Login with a passkey returns to the start screen", "Choose *Sign in with passkey*|Confirm with the fingerprint", "The account opens", "The start screen, without a message", []string{"login"}, "critical", "E/Auth: no attestation for origin android:apk-key-hash\n    at PasskeyClient.finish(PasskeyClient.kt:97)"},
	{"Onboarding", "Permission question for notifications comes before the first screen", "Install the app|Open it", "It is asked when it makes sense", "It is asked over the splash screen; most people refuse", []string{"onboarding"}, "minor", ""},
	{"Scanner", "Barcode scanner stays dark after a phone call", "Open the scanner|Take a call|Go back to the app", "The camera picture", "A black square until the app is restarted", []string{"scanner", "camera"}, "major", ""},
	{"Scanner", "Scanning a QR code of a rival shop crashes the app", "Scan a code with an unknown scheme", "“This is not one of our codes”", "The app closes", []string{"scanner", "crash"}, "critical", "Fatal: unexpectedly found nil while unwrapping an Optional value\n    ScannerViewModel.swift:142"},
	{"Offline", "Wish list is empty in the underground", "Open the wish list online|Turn on flight mode|Open it again", "What was there last", "An empty list and “add your first item”", []string{"offline"}, "major", ""},
	{"Offline", "Changes made offline are sent twice", "Go offline|Add an item to the list|Go online", "The item once", "The item twice", []string{"offline", "sync"}, "major", ""},
	{"Push", "Push message opens the wrong order", "Have two open orders|Tap the message about the older one", "The older order", "The newest order", []string{"push"}, "major", ""},
	{"Push", "Quiet hours are ignored after a change of time zone", "Set quiet hours 22 to 7|Fly to Lisbon", "Quiet from 22 local time", "A message at 22:40", []string{"push", "timezone"}, "minor", ""},
	{"Scanner", "Torch stays on when the scanner is closed", "Turn the torch on|Close the scanner", "The torch goes off", "It stays on and the battery drains", []string{"scanner", "battery"}, "minor", ""},
	{"Offline", "Pictures of the last visit are loaded again each time", "Open a category twice within a minute", "No traffic the second time", "4 MB each time", []string{"offline", "performance"}, "minor", ""},
	{"Onboarding", "Large text cuts the Continue button", "Set the text size to the largest|Start the onboarding", "The page scrolls", "The button is half outside of the screen", []string{"accessibility", "layout"}, "major", ""},
	{"Push", "Badge count never returns to zero", "Read all messages", "No badge", "The badge says 1 for days", []string{"push"}, "trivial", ""},
}

var warehouseScenarios = []scenario{
	{"Picking", "Pick list leaves out the last shelf of an aisle", "Start a wave over aisle 14|Follow the list to its end", "All 38 positions", "Shelf 14-38 is missing; found by hand", []string{"picking"}, "critical", ""},
	{"Picking", "Two pickers get the same tote", "Start two waves within a second", "Two totes", "Both screens say tote T-2291", []string{"picking", "concurrency"}, "blocker", "could not serialize access due to concurrent update (SQLSTATE 40001)\n    wave/assign.go:118"},
	{"Labels", "Label printer prints half a label after paper was changed", "Change the roll|Print", "A whole label", "The upper half on one, the lower on the next", []string{"printer"}, "minor", ""},
	{"Labels", "Customs label has the weight in pounds", "Pack an order to Norway|Print the customs label", "Kilograms", "Pounds, and the carrier sends it back", []string{"labels", "customs"}, "critical", ""},
	{"Stock", "Stock count goes negative after a cancelled return", "Announce a return|Cancel it at the desk", "The stock is as before", "It is one less, down to -3 on hats", []string{"stock"}, "major", ""},
	{"Stock", "Nightly import stops at a product without a name", "Let the supplier send an empty name", "The row is reported and the rest imported", "The import stops at that row; 4,100 rows are missing", []string{"import", "ci"}, "major", "panic: runtime error: index out of range [0] with length 0\n    import/supplier.go:203"},
	{"Picking", "Screen goes to sleep while the scanner is used", "Pick for two minutes without touching the screen", "The screen stays on", "It sleeps and the next scan is lost", []string{"picking", "device"}, "minor", ""},
	{"Stock", "Moving a pallet shows the old place until reload", "Move a pallet|Look at its page", "The new place", "The old place", []string{"stock"}, "minor", ""},
}

package tracker

import "testing"

// TestDevices: a session is described by the browser and the system that its user agent names.
func TestDevices(t *testing.T) {
	const webkit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
	for _, test := range []struct {
		userAgent, device string
		handheld          bool
	}{
		{"Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0", "Firefox on Linux", false},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) " + webkit + " Version/19.1 Safari/604.1",
			"Safari on iPhone", true},
		{"Mozilla/5.0 (Linux; Android 16; Pixel 10) " + webkit + " Chrome/156.0.0.0 Mobile Safari/537.36",
			"Chrome on Android", true},
		{"Mozilla/5.0 (Windows NT 10.0) " + webkit + " Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0", "Edge on Windows",
			false},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 15_1) " + webkit + " Version/19.1 Safari/605.1.15", "Safari on macOS",
			false},
		{"curl/8.14.1", "curl", false},
		{"", "Unknown browser", false},
	} {
		if device := describeDevice(test.userAgent); device != test.device ||
			isHandheld(test.userAgent) != test.handheld {
			t.Errorf("%s: %q, handheld %t", test.userAgent, device, isHandheld(test.userAgent))
		}
	}
}

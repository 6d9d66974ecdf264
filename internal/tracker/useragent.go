package tracker

import (
	"slices"
	"strings"
)

// browsers and systems are in the order in which they are looked for, because a browser also names those that it
// descends from.
var (
	browsers = [][2]string{{"Edg/", "Edge"}, {"EdgiOS/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"}}
)

// describeDevice returns the browser and the system that a user agent names, such as "Firefox on Linux".
func describeDevice(userAgent string) string {
	browser, system := firstNamed(browsers, userAgent), firstNamed(systems, userAgent)
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser+system != "":
		return browser + system
	}
	return "Unknown browser"
}

// isHandheld says whether a user agent names the system of a phone or tablet.
func isHandheld(userAgent string) bool {
	return slices.Contains([]string{"iPhone", "iPad", "Android"}, firstNamed(systems, userAgent))
}

// firstNamed returns the name in the first row of a table whose mark a user agent contains, empty without one.
func firstNamed(table [][2]string, userAgent string) string {
	for _, row := range table {
		if strings.Contains(userAgent, row[0]) {
			return row[1]
		}
	}
	return ""
}

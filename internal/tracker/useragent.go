package tracker

import "strings"

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
	find := func(table [][2]string) string {
		for _, row := range table {
			if strings.Contains(userAgent, row[0]) {
				return row[1]
			}
		}
		return ""
	}
	browser, system := find(browsers), find(systems)
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser+system != "":
		return browser + system
	}
	return "Unknown browser"
}

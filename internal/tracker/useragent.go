package tracker

import (
	"regexp"
	"slices"
	"strings"

	"bugslice/api"
)

// browsers and systems are in the order in which they are looked for, because a browser also names those that it
// descends from.
var (
	browsers = [][2]string{{"Edg/", "Edge"}, {"EdgiOS/", "Edge"}, {"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"},
		{"Windows", "Windows"},
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

// fillFromUserAgent sets the browser and the system of an environment from its user agent, unless they are known, and
// removes the user agent.
func fillFromUserAgent(e *api.Environment) {
	if e.UserAgent == nil {
		return
	}
	for _, known := range []struct {
		member **string
		text   string
	}{{&e.Browser, browserVersion(*e.UserAgent)}, {&e.OS, systemVersion(*e.UserAgent)}} {
		if known.text != "" && (*known.member == nil || **known.member == "") {
			*known.member = &known.text
		}
	}
	e.UserAgent = nil
}

// browserVersion returns the browser that a user agent names with its major version, such as "Firefox 144", empty for
// none.
func browserVersion(userAgent string) string {
	for _, b := range browsers {
		mark := b[0]
		if !strings.Contains(userAgent, mark) {
			continue
		}
		if mark == "Safari/" {
			mark = "Version/"
		}
		_, rest, _ := strings.Cut(userAgent, mark)
		return strings.TrimSpace(b[1] + " " + majorVersion.FindString(rest))
	}
	return ""
}

var (
	majorVersion   = regexp.MustCompile(`^\d+`)
	androidVersion = regexp.MustCompile(`Android \d+`)
	iosVersion     = regexp.MustCompile(`OS (\d+)_\d+`)
)

// systemVersion returns the system that a user agent names, empty for none. Browsers name only the versions of
// Android and iOS truthfully.
func systemVersion(userAgent string) string {
	system := firstNamed(systems, userAgent)
	switch version := iosVersion.FindStringSubmatch(userAgent); {
	case system == "Android" && androidVersion.MatchString(userAgent):
		return androidVersion.FindString(userAgent)
	case (system == "iPhone" || system == "iPad") && version != nil:
		return "iOS " + version[1]
	}
	return system
}

// isHandheld reports whether a user agent names the system of a phone or tablet.
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

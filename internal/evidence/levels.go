package evidence

import (
	"encoding/json"
	"strings"

	"bugslice/api"
)

// otherLevels are the levels that other tools write: browsers, WebDriver, syslog and libraries of logging.
var otherLevels = func() map[string]api.ConsoleLevel {
	all := map[string]api.ConsoleLevel{}
	for level, names := range map[api.ConsoleLevel]string{
		"debug": "debug verbose trace fine finer finest silly dbg all spam timing profile profileend count countreset",
		"log": "log dir dirxml table group groupcollapsed groupend startgroup startgroupcollapsed endgroup clear time timelog timeend " +
			"timestamp default output stdout",
		"info":  "info information informational notice config success http",
		"warn":  "warn warning wrn deprecated deprecation intervention violation",
		"error": "error err assert severe fatal critical crit alert emerg emergency panic exception failure stderr issue",
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = level
		}
	}
	return all
}()

// parseLevel reads the level of a console message: a name, or a number of syslog (0 to 7) or of pino and bunyan (10
// to 60). An unknown name is a log, and known is false.
func parseLevel(v any) (level api.ConsoleLevel, known, ok bool) {
	switch v := v.(type) {
	case string:
		level, known = otherLevels[strings.ToLower(strings.TrimSpace(v))]
		if !known {
			level = "log"
		}
		return level, known, strings.TrimSpace(v) != ""
	case json.Number:
		n, err := v.Float64()
		switch {
		case err != nil || n < 0 || n > 100:
			return "", false, false
		case n <= 3, n >= 50:
			return "error", true, true
		case n == 4, n >= 40:
			return "warn", true, true
		case n <= 6, n >= 30:
			return "info", true, true
		}
		return "debug", true, true
	}
	return "", false, false
}

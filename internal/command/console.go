package command

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/command/tree"
)

// maxMessages is how many messages of a file are sent: the last ones.
const maxMessages = 20_000

// consoleFile returns the messages in a file as the service reads them. The file is a JSON array, has a JSON object
// in each line, or is a plain log, whose lines without a time have that of the line before, or of the file.
func consoleFile(e Environment, name string) ([]byte, error) {
	content, err := readFile(e, name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("[")) && json.Valid(content) {
		return content, nil
	}
	at := time.Now()
	if info, err := os.Stat(e.path(name)); err == nil {
		at = info.ModTime()
	}
	messages := consoleMessages(string(content), at)
	if len(messages) == 0 {
		return nil, tree.Usagef("%s has no messages", name)
	}
	return json.Marshal(messages[max(0, len(messages)-maxMessages):])
}

func consoleMessages(content string, at time.Time) (messages []api.ConsoleEntry) {
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := jsonMessage(line)
		if m == nil {
			m = &api.ConsoleEntry{Level: levelOf(line), Message: line}
			if found := lineTime.FindStringSubmatch(line); found != nil {
				m.Timestamp = parsedTime(found[1])
			}
		}
		if !m.Timestamp.IsZero() {
			at = m.Timestamp.Time
		}
		m.Timestamp = api.At(at)
		messages = append(messages, *m)
	}
	return messages
}

// lineTime finds the time with which a line begins.
var lineTime = regexp.MustCompile(`^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)`)

// parsedTime returns a time that is written in a usual form, in UTC when it names no zone; zero for another text.
func parsedTime(text string) api.Time {
	text = strings.Replace(strings.Replace(text, " ", "T", 1), ",", ".", 1)
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return api.At(at)
		}
	}
	return api.Time{}
}

// jsonMessage returns the message of a line that is a JSON object, as loggers write them; nil for another line.
func jsonMessage(line string) *api.ConsoleEntry {
	var object map[string]any
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &object) != nil {
		return nil
	}
	first := func(names ...string) string {
		for _, name := range names {
			if text, ok := object[name].(string); ok && text != "" {
				return text
			}
		}
		return ""
	}
	m := &api.ConsoleEntry{Level: levelNamed(first("level", "severity", "type", "lvl")), Message: first("message",
		"msg", "text"),
		Timestamp: parsedTime(first("timestamp", "time", "ts", "@timestamp"))}
	if m.Message == "" {
		m.Message = line
	}
	if stack := first("stack", "stacktrace"); stack != "" {
		m.Stack = &stack
	}
	return m
}

// levels are the levels by the words that loggers use.
var levels = map[string]api.ConsoleLevel{"trace": "debug", "debug": "debug", "info": "info", "notice": "info",
	"log":  "log",
	"warn": "warn", "warning": "warn", "error": "error", "err": "error", "fatal": "error", "panic": "error",
	"critical": "error",
	"severe":   "error"}

func levelNamed(word string) api.ConsoleLevel {
	if level, ok := levels[strings.ToLower(word)]; ok {
		return level
	}
	return "log"
}

var levelWord = regexp.MustCompile(
	`\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|PANIC|CRITICAL|SEVERE)\b|\b([Ee]rror|panic|[Ww]arning):`)

// levelOf returns the level that a line of a plain log names.
func levelOf(line string) api.ConsoleLevel {
	found := levelWord.FindStringSubmatch(line)
	if found == nil {
		return "log"
	}
	return levelNamed(found[1] + found[2])
}

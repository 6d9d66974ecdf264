package decide

import (
	"fmt"
	"strconv"
	"strings"
)

// Flag is an option of a command whose value is a secret.
type Flag struct {
	Sub   string // the subcommand that has it; empty for all
	After string // the text before the secret in the value
	Tight bool   // its value is always joined with it
	Skip  int    // the words before the secret
	Rule  *Rule
}

// Host is an address below which paths are secrets.
type Host struct {
	Name, Path string
	Rule       *Rule
}

// Places are the places of secrets that are told by what stands around them.
type Places struct {
	Hosts   []Host
	Flags   map[string]map[string]Flag // by the option and then by the command
	setters []string
	typers  map[string]bool
	verbs   []string
	logins  map[string]int
}

func newPlaces(rules []*Rule) (Places, error) {
	p := Places{Flags: map[string]map[string]Flag{}, typers: map[string]bool{}, logins: map[string]int{}}
	for _, r := range rules {
		switch r.Sort {
		case "host":
			if err := p.addHost(r); err != nil {
				return p, err
			}
		case "flag":
			p.addFlag(r)
		case "call":
			p.addCall(r)
		}
	}
	return p, nil
}

func (p *Places) addHost(r *Rule) (err error) {
	r.each("at", func(words []string) {
		if len(words) != 2 {
			err = fmt.Errorf("host %s: %q is no host and path", r.ID, words)
			return
		}
		p.Hosts = append(p.Hosts, Host{words[0], words[1], r})
	})
	return err
}

func (p *Places) addCall(r *Rule) {
	p.setters = append(p.setters, strings.Fields(r.wordsOf("set"))...)
	p.verbs = append(p.verbs, strings.Fields(r.wordsOf("verb"))...)
	for name := range strings.FieldsSeq(r.wordsOf("type")) {
		p.typers[name] = true
	}
	r.each("login", func(words []string) {
		for _, name := range words[min(1, len(words)):] {
			p.logins[name] = number(words[0])
		}
	})
}

func (p *Places) addFlag(r *Rule) {
	r.each("take", func(options []string) {
		for _, option := range options {
			option, tight := strings.CutSuffix(option, "+")
			if p.Flags[option] == nil {
				p.Flags[option] = map[string]Flag{}
			}
			for command := range strings.FieldsSeq(r.wordsOf("of")) {
				command, sub, _ := strings.Cut(command, ":")
				p.Flags[option][command] = Flag{sub, r.wordsOf("after"), tight, number(r.wordsOf("skip")), r}
			}
		}
	})
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // 0 when it is missing
	return n
}

// IsSetter reports whether a function, whose name is in lower case, takes a name and its value.
func (p *Places) IsSetter(name string) bool {
	for _, end := range p.setters {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// IsTyper reports whether a function, whose name is in lower case, types a text into a field.
func (p *Places) IsTyper(name string) bool { return p.typers[name] }

// LoginArgument returns which argument of a function, whose name is in lower case, is a secret; 0 for none.
func (p *Places) LoginArgument(name string) int {
	for _, verb := range p.verbs {
		if rest, ok := strings.CutPrefix(name, verb); ok && (rest == "basicauth" || rest == "basicauthentication") {
			return p.logins[rest]
		}
	}
	return p.logins[strings.ReplaceAll(name, "basic_auth", "basicauth")]
}

// WithoutVerb returns the name of the thing that a function sets, as in setPassword; ok is false for another function.
func (p *Places) WithoutVerb(name string) (rest string, ok bool) {
	for _, verb := range p.verbs {
		if len(name) <= len(verb) || !strings.EqualFold(name[:len(verb)], verb) {
			continue
		}
		if rest := name[len(verb):]; rest[0] >= 'A' && rest[0] <= 'Z' || rest[0] >= '0' && rest[0] <= '9' ||
			rest[0] == '_' {
			return rest, true
		}
	}
	return "", false
}

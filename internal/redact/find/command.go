package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

const maxCommand = 400 // bytes before an option that are searched for its command

// option scans the option s[i:j], whose name begins at p, and removes its value if that is a secret. It returns where
// to continue, or i.
func (x *Scanner) option(i, p, j int) int {
	s := x.s
	if end := x.commandOption(i, j); end > i {
		return end
	}
	if p != i+1 {
		return i
	}
	switch {
	case s[p] == 'p' && j > p+1 && x.isAfter(i, "mysql") && !strings.HasPrefix(s[p:], "port"):
		end := bareEnd(s, p+1, false)
		x.remove(p+1, end, decide.Login)
		return max(j, end)
	case s[p] == 'u' && j < len(s) && (s[j] == ':' || j == p+1 && lex.In(s[j], lex.Quote)):
		return x.removeLoginPassword(p+1, j)
	}
	return i
}

// commandOption removes the value of the option s[i:j] if its command takes a secret with it. It returns where to
// continue, or i.
func (x *Scanner) commandOption(i, j int) int {
	s := x.s
	if i > 0 && !lex.In(s[i-1], lex.Space|lex.Quote) || x.url {
		return i
	}
	if name := s[i:j]; name == "--password-stdin" || name == "-S" && strings.HasSuffix(s[:i], "sudo ") {
		x.removePipedSecret(i)
		return j
	}
	var f decide.Flag
	found, joined := false, false
	if x.Set.Flags[s[i:j]] != nil || j-i > 2 && x.Set.Flags[s[i:i+2]] != nil {
		f, found, joined = flagOf(x.Set, x.command(i), s[i:j])
	}
	if !found || f.Tight && !joined {
		return x.listedOption(i, j)
	}
	v := optionValue(s, i, j, joined)
	if v < 0 {
		return i
	}
	from, to, next := x.argument(v)
	for range f.Skip {
		from, to, next = x.argument(blanksEnd(s, next))
	}
	if from = secretOf(f, s, from, to); from == to || !isOptionValue(s[from:to], s[next:min(len(s), next+40)]) {
		return i
	}
	x.removeUnlessPlaceholder(from, to, decide.Meaning{Class: decide.Always, Rule: f.Rule})
	return max(next, from)
}

// listedOption removes the text after the option s[i:j] in a list of the words of a command, if the option is the
// name of a secret. It returns where to continue, or i.
func (x *Scanner) listedOption(i, j int) int {
	if v := nextListed(x.s, j); x.s[i+1] == '-' && v > j {
		if m := x.Set.Meaning(x.s[i:j]); m.Class == decide.Always {
			return x.removeValue(v, m, decide.Stated, false)
		}
	}
	return i
}

// optionValue returns where the value of the option s[i:j] begins, or -1.
func optionValue(s string, i, j int, joined bool) int {
	switch {
	case joined:
		return i + 2
	case j < len(s) && s[j] == '=':
		return j + 1
	case j < len(s) && lex.In(s[j], lex.Space):
		return blanksEnd(s, j)
	}
	if v := nextListed(s, j); v > j {
		return v
	}
	return -1
}

// setting removes the value of the setting whose name is at v, as "config set" takes them.
func (x *Scanner) setting(v, otherwise int) int {
	s := x.s
	end := v
	for end < len(s) && end-v < maxCommand && !lex.In(s[end], lex.Space) {
		end++
	}
	if end == v || strings.IndexByte(s[v:end], '=') >= 0 {
		return otherwise
	}
	m := x.Set.Meaning(s[v:end])
	if m.Class != decide.Always && m.Class != decide.Often {
		return otherwise
	}
	return x.removeValue(blanksEnd(s, end), m, decide.Colon, false)
}

// removePipedSecret removes the text that the command before the one at i prints, when the latter reads a secret from
// it.
func (x *Scanner) removePipedSecret(i int) {
	s := x.s[:i]
	pipe := strings.LastIndexByte(s[max(0, i-maxCommand):], '|') + max(0, i-maxCommand)
	if pipe < 0 || s[pipe] != '|' {
		return
	}
	for _, say := range [...]string{"echo ", "printf "} {
		at := strings.LastIndex(s[max(0, pipe-maxCommand):pipe], say)
		if at < 0 {
			continue
		}
		at += max(0, pipe-maxCommand)
		v := blanksEnd(s, at+len(say))
		if strings.HasPrefix(s[v:], "-n ") {
			v = blanksEnd(s, v+2)
		}
		if from, to, _ := x.argument(v); to <= pipe && from < to && !strings.HasPrefix(s[from:], "%s") {
			x.removeUnlessPlaceholder(from, to, decide.Login)
		}
		return
	}
}

// command returns the text of the command before i, with its earlier lines.
func (x *Scanner) command(i int) string {
	before := x.s[max(0, i-maxCommand):i]
	if x.st.shell != "" && i < maxCommand {
		before = x.st.shell + " " + before
	}
	for _, end := range [...]string{"&&", "||", "| ", "; "} {
		if k := strings.LastIndex(before, end); k >= 0 {
			before = before[k+len(end):]
		}
	}
	return before
}

// continueCommand records a line of a command that ends with a backslash, for its next lines.
func (x *Scanner) continueCommand() {
	all := x.st.shell
	x.st.shell = ""
	if s, goes := strings.CutSuffix(x.s, "\\"); goes && !x.MidLine {
		if all += " " + s; len(all) < maxCommand {
			x.st.shell = all
		}
	}
}

// nextListed returns where the next text of a list begins, after the text that ends at j, or j.
func nextListed(s string, j int) int {
	level, v := lex.QuoteAt(s, j)
	if level == 0 {
		return j
	}
	if v = blanksEnd(s, v); v == len(s) || s[v] != ',' {
		return j
	}
	if v = blanksEnd(s, v+1); v == len(s) {
		return j
	}
	if q, _ := lex.QuoteAt(s, v); q == 0 {
		return j
	}
	return v
}

// flagOf returns the option of a name, which its value may be joined with, after the words of a command.
func flagOf(set *decide.Set, before, name string) (f decide.Flag, found, joined bool) {
	of := set.Flags[name]
	if of == nil && len(name) > 2 && name[1] != '-' {
		of, joined = set.Flags[name[:2]], true
	}
	if of == nil {
		return f, false, false
	}
	for i := 0; i < len(before); {
		if !lex.In(before[i], lex.Word|lex.Dot) {
			i++
			continue
		}
		from := i
		i = lex.Run(before, i, lex.Word|lex.Dot)
		w := strings.TrimSuffix(strings.ToLower(before[from:i]), ".exe")
		if one, ok := of[w]; ok {
			f, found = one, one.Sub == ""
		} else if f.Sub != "" && w == f.Sub {
			found = true
		}
	}
	return f, found, joined
}

// secretOf returns where the secret begins in the value of an option.
func secretOf(f decide.Flag, s string, from, to int) int {
	if f.After == "" {
		return from
	}
	k := strings.Index(s[from:to], f.After)
	if k < 0 || f.After == "pass:" && k > 0 {
		return to
	}
	return from + k + len(f.After)
}

// isOptionValue reports whether a text is the value of an option, and neither a word of a sentence about it nor
// another option.
func isOptionValue(text, rest string) bool {
	if len(text) > 40 {
		return !decide.IsPlaceholder(text)
	}
	if decide.IsPlaceholder(text) || text[0] == '-' || decide.IsCommonWord(text) || strings.Trim(text, "?.!,:;") == "" {
		return false
	}
	switch strings.ToLower(text) {
	case "passwd", "pass", "passphrase", "pw", "pwd", "token", "your_password", "yourpassword":
		return false
	}
	next, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	return !decide.IsPlainWord(text) || !decide.IsCommonWord(next)
}

// OptionMeaning returns the meaning of the text after an option in a list of the words of a command.
func OptionMeaning(set *decide.Set, before, name, text string) (m decide.Meaning) {
	if text == "" || text[0] == '-' || lex.IsMarker(text) {
		return m
	}
	f, found, joined := flagOf(set, before, name)
	if found && !joined && !f.Tight && f.After == "" && isOptionValue(text, "") {
		return decide.Meaning{Class: decide.Always, Rule: f.Rule}
	}
	if !strings.HasPrefix(name, "--") {
		return m
	}
	switch own := set.Meaning(name); own.Class {
	case decide.Always, decide.Often, decide.IfKey:
		return own
	}
	return m
}

// removeLoginPassword removes the password of name:password at v, as curl takes it.
func (x *Scanner) removeLoginPassword(v, otherwise int) int {
	s := x.s
	if !x.isAfter(v, "curl") && !x.isAfter(v, "wget") && !x.isAfter(v, "http") {
		return otherwise
	}
	v, end, next := x.argument(v)
	if next < len(s)-1 && s[next] == ':' && lex.In(s[next+1], lex.Quote) { // "name":"password"
		from, to, next, _ := lex.Quoted(s, next+1)
		x.removeUnlessPlaceholder(from, to, decide.Login)
		return next
	}
	if colon := strings.IndexByte(s[v:end], ':'); colon >= 0 {
		x.removeUnlessPlaceholder(v+colon+1, end, decide.Login)
		return end
	}
	return otherwise
}

// removeCookieArgument removes the cookies in an argument of curl.
func (x *Scanner) removeCookieArgument(v, otherwise int) int {
	s := x.s
	if !x.isAfter(v, "curl") {
		return otherwise
	}
	v, end, next := x.argument(v)
	if strings.IndexByte(s[v:end], '=') < 0 { // a file of them
		return otherwise
	}
	x.removeCredentials("cookie", decide.Cookie, v, end)
	return max(next, v)
}

// removeDSNPassword removes the password of name:password@tcp(host), as Go's database drivers take it, and of
// name/password@host, as Oracle's take it.
func (x *Scanner) removeDSNPassword(at int) {
	s := x.s
	sign := byte(':')
	if !strings.HasPrefix(s[at:], "@tcp(") && !strings.HasPrefix(s[at:], "@unix(") {
		sign = '/'
	}
	from := strings.LastIndexAny(s[max(0, at-200):at], " \"'`=\t") + 1 + max(0, at-200)
	if sign == '/' {
		switch driver := "jdbc:oracle:"; {
		case strings.HasPrefix(s[from:at], driver):
			from += len(driver)
		case !x.isOracleCommand(from):
			return
		}
	}
	if k := strings.IndexByte(s[from:at], sign); k >= 0 {
		x.removeUnlessPlaceholder(from+k+1, at, decide.Login)
	}
}

// isOracleCommand reports whether a command of Oracle's, which takes name/password@host, is before i.
func (x *Scanner) isOracleCommand(i int) bool {
	for _, command := range [...]string{"sqlplus ", "connect ", "sqlldr ", "expdp ", "impdp "} {
		if x.isAfter(i, command) {
			return true
		}
	}
	return false
}

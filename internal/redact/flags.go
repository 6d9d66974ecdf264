package redact

import "strings"

// flag is an option of a command whose value is a secret.
type flag struct {
	sub   string // the subcommand that has it; empty for all
	after string // the text before the secret in the value
	tight bool   // its value is always joined with it
}

// flags are the options of commands, by their name and then by the command. The value of an option of one letter may be joined with it;
// with a plus it always is.
var flags = func() map[string]map[string]flag {
	table := map[string]map[string]flag{}
	for _, f := range []struct{ commands, names, after string }{
		{"redis-cli valkey-cli keydb-cli", "-a --pass", ""},
		{"ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare ldapmodrdn ldapexop", "-w", ""},
		{"ldappasswd", "-w -s -a", ""},
		{"az:login docker:login podman:login nerdctl:login buildah:login skopeo:login", "-p", ""},
		{"helm:login oras:login crane:login oc:login cf:login argocd:login", "-p", ""},
		{"curl", "--oauth2-bearer --pass --proxy-pass --tlspassword", ""},
		{"curl wget http https", "--proxy-user -U", ":"},
		{"keytool jarsigner", "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new", ""},
		{"apksigner", "--ks-pass --key-pass", "pass:"},
		{"openssl", "-passin -passout -pass", "pass:"},
		{"openssl", "-k", ""},
		{"zip unzip zipcloak funzip", "-P", ""},
		{"7z 7za 7zr 7zz", "-p", ""},
		{"rar unrar", "-p -hp", ""},
		{"mongo mongosh mongodump mongorestore mongoimport mongoexport mongostat mongotop mongofiles", "-p", ""},
		{"mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mariadb mariadb-dump mariadb-admin", "-p+", ""},
		{"sshpass", "-p", ""},
		{"mosquitto_pub mosquitto_sub mosquitto_rr sqlcmd bcp isql tsql osql ipmitool", "-P", ""}, //nolint:misspell // the name of a broker
		{"cqlsh hdbsql psexec psexec.py rdesktop influx clickhouse-client arangosh neo4j-admin cypher-shell vncdo exp", "-p", ""},
		{"cqlsh influx arangosh cypher-shell", "-password", ""},
		{"plink pscp psftp putty kitty nzsql", "-pw", ""},
		{"vsql", "-w", ""},
		{"snmpwalk snmpget snmpgetnext snmpset snmpbulkget snmpbulkwalk snmptrap snmptable", "-A -X -c", ""},
		{"ssh-keygen", "-N -P", ""},
		{"security", "-p -w", ""},
		{"smbclient rpcclient smbmap net", "-U", "%"},
		{"http https xh", "-a", ":"},
		{"gpg gpg2", "--passphrase", ""},
		{"vault consul nomad", "-token", ""},
		{"rabbitmqadmin", "-p", ""},
	} {
		for name := range strings.FieldsSeq(f.names) {
			name, tight := strings.CutSuffix(name, "+")
			if table[name] == nil {
				table[name] = map[string]flag{}
			}
			for command := range strings.FieldsSeq(f.commands) {
				command, sub, _ := strings.Cut(command, ":")
				table[name][command] = flag{sub, f.after, tight}
			}
		}
	}
	return table
}()

const maxCommand = 400 // bytes before an option that are searched for its command

// commandOption scans the option s[i:j] and removes its value if the option of its command takes a secret. It returns where to continue,
// or i.
func (x *scan) commandOption(i, j int) int {
	s := x.s
	if i > 0 && sets[s[i-1]]&(space|quote) == 0 || x.url {
		return i
	}
	if name := s[i:j]; name == "--password-stdin" || name == "-S" && strings.HasSuffix(s[:i], "sudo ") {
		x.removePipedSecret(i)
		return j
	}
	var f flag
	found, joined := false, false
	if flags[s[i:j]] != nil || j-i > 2 && flags[s[i:i+2]] != nil {
		f, found, joined = flagOf(x.command(i), s[i:j])
	}
	if !found || f.tight && !joined {
		if s[i+1] == '-' && nextListed(s, j) > j {
			if m := x.r.meaningOf(s[i:j]); m.class == alwaysSecret {
				return x.removeValue(nextListed(s, j), m, true, false)
			}
		}
		return i
	}
	v := j
	switch {
	case joined:
		v = i + 2
	case v < len(s) && s[v] == '=':
		v++
	case v < len(s) && sets[s[v]]&space != 0:
		v = run(s, v, space)
	default:
		if v = nextListed(s, j); v == j {
			return i
		}
	}
	from, to, next := x.argument(v)
	if from = f.secret(s, from, to); from == to || !isOptionValue(s[from:to], s[next:min(len(s), next+40)]) {
		return i
	}
	x.removeUnlessPlaceholder(from, to, meaning{class: alwaysSecret, kind: kindPassword})
	return max(next, from)
}

// setting removes the value of the setting whose name is at v, as "config set" takes them.
func (x *scan) setting(v, otherwise int) int {
	s := x.s
	end := v
	for end < len(s) && end-v < maxCommand && sets[s[end]]&space == 0 {
		end++
	}
	if end == v || strings.IndexByte(s[v:end], '=') >= 0 {
		return otherwise
	}
	m := x.r.meaningOf(s[v:end])
	if m.class != alwaysSecret && m.class != oftenSecret {
		return otherwise
	}
	return x.removeValue(run(s, end, space), m, false, false)
}

// removePipedSecret removes the text that the command before the one at i prints, when the latter reads a secret from it.
func (x *scan) removePipedSecret(i int) {
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
		v := run(s, at+len(say), space)
		if strings.HasPrefix(s[v:], "-n ") {
			v = run(s, v+2, space)
		}
		if from, to, _ := x.argument(v); to <= pipe && from < to && !strings.HasPrefix(s[from:], "%s") {
			x.removeUnlessPlaceholder(from, to, meaning{class: alwaysSecret, kind: kindPassword})
		}
		return
	}
}

// command returns the text of the command before i, with its earlier lines.
func (x *scan) command(i int) string {
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

// nextListed returns where the next text of a list begins, after the text that ends at j, or j.
func nextListed(s string, j int) int {
	level, v := quoteAt(s, j)
	if level == 0 {
		return j
	}
	if v = run(s, v, space); v == len(s) || s[v] != ',' {
		return j
	}
	if v = run(s, v+1, space); v == len(s) {
		return j
	}
	if q, _ := quoteAt(s, v); q == 0 {
		return j
	}
	return v
}

// flagOf returns the option of a name, which its value may be joined with, after the words of a command.
func flagOf(before, name string) (f flag, found, joined bool) {
	of := flags[name]
	if of == nil && len(name) > 2 && name[1] != '-' {
		of, joined = flags[name[:2]], true
	}
	if of == nil {
		return f, false, false
	}
	for i := 0; i < len(before); {
		if sets[before[i]]&(word|dot) == 0 {
			i++
			continue
		}
		from := i
		i = run(before, i, word|dot)
		w := before[from:i]
		if n := len(w) - len(".exe"); n > 0 && strings.EqualFold(w[n:], ".exe") {
			w = w[:n]
		}
		if one, ok := of[w]; ok {
			f, found = one, one.sub == ""
		} else if f.sub != "" && w == f.sub {
			found = true
		}
	}
	return f, found, joined
}

// secret returns where the secret begins in the value of an option.
func (f flag) secret(s string, from, to int) int {
	if f.after == "" {
		return from
	}
	k := strings.Index(s[from:to], f.after)
	if k < 0 || f.after == "pass:" && k > 0 {
		return to
	}
	return from + k + len(f.after)
}

// isOptionValue reports whether a text is the value of an option, and neither a word of a sentence about it nor another option.
func isOptionValue(text, rest string) bool {
	if len(text) > 40 {
		return !isPlaceholder(text)
	}
	lower := strings.ToLower(text)
	if isPlaceholder(text) || text[0] == '-' || commonWords[lower] || strings.Trim(lower, "?.!,:;") == "" {
		return false
	}
	switch lower {
	case "passwd", "pass", "passphrase", "pw", "pwd", "token", "your_password", "yourpassword":
		return false
	}
	next, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	return !isPlainWord(text) || !commonWords[strings.ToLower(strings.Trim(next, ".,;:!?"))]
}

// optionMeaning returns the meaning of the text after an option in a list of the words of a command.
func (r *Redactor) optionMeaning(before, name, text string, m meaning) meaning {
	if text == "" || text[0] == '-' || isMarker(text) {
		return m
	}
	if f, found, joined := flagOf(before, name); found && !joined && !f.tight && f.after == "" && isOptionValue(text, "") {
		return meaning{class: alwaysSecret, kind: kindPassword}
	}
	if own := r.meaningOf(name); strings.HasPrefix(name, "--") && own.class == alwaysSecret {
		return own
	}
	return m
}

package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// format is a kind of secret that is known by its form.
type format struct {
	kind  string
	hints []string // one of which stands in every text that has one
	fold  bool     // the hints are lower case, the text may not be
	also  string   // stands in it, too
	re    *regexp.Regexp
	group int                 // what goes; 0 is all
	ok    func(s string) bool // what must hold of it, too
}

func (f *format) remove(s string, c Counts) string {
	var b strings.Builder
	end := 0
	for _, at := range f.re.FindAllStringSubmatchIndex(s, -1) {
		from, to := at[2*f.group], at[2*f.group+1]
		if from < end || from < 0 || marked(s[from:to]) || f.ok != nil && !f.ok(s[from:to]) {
			continue
		}
		c[f.kind]++
		b.WriteString(s[end:from])
		b.WriteString(mark(f.kind))
		end = to
	}
	if end == 0 {
		return s
	}
	b.WriteString(s[end:])
	return b.String()
}

var formats = []format{
	{kind: "private_key", hints: []string{"PRIVATE KEY"}, re: regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)`)},
	{kind: "jwt", hints: []string{"eyJ"}, re: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`), ok: isJWT},
	{kind: "token", hints: []string{"svc_", "whsec_"}, re: regexp.MustCompile(`\bsvc_(?:pat|wst)_[0-9A-Za-z]{20,}|\bwhsec_[A-Za-z0-9+/_-]{16,}={0,2}`)},
	{kind: "token", hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glrt-", "gldt-"}, re: regexp.MustCompile(`\bgh[pousr]_[0-9A-Za-z]{20,}|\bgithub_pat_[0-9A-Za-z_]{20,}|\bgl(?:pat|rt|dt|ptt|cbt)-[0-9A-Za-z_.-]{18,}`)},
	{kind: "token", hints: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk-"}, re: regexp.MustCompile(`\b[sr]k_(?:live|test)_[0-9A-Za-z]{10,}|\bsk-(?:ant-|proj-|svcacct-|or-)?[0-9A-Za-z_-]{20,}`), ok: mixed},
	{kind: "token", hints: []string{"xox", "xapp-"}, re: regexp.MustCompile(`\bxox[abeoprs]-[0-9A-Za-z-]{10,}|\bxapp-[0-9A-Za-z-]{20,}`)},
	{kind: "token", hints: []string{"AKIA", "ASIA"}, re: regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{kind: "token", hints: []string{"AIza", "ya29."}, re: regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[0-9A-Za-z_-]{20,}`)},
	{kind: "token", hints: []string{"npm_", "pypi-", "dop_v1_", "shp", "hf_", "lin_api_", "ntn_", "dckr_pat_", "figd_", "pul-", "sntrys_", "sntryu_", "SG.", "key-", "EAA", "hvs.", "atlasv1", "ATATT", "doo_v1_", "dp."},
		re: regexp.MustCompile(`\bnpm_[0-9A-Za-z]{30,}|\bpypi-[0-9A-Za-z_-]{30,}|\bdo[opr]_v1_[0-9a-f]{40,}|\bshp(?:at|ca|pa|ss)_[0-9A-Za-z]{24,}|\bhf_[0-9A-Za-z]{30,}|\blin_api_[0-9A-Za-z]{30,}|\bntn_[0-9A-Za-z]{30,}|` +
			`\bdckr_pat_[0-9A-Za-z_-]{20,}|\bfigd_[0-9A-Za-z_-]{30,}|\bpul-[0-9a-f]{40}|\bsntry[su]_[0-9A-Za-z_=.-]{30,}|\bSG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}|\bkey-[0-9a-f]{32}\b|\bEAA[0-9A-Za-z]{40,}|\bhvs\.[0-9A-Za-z_-]{20,}|\bATATT3[0-9A-Za-z_=-]{40,}|\bdp\.(?:pt|st|ct)\.[0-9A-Za-z]{30,}`)},
	{kind: "token", hints: []string{":AA"}, re: regexp.MustCompile(`\b[0-9]{8,10}:AA[0-9A-Za-z_-]{32,34}`)},
	{kind: "token", hints: []string{"SK"}, re: regexp.MustCompile(`\bSK[0-9a-f]{32}\b`)},
	{kind: "url", hints: []string{"hooks.slack.com", "discord"}, re: regexp.MustCompile(`hooks\.slack\.com/(?:services|workflows)/([0-9A-Za-z/_-]+)`), group: 1},
	{kind: "url", hints: []string{"discord"}, re: regexp.MustCompile(`discord(?:app)?\.com/api/webhooks/([0-9]+/[0-9A-Za-z_-]+)`), group: 1},
	{kind: "url", hints: []string{"://"}, also: "@", re: regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/@:"'<>]{0,200}:([^\s/@"'<>]{1,500})@`), group: 1},
	{kind: "url", hints: []string{"://"}, also: "@", re: regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]{1,30}://([A-Za-z0-9_-]{20,200})@`), group: 1, ok: mixed},
	{kind: "authorization", hints: []string{"authorization"}, fold: true, re: regexp.MustCompile(`(?i)authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?((?:[A-Za-z0-9-]{1,30}[ ]+)?[^\s"'\\,;]{4,}(?:,\s*[a-z]+="[^"]*")*)`), group: 1, ok: notProse},
	{kind: "authorization", hints: []string{"bearer ", "bearer%20"}, fold: true, re: regexp.MustCompile(`(?i)\bbearer(?:\s{1,4}|%20)([A-Za-z0-9._~+/-]{8,}=*)`), group: 1, ok: mixed},
	{kind: "authorization", hints: []string{"basic "}, fold: true, re: regexp.MustCompile(`(?i)\bbasic\s{1,4}([A-Za-z0-9+/_-]{8,}={0,2})`), group: 1, ok: isBasic},
	{kind: "cookie", hints: []string{"cookie"}, fold: true, re: regexp.MustCompile(`(?i)\bcookie["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9_.%-]{1,100}=[^\r\n"']{1,1000})`), group: 1},
	{kind: "password", hints: []string{"-u", "--user", "-p"}, re: regexp.MustCompile(`(?:\s-u|\s--user)[ =]["']?[^\s:"']{1,100}:([^\s"']{1,200})`), group: 1},
	{kind: "password", hints: []string{"identified by", "sshpass"}, fold: true, re: regexp.MustCompile(`(?i)(?:identified by\s+|sshpass -p\s*)["']?([^\s"';]{1,200})`), group: 1},
}

// isJWT says whether the first part of three decodes to the head of a token.
func isJWT(s string) bool {
	head, _, _ := strings.Cut(s, ".")
	text, err := base64.RawURLEncoding.DecodeString(head)
	return err == nil && (strings.Contains(string(text), `"alg"`) || strings.Contains(string(text), `"typ"`) || strings.Contains(string(text), `"kid"`))
}

// isBasic says whether a text decodes to a name and a password.
func isBasic(s string) bool {
	s = strings.TrimRight(s, "=")
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if text, err := e.DecodeString(s); err == nil && strings.Contains(string(text), ":") {
			return true
		}
	}
	return false
}

// mixed says whether a text is no word: it has digits, or both cases in its midst.
func mixed(s string) bool {
	digits, humps := 0, 0
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		}
		if i > 0 && isUpper(s[i]) && isLower(s[i-1]) {
			humps++
		}
	}
	return digits > 0 || humps > 1
}

// notProse says whether what follows a name is a value rather than the next word of a sentence.
func notProse(s string) bool {
	return !prose[strings.ToLower(strings.Trim(s, ".,;:!?()"))]
}

var prose = set("header headers required is was are missing failed failure error errors invalid expired expires must should cannot not no none null nil undefined true false empty wrong incorrect " +
	"reset changed change field fields page form input too long short for and or the a an of in to with by on from has have been does did wont wasn't isn't bearer basic digest optional " +
	"string number boolean object array unknown rejected denied refused ok yes *** ****** ******** ... <none> <empty> [object [hidden] <redacted> required]")

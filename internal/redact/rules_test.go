package redact_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"bugslice/internal/redact"
)

func TestNewRefuses(t *testing.T) {
	many := strings.Split(strings.Repeat("ab,", redact.MaxRules)+"ab", ",")
	for want, rules := range map[string]redact.Rules{
		"fields: 51":                  {Fields: many},
		"patterns: 51":                {Patterns: many},
		"allow: 51":                   {Allow: many},
		"fields[1]: 201":              {Fields: []string{"ok", strings.Repeat("a", 201)}},
		"fields[0]: empty":            {Fields: []string{""}},
		"fields[0]: \"*\" has fewer":  {Fields: []string{"*"}},
		"allow[0]: \"a*b\" has a *":   {Allow: []string{"a*b"}},
		"patterns[1]: error parsing":  {Patterns: []string{"ok", "("}},
		"patterns[0]: \"x*\" matches": {Patterns: []string{"x*"}},
		"patterns[0]: 201":            {Patterns: []string{strings.Repeat("a", 201)}},
	} {
		if _, err := redact.New(rules); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := redact.New(redact.Rules{Fields: many[:50], Patterns: many[:50], Allow: many[:50]}); err != nil {
		t.Error(err)
	}
}

// A workspace's rules add to the built-in ones, and take from them.
func TestRules(t *testing.T) {
	r := redactor(t, redact.Rules{
		Fields:   []string{"Badge-No", "internal*", "*Plate", "*odd*"},
		Patterns: []string{`INC-\d{4}`, `door (?P<secret>\d+)`},
		Allow:    []string{"csrf_token", "session*"},
	})
	c := redact.Counts{}
	for in, want := range map[string]string{
		`{"badgeNo":"b1","INTERNAL_ID":7,"number_plate":"B-1","xOddly":"q","other":"o"}`: `{"badgeNo":"[redacted:rule]",` +
			`"INTERNAL_ID":"[redacted:rule]","number_plate":"[redacted:rule]","xOddly":"[redacted:rule]","other":"o"}`,
		`{"csrfToken":"c1","sessionId":"s1","token":"t1"}`: `{"csrfToken":"c1","sessionId":"s1",` +
			`"token":"[redacted:field]"}`,
		`see INC-1234, door 42 of INC-12`: `see [redacted:rule], door [redacted:rule] ` +
			`of INC-12`,
		`{"a":"INC-1234"}`: `{"a":"[redacted:rule]"}`,
	} {
		if got := r.Body("", in, c); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
	if want := map[string]int{"rule": 7, "field": 1}; !reflect.DeepEqual(c.ByKind(), want) {
		t.Errorf("%v, want %v", c, want)
	}
	sum := redact.Counts{{Kind: "rule", Rule: "*odd*", Shape: "word"}: 1, {Kind: "card"}: 2}
	sum.Add(c)
	if want := map[string]int{"rule": 8, "card": 2, "field": 1}; !reflect.DeepEqual(sum.ByKind(), want) {
		t.Errorf("added: %v", sum)
	}
	for i, secret := range sum.Secrets()[1:] {
		if before := sum.Secrets()[i]; sum[before] < sum[secret] {
			t.Errorf("%v comes before the more frequent %v", before, secret)
		}
	}
}

// TestNames: names are compared without case and punctuation, by their last words alone.
func TestNames(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for _, name := range strings.Fields(`password passwd pwd secret client_secret token access_token refresh_token id_token api_key ` +
		`apikey x-api-key authorization
		auth session sessionid sid csrf xsrf private_key cardNumber cvv cvc ssn otp clientSecret client-secret CLIENT_SECRET ` +
		`userPassword stripeSecretKey
		passphrase passcode credentials cardnumber connectionString recoveryCode secretString signing_key smtpPass basicAuth
		password2 X-XSRF-TOKEN PHPSESSID JSESSIONID APIKey awsSecretAccessKey new_password passwordConfirmation dbPass jwt cookie
		DB_PASSWORD_PROD passwordProd secret_v2 API_KEY_PRODUCTION apiKeyV2 api_key_v2 SECRET_KEY_BASE CLIENT_SECRET_OLD_2 ` +
		`accessTokenTest APP_KEY STRIPE_KEY GOOGLE_MAPS_KEY
		passwort benutzerPasswort mot_de_passe contraseña senha wachtwoord lösenord user%5Bpassword%5D`) {
		if out := r.Body("", `{"`+name+`":"v4lue"}`, nil); strings.Contains(out, "v4lue") {
			t.Errorf("%s is kept", name)
		}
	}
	for _, name := range strings.Fields(`tokenCount passwordStrength tokensUsed max_tokens secretary author authorId ` +
		`session_duration keyboard monkey publicKey
		nextPageToken hasPassword passwordChangedAt spin japan secretName tokenType accountSid key code signature compass company auth_url
		authTest sessionNew passTest pinDefault primaryKey sortKey cache_key desenha tokenCountProd publicKeyProd test v2 new prod`) {
		if out := r.Body("", `{"`+name+`":7}`, nil); out != `{"`+name+`":7}` {
			t.Errorf("%s goes: %s", name, out)
		}
	}
}

// TestMultipartFieldOrder: the fields of a form may precede or follow its file.
func TestMultipartFieldOrder(t *testing.T) {
	r := redactor(t, redact.Rules{})
	c := redact.Counts{}
	for _, x := range [][2]string{
		{r.Header("Authorization", "Bearer abc", c), "Bearer [redacted:authorization]"},
		{r.Header("Cookie", `a=1x; b="2y"; c`, c), `a=[redacted:cookie]; b="[redacted:cookie]"; [redacted:cookie]`},
		{r.Header("Set-Cookie", "a=1x; Path=/; HttpOnly", c), "a=[redacted:cookie]; Path=/; HttpOnly"},
		{r.URL("https://u:p@h/x?a=1&token=t1#id_token=t2&b=2", c),
			"https://u:REDACTED@h/x?a=1&token=REDACTED#id_token=REDACTED&b=2"},
		{r.Body("application/x-www-form-urlencoded", "a=1&password=x", c), "a=1&password=REDACTED"},
		{r.Body("", ` {"a" : 1, "otp" : 1234 } `, c), ` {"a" : 1, "otp" : "[redacted:field]" } `},
		{r.Text("a [redacted:password=hunter2] b", c), "a [redacted:password=[redacted:field]] b"},
		{r.Text("[redacted:token]: x1y2z3w4", c), "[redacted:token]: x1y2z3w4"},
		{r.Text("a = \"-----BEGIN PRIVATE KEY-----\"\nb = \"-----END PRIVATE KEY-----\"\nc", nil),
			"a = \"[redacted:private_key]\"\nb = \"-----END PRIVATE KEY-----\"\nc"},
		{r.Text("x\n-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- y\nz", c),
			"x\n[redacted:private_key] y\nz"},
	} {
		if x[0] != x[1] {
			t.Errorf("%s, want %s", x[0], x[1])
		}
	}
	if want := map[string]int{"authorization": 1, "cookie": 4, "password": 1, "field": 5,
		"private_key": 1}; !reflect.DeepEqual(c.ByKind(), want) {
		t.Errorf("%v, want %v", c, want)
	}
}

// TestValuesInSentences: in running text the value is removed and the sentence stays; in configuration the whole
// value is removed.
func TestValuesInSentences(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for in, want := range map[string]string{
		"password=hunter2 seen. mail me at a@b.se":           "password=[redacted:field] seen. mail me at a@b.se",
		"password: hunter2 works, the other one does not":    "password: [redacted:field] works, the other one does not",
		"password: swordfish (the default one)":              "password: [redacted:field] (the default one)",
		"my password: swordfish, then it hangs":              "my password: [redacted:field], then it hangs",
		"password: hunter2":                                  "password: [redacted:field]",
		"Password: swordfish":                                "Password: [redacted:field]",
		"user: bob password: swordfish role: admin":          "user: bob password: [redacted:field] role: admin",
		"db_password: correct horse battery":                 "db_password: [redacted:field]",
		"db:\n  password: correct horse battery":             "db:\n  password: [redacted:field]",
		"DB_PASSWORD=correct horse battery":                  "DB_PASSWORD=[redacted:field]",
		"DB_PASSWORD=hunter2 npm start":                      "DB_PASSWORD=[redacted:field] npm start",
		"spring.datasource.password = correct horse battery": "spring.datasource.password = [redacted:field]",
		"password: h0rse b4ttery":                            "password: [redacted:field]",
		"password: Winter 2026!":                             "password: [redacted:field]",
		"password: letmein # the first one":                  "password: [redacted:field] # the first one",
		"Authorization: Bearer abcdefgh":                     "Authorization: Bearer [redacted:authorization]",
		"password = swordfish is refused":                    "password = [redacted:field] is refused",
		"password = correct horse battery":                   "password = [redacted:field]",
		"token=abc123 was refused":                           "token=[redacted:field] was refused",
	} {
		if got := r.Text(in, redact.Counts{}); got != want {
			t.Errorf("%s\n%s, want\n%s", in, got, want)
		}
	}
}

// A login on a command line loses its password, and the line nothing else.
func TestLogins(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for in, want := range map[string]string{
		"curl -u me:hunter2 https://a.example/x":              "curl -u me:[redacted:password] https://a.example/x",
		"curl --user me:hunter2 https://a.example/x":          "curl --user me:[redacted:password] https://a.example/x",
		"curl --user=me:hunter2 https://a.example/x":          "curl --user=me:[redacted:password] https://a.example/x",
		"curl -sSu me:hunter2 https://a.example/x":            "curl -sSu me:[redacted:password] https://a.example/x",
		"curl -uadmin:hunter2 https://a.example/x":            "curl -uadmin:[redacted:password] https://a.example/x",
		"curl -u'admin:hunter two' https://a.example/x":       "curl -u'admin:[redacted:password]' https://a.example/x",
		`curl --proxy-user "me:hunter two" https://a.example`: `curl --proxy-user "me:[redacted:password]" https://a.example`,
		"wget -u a:hunter2 https://a.example/x":               "wget -u a:[redacted:password] https://a.example/x",
		"curl -u $USER:$PASS http://x":                        "curl -u $USER:$PASS http://x",
		"curl -u me http://x; docker run -u 1000 y":           "curl -u me http://x; docker run -u 1000 y",
	} {
		c := redact.Counts{}
		if got := r.Text(in, c); got != want || c.ByKind()["password"] != strings.Count(want, "[redacted") {
			t.Errorf("%s\n%s %v, want\n%s", in, got, c, want)
		}
	}
}

// A token is known by its format alone, in text and in a path, and not when it is too short.
func TestFormats(t *testing.T) {
	r := redactor(t, redact.Rules{})
	const letters, hex = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3Ab4Cd5Ef6Gh7Ij8Kl9",
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for prefix, rest := range map[string]string{
		"svc_pat_": letters[:36], "svc_wst_": letters[:36], "svc_shr_": letters[:49], "svc_ref_": letters[:52], "svc_rec_": letters[:49],
		"svc_sgn_": letters[:49],
		"whsec_":   letters[:32], "ghp_": letters[:36], "gho_": letters[:36],
		"ghu_": letters[:36], "ghs_": letters[:36], "ghr_": letters[:36],
		"github_pat_": letters, "glpat-": letters[:20], "xoxb-": letters[:30],
		"xoxp-": letters[:30], "xoxa-": letters[:30], "xoxr-": letters[:30],
		"xoxs-": letters[:30], "sk_live_": letters[:24], "sk_test_": letters[:24], "rk_live_": letters[:24],
		"AIza": letters[:35], "npm_": letters[:36], "pypi-": letters, "SG.": letters[:22] + "." + letters[:43],
		"SK": hex[:32], "sk-": letters[:48], "sk-proj-": letters[:48], "sk-ant-": letters[:48], "shpat_": hex[:32],
		"dop_v1_": hex,
		"AKIA":    "ABCDEFGHIJ234567", "ASIA": "ABCDEFGHIJ234567", "hvs.": letters[:24],
		"glsa_": letters[:32], "hf_": letters[:34], "GOCSPX-": letters[:28], "dckr_pat_": letters[:27],
	} {
		c := redact.Counts{}
		if out := r.Text("saw "+prefix+rest+", then", c); out != "saw [redacted:token], then" || c.ByKind()["token"] != 1 {
			t.Errorf("%s: %v %s", prefix, c, out)
		}
		if out := r.URL("/a/"+prefix+rest+"?b=1", c); out != "/a/REDACTED?b=1" {
			t.Errorf("%s: %s", prefix, out)
		}
		if short := "saw " + prefix + rest[:5] + ", then"; r.Text(short, c) != short {
			t.Errorf("%s goes though it is short", prefix)
		}
	}
}

// TestAdversaries: work and depth are bounded for any input.
func TestAdversaries(t *testing.T) {
	r := redactor(t, redact.Rules{Patterns: []string{`(a+)+b`}})
	const n = 200 << 10
	for _, s := range []string{
		strings.Repeat("[", n), strings.Repeat(`{"a":`, n/5), strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		strings.Repeat(`{"value":`, 900) + "1" + strings.Repeat(`,"name":"password"}`, 900),
		strings.Repeat(`password="`, n/10), strings.Repeat(`password=`, n/9),
		strings.Repeat(`password:`, n/9), strings.Repeat(`\`, n), strings.Repeat(`"\`, n/2), strings.Repeat("eyJ", n/3),
		strings.Repeat("eyJ.", n/4), strings.Repeat("4111 ", n/5), strings.Repeat("<password>", n/10),
		strings.Repeat("a@tcp(", n/6), strings.Repeat("http://a:b@", n/11), strings.Repeat("?a=", n/3),
		strings.Repeat("?a=%25", n/6), "?a=%" + strings.Repeat("25", n/2),
		strings.Repeat("password: a\n", n/12), strings.Repeat("password:\n  a", n/14),
		strings.Repeat("\"password\": [\n", n/14), strings.Repeat("<password>\n", n/11),
		strings.Repeat("password=${", n/11),
		strings.Repeat("password: {{", n/12), strings.Repeat("setItem('token',", n/16),
		strings.Repeat("[[\"token\",", n/11), strings.Repeat("<input ", n/7),
		strings.Repeat("sqlplus a/b@", n/12), "curl " + strings.Repeat("-b 'a=", n/6),
		strings.Repeat("4111 ", n/5), strings.Repeat("password_prod_", n/14) + "=", strings.Repeat("\xc3\xb1a:", n/4),
		strings.Repeat(`"d":"`, n/5), strings.Repeat(`d=\"`, n/4), strings.Repeat("password: a.b(\"", n/15),
		strings.Repeat("-----BEGIN PRIVATE KEY-----\nVersion: x\n", n/40),
		strings.Repeat("password = \"\"\"\n", n/15), strings.Repeat("password: a b c ", n/16),
		strings.Repeat("password: <b>", n/13), strings.Repeat("<b>password: <b>a</b>", n/21),
		strings.Repeat("-----BEGIN PRIVATE KEY-----", n/27),
		strings.Repeat("Cookie: a=b; ", n/13), strings.Repeat("AKIAIOSFODNN7EXAMPLE ", n/21),
		strings.Repeat("a", n), strings.Repeat("-u ", n/3), "curl " + strings.Repeat("-u a:b ", n/7),
		strings.Repeat("[redacted:", n/10), strings.Repeat("token ", n/6),
		strings.Repeat("tokens=[", n/8), strings.Repeat(`x=\"`, n/4),
		strings.Repeat("data:", n/5), strings.Repeat("password: a ", n/12),
		strings.Repeat("mysql -p ", n/9), strings.Repeat("password=a b ", n/13),
		strings.Repeat("---- BEGIN PRIVATE KEY ----", n/27),
		strings.Repeat("-----BEGIN PRIVATE KEY-----\n\x1b[32m", n/33),
		"-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("\x1b[32m", n/5),
		strings.Repeat("---- END", n/8), strings.Repeat(" ", n) + "BEGIN",
		strings.Repeat("'Cookie: '", n/10), strings.Repeat(`"authorization: `, n/16),
		strings.Repeat("digest username= ", n/17),
		strings.Repeat("<a:", n/3), strings.Repeat("<password:", n/10),
		strings.Repeat("<https://a:", n/11), strings.Repeat("pdo(a,", n/6),
		strings.Repeat(`.auth("a",`, n/10), strings.Repeat(`setPassword('a`, n/14),
		strings.Repeat("&quot;", n/6), strings.Repeat("token&quot;:", n/12),
		strings.Repeat("tokens&#34;:[&quot;", n/19), strings.Repeat("-a 'redis-cli ", n/14),
		strings.Repeat(`["-a","redis-cli"],`, n/19), "[" + strings.Repeat(`"redis-cli","-a",`, n/17) + `"x"]`,
		strings.Repeat("&lt;password&gt;", n/16), strings.Repeat("|echo a|--password-stdin ", n/24),
		strings.Repeat("config set token ", n/17), strings.Repeat("a('password').type('x", n/21),
		strings.Repeat("-ghp_", n/5), strings.Repeat("-eyJ", n/4),
		strings.Repeat("-SG.", n/4), strings.Repeat("SG.", n/3),
		strings.Repeat("_sk-", n/4), strings.Repeat("%20ghp_", n/7),
		strings.Repeat("-MTA.", n/5), strings.Repeat("redis-cli \\\n", n/12), "zip " + strings.Repeat("-P", n/2),
	} {
		for what, do := range map[string]func(string, redact.Counts) string{"text": r.Text,
			"body": func(s string, c redact.Counts) string {
				return r.Body("", s, c)
			}, "url": r.URL} {
			if took := timed(func() { do(s, redact.Counts{}) }); took.Seconds() > 2 {
				t.Errorf("%s: %v for %.20s…", what, took, s)
			}
		}
	}
	var deep any = "password=abc123"
	for range 20000 {
		deep = []any{deep}
	}
	r.Value(deep, redact.Counts{})
}

// TestContextStopsPatterns: the patterns of a request stop when its context ends.
func TestContextStopsPatterns(t *testing.T) {
	r, err := redact.New(redact.Rules{Patterns: []string{"CUST-[0-9]+"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r = r.Within(ctx, redact.MaxWork)
	if got := r.Text("of CUST-17", nil); got != "of [redacted:rule]" || r.Err() != nil {
		t.Error(got, r.Err())
	}
	cancel()
	if got := r.Text("of CUST-17", nil); got != "[redacted:line]" || !errors.Is(r.Err(), context.Canceled) {
		t.Error(got, r.Err())
	}
}

// TestMasksAreBounded: rules do not make ten times as much of a text.
func TestMasksAreBounded(t *testing.T) {
	r, err := redact.New(redact.Rules{Patterns: []string{"a"}, Masks: []string{strings.Repeat("x", 100)}})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{strings.Repeat("a", 1000): "[redacted:line]",
		strings.Repeat("b", 50) + "a": strings.Repeat("b", 50) + strings.Repeat("x", 100)} {
		if got := r.Text(in, nil); got != want {
			t.Errorf("%.60s became %.60s", in, got)
		}
	}
}

// TestWorkIsCounted: what patterns may cost is counted by the input and the rules alone, wherever
// they are tried, and the pattern that costs the most is named.
func TestWorkIsCounted(t *testing.T) {
	r, err := redact.New(redact.Rules{Patterns: []string{"CUST-[0-9]+", "(a|b|ab){1,40}c", "x(.*y)?"}})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(line string, n int) string { return strings.Repeat(line+"\n", n) }
	for name, c := range map[string]struct {
		text string
		most int64
		want int // the pattern that is refused; -1 for none
	}{
		"short":             {lines("of CUST-17", 10), 1_000_000, -1},
		"long":              {lines(strings.Repeat("ab", 50), 1000), 10_000_000, 1},
		"as long as may be": {lines(strings.Repeat("ab", 50), 100), 10_000_000, -1},
		"quick, though long": {lines("of CUST-17, and of nobody else who might have one", 1000), 100_000_000,
			-1},
		"matches that look far ahead": {strings.Repeat("x", 20_000), 20_000_000, 2},
		"a few of these":              {strings.Repeat("x", 100), 10_000_000, -1},
	} {
		for range 2 {
			for how, do := range map[string]func(*redact.Redactor){
				"text": func(r *redact.Redactor) { r.Text(c.text, nil) },
				"body": func(r *redact.Redactor) { r.Body("", c.text, nil) },
				"reader": func(r *redact.Redactor) {
					if _, err := io.ReadAll(r.Reader(strings.NewReader(c.text), redact.Counts{})); !errors.Is(err,
						r.Err()) {
						t.Errorf("%s: the reader answers %v", name, err)
					}
				},
			} {
				one, got := r.Within(t.Context(), c.most), -1
				var costly *redact.CostError
				if do(one); errors.As(one.Err(), &costly) {
					got = costly.Index
				}
				if got != c.want {
					t.Errorf("%s as %s: pattern %d is refused, want %d (%v)", name, how, got, c.want, one.Err())
				}
			}
		}
	}
}

// TestWorkBoundsTime: work within the limit takes bounded time for any patterns and input: at most 10 ns a unit when
// this was written.
func TestWorkBoundsTime(t *testing.T) {
	const most = 10_000_000
	for pattern, text := range map[string]string{
		"(a|b|ab|ba){1,30}c":     strings.Repeat("ab", 100_000),
		"([ab]?){40}([ab]?){9}c": strings.Repeat("ab", 100_000),
		"a(.*b)?":                strings.Repeat("a", 200_000),
		"a+(.{1,60}b)?":          strings.Repeat("a ", 100_000),
		"aa(.{1,60}b)?":          strings.Repeat("aa ", 100_000),
		"a":                      strings.Repeat("a", 200_000),
		"a[^x]{5,}":              strings.Repeat("ayyyx", 100_000),
		"(a.{0,20}|b)[^x]*":      strings.Repeat("ax", 100_000),
		"[a-z]+@acme":            strings.Repeat("abcdefg ", 100_000),
	} {
		r, err := redact.New(redact.Rules{Patterns: []string{pattern}})
		if err != nil {
			t.Fatal(err)
		}
		one := r.Within(t.Context(), most)
		if took := timed(func() { one.Text(text, nil) }); took.Seconds() > 3 {
			t.Errorf("%s: %v (%v)", pattern, took, one.Err())
		}
	}
}

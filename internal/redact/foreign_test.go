package redact_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"bugslice/internal/redact"
)

// checkForeignName checks that the value of a name goes in each form.
func checkForeignName(t *testing.T, r *redact.Redactor, name string) {
	for how, out := range map[string]string{
		"JSON":                r.Body("", `{"`+name+`":"hunter2xyz"}`, nil),
		"escaped JSON":        r.Text(`sent "{\"`+name+`\":\"hunter2xyz\"}"`, nil),
		"assignment":          r.Text(name+"=hunter2xyz", nil),
		"assignment, spaced":  r.Text("export "+name+" = hunter2xyz", nil),
		"colon":               r.Text(name+": hunter2xyz", nil),
		"colon within a text": r.Text("I entered "+name+": hunter2xyz and it failed", nil),
		"quoted":              r.Text("'"+name+`': "hunter2xyz"`, nil),
		"wide colon":          r.Text(name+"：hunter2xyz", nil),
		"wide equals sign":    r.Text("x "+name+"＝hunter2xyz", nil),
		"parameter": r.URL("https://a.example/x?y=1&"+strings.ReplaceAll(url.QueryEscape(name),
			"+", "%20")+"=hunter2xyz", nil),
		"form": r.Body("application/x-www-form-urlencoded", "a=b&"+url.QueryEscape(name)+"=hunter2xyz", nil),
	} {
		if strings.Contains(out, "hunter2xyz") {
			t.Errorf("%s as %s: %s", name, how, out)
		}
	}
	entry := map[string]any{"request": map[string]any{"queryString": []any{map[string]any{"name": name,
		"value": "hunter2xyz"}},
		"headers": []any{map[string]any{"name": name, "value": "hunter2xyz"}}}}
	if r.Entry(entry, nil); strings.Contains(encode(t, entry), "hunter2xyz") {
		t.Errorf("%s in a HAR: %s", name, encode(t, entry))
	}
}

// TestForeignNames: a value is removed by its name in any language, however the letters are composed and whatever
// their case and width.
func TestForeignNames(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for _, name := range []string{"密码", "密碼", "口令", "暗証番号", "パスワード", "ﾊﾟｽﾜｰﾄﾞ",
		"пароль", "ПАРОЛЬ", "şifre", "ŞİFRE", "Şifre", "şıfre", "비밀번호", "암호", "Passwort", "ｐａｓｓｗｏｒｄ", "ＰＡＳＳＷＯＲＤ",
		"mot de passe", "Mot de passe", "contraseña", "CONTRASEÑA", "senha",
		"hasło", "HASŁO", "lozinka", "heslo", "jelszó", "parola", "salasana",
		"lösenord", "adgangskode", "wachtwoord", "mật khẩu", "Mật khẩu",
		"كلمة المرور", "كَلِمَة المرور", "סיסמה", "รหัสผ่าน", "पासवर्ड",
		"κωδικός", "ΚΩΔΙΚΌΣ", "passord", "db_пароль", "новый_пароль",
		"ＤＢ＿ＰＡＳＳＷＯＲＤ", "პაროლი", "зарпароль", "geslo", "lykilorð",
		"slaptažodis", "гасло-пароль", "лозинка", "парола",
		"contrasenya", "şifreniz", "şifrə", "parol", "parole", "clave", "nenosiri",
		"fjalëkalimi", "كلمه السر", "passwort_neu", "contraseña_nueva", "Пароль пользователя"} {
		for _, name := range []string{name, norm.NFD.String(name), norm.NFC.String(name)} {
			checkForeignName(t, r, name)
		}
	}
	for _, in := range []string{"密码：请输入您的密码", "密码: 错误", "パスワード：必須です", "пароль: неверный логин или пароль",
		"Забыли пароль? Нажмите: сброс", "ссылка: https://example.com/x",
		"автор=bob", "名前：田中", "日本語=ja", "şehir: Ankara", "naïve=1", "compás: 3",
		"пароль: обязателен", "비밀번호: 필수", "senha: obrigatória", "heslo: povinné",
		"mot de passe: oublié", "Passwort: falsch", "contraseña: incorrecta",
		"şifre: hatalı", "pw: 320px", "session: started", "jwt: malformed",
		"db_pass: ok"} {
		if out := r.Text(in, nil); out != in {
			t.Errorf("%s became %s", in, out)
		}
	}
	for _, in := range []string{"пароль: рыба", "senha: peixe", "Passwort: falsch1", "senha=obrigatória", "pw: h320px",
		"db_pass: okay12"} {
		if out := r.Text(in, nil); !strings.HasSuffix(out, "[redacted:field]") {
			t.Errorf("%s became %s", in, out)
		}
	}
	own := redactor(t, redact.Rules{Fields: []string{"Kundennummer Übersee", "顧客*"}, Allow: []string{"пароль"}})
	for in, want := range map[string]string{`{"kundennummerübersee":"x1"}`: `{"kundennummerübersee":"[redacted:rule]"}`,
		`{"顧客番号":"x1"}`: `{"顧客番号":"[redacted:rule]"}`, `{"пароль":"x1"}`: `{"пароль":"x1"}`} {
		if out := own.Body("", in, nil); out != want {
			t.Errorf("%s became %s, want %s", in, out, want)
		}
	}
}

// TestNamesOfSettings that end in pass, private or auth.
func TestNamesOfSettings(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for _, name := range []string{"smtp_pass", "SMTP_PASS", "bindPass",
		"BIND_PASS", "ldap-bind-pass", "x_pass", "proxyPass", "X_PRIVATE",
		"APP_PRIVATE", "X_AUTH", "REGISTRY_AUTH", "npm_auth", "NPM_CONFIG__AUTH"} {
		for _, value := range []string{"swordfish", "hunter2xyz", "correcthorse"} {
			for how, out := range map[string]string{
				"JSON": r.Body("", `{"`+name+`":"`+value+`"}`, nil), "assignment": r.Text(name+"="+value, nil),
				"exported":         r.Text("export "+name+"='"+value+"'", nil),
				"line of settings": r.Text("  "+name+": "+value, nil),
				"parameter":        r.URL("https://a.example/?"+name+"="+value, nil),
				"form":             r.Body("application/x-www-form-urlencoded", "a=b&"+name+"="+value, nil),
			} {
				if strings.Contains(out, value) {
					t.Errorf("%s as %s: %s", name, how, out)
				}
			}
		}
	}
	for _, in := range []string{"privacy=strict", "author=bob", "bypass=cache",
		"compass: north", "pass: 12 tests", "tests_pass: 12", "X_PRIVATE=true",
		"is_private=1", `{"private":true,"isPrivate":"no"}`, `{"private":"members only"}`,
		"lowPass=440", "render_pass: opaque", "encompass=all", "oauth=github",
		"passed: 12", `{"userAuth":{"id":"u-17","role":"admin"}}`, "private = notes", "Cache-Control: private",
		"trespass: no"} {
		if out := r.Body("", in, nil); out != in {
			t.Errorf("%s became %s", in, out)
		}
	}
}

package redact

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ending is a rule about the end of names.
type ending struct {
	text string
	how  byte // '=' for the whole name, '-' for its last words, '~' for its last letters
	meaning
}

// builtin are the rules about the ends of names, without case and punctuation: how much of a name must match, the class and the kind.
const builtin = `
~ always field password passwd passphrase passcode kennwort secret clientsecret apikey secretkey privatekey accesskey accesskeyid accountkey
~ always field sharedkey sharedaccesskey signingkey encryptionkey masterkey authkey sshkey subscriptionkey functionskey servicekey
~ always field accesstoken refreshtoken idtoken authtoken apitoken csrftoken xsrftoken middlewaretoken sessiontoken bearertoken
~ always field securitytoken
~ always field sessionid sessid sessionkey sessioncookie cardnumber ccnumber cardno creditcard creditcardnumber cardcvc cardcvv securitycode
~ always field socialsecuritynumber passwordhash passwordsalt passworddigest passwordconfirmation passwordconfirm passwordagain
~ always field passwordrepeat
~ always field passwordnew passwordold passwordvalue passwordtext secretvalue secretstring secretbinary tokenvalue tokensecret
~ always field totpsecret mfacode
~ always field otpcode smscode verificationcode authcode recoverycode backupcode seedphrase mnemonic connectionstring webhookurl
~ always field dockerconfigjson
~ always field passwort motdepasse contrasena wachtwoord losenord adgangskode secretkeybase
~ always field palavrapasse kodord sifre sifresi parolasi lozinka zaporka geslo jelszo salasana haslo matkhau katasandi slaptazodis
~ always field lykilord пароль пароля паролю парол парола лозинка κωδικος κωδικοσπροσβασης συνθηματικο סיסמה סיסמא ססמה
~ always field 密码 密碼 口令 暗証番号 パスワード パスコード パスフレーズ 秘密鍵 密钥 金鑰 비밀번호 암호 패스워드 비번
~ always field كلمةالمرور كلمةالسر رمزالمرور رمزعبور گذرواژه รหัสผ่าน पासवर्ड कूटशब्द পাসওয়ার্ড கடவுச்சொல் ಪಾಸ್ವರ್ಡ್ પાસવર્ડ
~ always field ពាក្យសម្ងាត់ ລະຫັດຜ່ານ စကားဝှက် գաղտնաբառ პაროლი құпиясөз
~ always field contrasenya sifreniz şifrə nenosiri fjalekalimi كلمهالسر парольпользователя
- always field parola heslo parool parol
- often field clave parole
- always field depasse senha passord appkey stripekey sendgridkey mailgunkey mailchimpkey twiliokey openaikey anthropickey
- always field mistralkey algoliakey
- always field datadogkey mapboxkey googlekey mapskey firebasekey azurekey awskey githubkey gitlabkey slackkey paypalkey recaptchakey
~ always field userpwd xoauth2bearer clientassertion oauthsignature
- always field jwtkey hmackey cipherkey cryptkey cookiekey storagekey unsealkey deploykey
- always field pwd passwd cvv cvc cvn ssn otp totp jwt csrf xsrf pw
- ifNumber field pin pan csc
= ifNumber field mfa cid
= always field sid connectsid xauth basicauth httpauth proxyauth storepass keypass
- always field dbpass userpass mysqlpass smtppass ftppass mailpass pgpass redispass rootpass adminpass
~ often field token
= often field auth session pass bearer credential credentials creds
= never - private
- never - lowpass highpass bandpass allpass renderpass shaderpass shadowpass firstpass secondpass onepass twopass singlepass multipass
- never - boardingpass seasonpass daypass bypass testspass noauth needsauth requireauth requiresauth useauth withauth isprivate
- scalar field pass private auth
~ always authorization proxyauthorization xauthorization
~ often authorization authorization
= always cookie cookie setcookie cookie2 cookieheader
~ unlessNumber field tokens secrets passwords apikeys accesskeys secretkeys recoverycodes backupcodes
= unlessNumber cookie cookies
= inURL field sig signature xamzsignature xgoogsignature code key hmac ticket xamzcredential
~ ifRandom field devicecode assertion samlrequest samlresponse samlart
~ always field codeverifier idtokenhint
~ always field noncekey loggedinkey authsalt noncesalt loggedinsalt
- ifNumber field cardcode cardverification ccv csccode
~ always field cardverificationcode cardverificationvalue cardsecuritycode cvccode cvvcode ccvcode cscnumber
~ always field kartenprufnummer kartenpruefnummer kartenprfnummer prufziffer pruefziffer codigoseguridad codigodeseguridad
~ always field cdigodeseguridad cryptogramme
~ never - pagetoken nexttoken continuationtoken canceltoken cancellationtoken synctoken designtoken publickeytoken
~ never - haspassword forgotpassword resetpassword showpassword isauthorization
`

// endings are the rules by the last two letters of the name.
var endings = func() (table [26 * 26][]ending) {
	classes := map[string]class{"never": notSecret, "always": alwaysSecret, "often": oftenSecret, "scalar": oftenSecret,
		"ifNumber": secretIfNumber, "unlessNumber": secretUnlessNumber, "inURL": secretInURL, "ifRandom": secretIfRandom}
	for line := range strings.Lines(strings.TrimSpace(builtin)) {
		words := strings.Fields(line)
		for _, name := range words[3:] {
			var f folded
			f.fold(name)
			text := string(f.text[:f.n])
			n := pair(text[len(text)-2], text[len(text)-1])
			table[n] = append(table[n], ending{text, words[0][0], meaning{classes[words[1]], words[2], words[1] == "scalar"}})
		}
	}
	return table
}()

// pair numbers two lower-case letters. A digit counts as an a.
func pair(a, b byte) int {
	if a -= 'a'; a > 25 {
		a = 0
	}
	if b -= 'a'; b > 25 {
		b = 0
	}
	return int(a)*26 + int(b)
}

// folded is a name in lower case, without punctuation and accents and in the usual width, with the beginnings of its words. Only the end
// of a name that is longer than a rule may be is kept.
type folded struct {
	text   [MaxLength]byte
	n      int
	starts [MaxLength/64 + 1]uint64
}

func (f *folded) fold(name string) {
	if len(name) > MaxLength {
		name = name[len(name)-MaxLength:]
	}
	begins := true
	lower := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			lower = true
		case c >= 'A' && c <= 'Z':
			begins = begins || lower
			lower = false
			c |= 0x20
		case c >= utf8.RuneSelf:
			f.foldUnicode(name)
			return
		default:
			begins = true
			continue
		}
		if begins {
			f.starts[f.n/64] |= 1 << (f.n % 64)
		}
		f.text[f.n] = c
		f.n++
		begins = false
	}
}

// foldUnicode folds a name that has letters beyond ASCII.
func (f *folded) foldUnicode(name string) {
	*f = folded{}
	begins, lower := true, false
	name = norm.NFKD.String(name)
	if len(name) > MaxLength/2 { // a letter that becomes two takes two bytes
		name = name[len(name)-MaxLength/2:]
	}
	for _, c := range name {
		switch {
		case unicode.IsMark(c):
			continue
		case !unicode.IsLetter(c) && !unicode.IsNumber(c) || c == utf8.RuneError:
			begins = true
			continue
		}
		capital := unicode.IsUpper(c)
		if begins = begins || capital && lower; begins {
			f.starts[f.n/64] |= 1 << (f.n % 64)
		}
		lower, begins = !capital, false
		c = unicode.ToLower(c)
		if plain, ok := plainLetters[c]; ok {
			f.n += copy(f.text[f.n:], plain)
		} else if f.n+utf8.RuneLen(c) <= len(f.text) {
			f.n += utf8.EncodeRune(f.text[f.n:], c)
		}
	}
}

// plainLetters are letters that Unicode does not decompose.
var plainLetters = map[rune]string{'ı': "i", 'ł': "l", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ς': "σ"}

func (f *folded) wordAt(i int) bool { return f.starts[i/64]&(1<<(i%64)) != 0 }

// meaningOf returns the meaning of a name: by the rules of the workspace first, then by the built-in rules, of which the longest match
// counts. A number at the end of the name is ignored, and so is a word that tells several secrets apart.
func (r *Redactor) meaningOf(name string) meaning {
	if len(name) < 2 || strings.Contains(name, markerPrefix) || strings.HasPrefix(name, "node_modules/") {
		return meaning{}
	}
	if strings.IndexByte(name, '%') >= 0 {
		name = unescape(name)
	}
	var f folded
	f.fold(name)
	for i, g := range r.fields {
		if g.match(f.text[:f.n]) {
			return meaning{class: alwaysSecret, kind: r.ownKind(ownField, i)}
		}
	}
	best := f.ending(f.unnumberedEnd(f.n))
	if best.class == notSecret && best.text == "" {
		if n := f.variantStart(); n > 0 {
			if best = f.ending(n); best.class == oftenSecret && best.how == '=' || best.class == secretIfNumber {
				return meaning{}
			}
		}
	}
	if best.class == notSecret {
		return meaning{}
	}
	for _, g := range r.allow {
		if g.match(f.text[:f.n]) {
			return meaning{}
		}
	}
	return best.meaning
}

// memberMeaning returns the meaning of a member of an object: that of its name, or else the one that the object has.
func (r *Redactor) memberMeaning(name string, object meaning) meaning {
	if m := r.meaningOf(name); m.isSecret() {
		return m
	}
	if object.class == oftenSecret {
		object.class = alwaysSecret
	}
	return object
}

// unnumberedEnd returns where a name ends without its number.
func (f *folded) unnumberedEnd(n int) int {
	for n > 0 && f.text[n-1] <= '9' {
		n--
	}
	return n
}

// variantStart returns where a name ends without the last words that tell several secrets apart, such as old or production; 0 when it has
// none.
func (f *folded) variantStart() int {
	whole := f.unnumberedEnd(f.n)
	for n := whole; ; {
		at := n - 1
		for at > 0 && !f.wordAt(at) {
			at--
		}
		last := ""
		if at > 0 {
			last = string(f.text[at:n])
		}
		switch last {
		case "prod", "production", "dev", "development", "staging", "stage", "test", "testing", "qa", "uat", "live", "sandbox", "local",
			"preview", "ci", "v", "old", "new", "current", "previous", "backup", "primary", "secondary", "main", "default", "eu", "us",
			"raw", "plain", "plaintext", "encoded", "neu", "alt", "nuevo", "nueva", "novo", "nova", "nouveau":
			n = f.unnumberedEnd(at)
		default:
			if n == whole {
				return 0
			}
			return n
		}
	}
}

// ending returns the longest rule that matches the end of the first n letters of a name.
func (f *folded) ending(n int) ending {
	var best ending
	if n < 2 {
		return best
	}
	for _, e := range endings[pair(f.text[n-2], f.text[n-1])] {
		at := n - len(e.text)
		switch {
		case at < 0 || len(e.text) <= len(best.text) || string(f.text[at:n]) != e.text:
		case e.how == '=' && at > 0, e.how == '-' && !f.wordAt(at):
		default:
			best = e
		}
	}
	return best
}

// glob is a folded name, which may continue at the ends where a '*' was.
type glob struct {
	text               string
	openStart, openEnd bool
}

func (g glob) match(name []byte) bool {
	switch {
	case len(name) < len(g.text):
		return false
	case g.openStart && g.openEnd:
		return strings.Contains(string(name), g.text)
	case g.openStart:
		return string(name[len(name)-len(g.text):]) == g.text
	case g.openEnd:
		return string(name[:len(g.text)]) == g.text
	}
	return string(name) == g.text
}

// appendGlob adds the glob of a name, which may have a '*' at each end.
func appendGlob(all *[]glob, name string) error {
	var f folded
	f.fold(name)
	inner := strings.TrimSuffix(strings.TrimPrefix(name, "*"), "*")
	switch {
	case strings.Contains(inner, "*"):
		return fmt.Errorf("%q has a * that is not at an end", name)
	case f.n < 2:
		return fmt.Errorf("%q has fewer than two letters or digits", name)
	}
	*all = append(*all, glob{string(f.text[:f.n]), strings.HasPrefix(name, "*"), strings.HasSuffix(name, "*")})
	return nil
}

func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s
	}
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

package redact

import (
	"fmt"
	"strings"
)

// class says what a name tells about the value that stands under it.
type class uint8

const (
	none      class = iota
	sure            // it goes
	loose           // also a word of prose: in running text it must look like a secret
	digits          // it goes if it is a number
	plural          // it goes unless it is a number, which would be a count
	parameter       // it goes in a URL
	opaque          // it goes if it is long and looks like no word
)

type meaning struct {
	class class
	kind  string
}

type ending struct {
	text string
	how  byte // '=' the whole name; '-' its last words; '~' however the name goes on before
	meaning
}

// builtin is what names mean, by their ends, folded.
const builtin = `
~ sure field password passwd passphrase passcode kennwort secret clientsecret apikey secretkey privatekey accesskey accesskeyid accountkey
~ sure field sharedkey sharedaccesskey signingkey encryptionkey masterkey authkey sshkey subscriptionkey functionskey servicekey
~ sure field accesstoken refreshtoken idtoken authtoken apitoken csrftoken xsrftoken middlewaretoken sessiontoken bearertoken securitytoken
~ sure field sessionid sessid sessionkey sessioncookie cardnumber ccnumber cardno creditcard creditcardnumber cardcvc cardcvv securitycode
~ sure field socialsecuritynumber passwordhash passwordsalt passworddigest passwordconfirmation passwordconfirm passwordagain passwordrepeat
~ sure field passwordnew passwordold passwordvalue passwordtext secretvalue secretstring secretbinary tokenvalue tokensecret totpsecret mfacode
~ sure field otpcode smscode verificationcode authcode recoverycode backupcode seedphrase mnemonic connectionstring webhookurl dockerconfigjson
~ sure field passwort motdepasse contrasena contrasea wachtwoord losenord lsenord adgangskode secretkeybase
- sure field depasse senha passord appkey stripekey sendgridkey mailgunkey mailchimpkey twiliokey openaikey anthropickey mistralkey algoliakey
- sure field datadogkey mapboxkey googlekey mapskey firebasekey azurekey awskey githubkey gitlabkey slackkey paypalkey recaptchakey
~ sure field userpwd xoauth2bearer clientassertion oauthsignature
- sure field jwtkey hmackey cipherkey cryptkey cookiekey storagekey unsealkey deploykey
- sure field pwd passwd cvv cvc cvn ssn otp totp jwt csrf xsrf pw
- digits field pin pan csc
= digits field mfa cid
= sure field sid connectsid xauth basicauth httpauth proxyauth storepass keypass
- sure field dbpass userpass mysqlpass smtppass ftppass mailpass pgpass redispass rootpass adminpass
~ loose field token
= loose field auth session pass bearer credential credentials creds
~ sure authorization proxyauthorization xauthorization
~ loose authorization authorization
= sure cookie cookie setcookie cookie2 cookieheader
~ plural field tokens secrets passwords apikeys accesskeys secretkeys recoverycodes backupcodes
= plural cookie cookies
= parameter field sig signature xamzsignature xgoogsignature code key hmac ticket xamzcredential
~ opaque field devicecode assertion samlrequest samlresponse samlart
~ sure field codeverifier idtokenhint
~ sure field noncekey loggedinkey authsalt noncesalt loggedinsalt
- digits field cardcode cardverification ccv csccode
~ sure field cardverificationcode cardverificationvalue cardsecuritycode cvccode cvvcode ccvcode cscnumber
~ sure field kartenprufnummer kartenpruefnummer kartenprfnummer prufziffer pruefziffer codigoseguridad codigodeseguridad cdigodeseguridad cryptogramme
~ none - pagetoken nexttoken continuationtoken canceltoken cancellationtoken synctoken designtoken publickeytoken
~ none - haspassword forgotpassword resetpassword showpassword isauthorization
`

// endings are the rules by the last two letters of the folded name.
var endings = func() (table [26 * 26][]ending) {
	classes := map[string]class{"none": none, "sure": sure, "loose": loose, "digits": digits, "plural": plural, "parameter": parameter, "opaque": opaque}
	for line := range strings.Lines(strings.TrimSpace(builtin)) {
		words := strings.Fields(line)
		for _, text := range words[3:] {
			n := pair(text[len(text)-2], text[len(text)-1])
			table[n] = append(table[n], ending{text, words[0][0], meaning{classes[words[1]], words[2]}})
		}
	}
	return table
}()

// pair numbers two lower-case letters; a digit of a rule's name counts as an a.
func pair(a, b byte) int {
	if a -= 'a'; a > 25 {
		a = 0
	}
	if b -= 'a'; b > 25 {
		b = 0
	}
	return int(a)*26 + int(b)
}

// folded is a name in lower case and without punctuation, and where its words begin. Of a
// name that is longer than a rule may be, only the end is looked at.
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

func (f *folded) wordAt(i int) bool { return f.starts[i/64]&(1<<(i%64)) != 0 }

// name returns what a name means: to the workspace first, then to the built-in rules. The
// longest rule that fits counts. A number at the end of the name does not, nor which of several
// secrets it says it is.
func (r *Redactor) name(name string) meaning {
	if len(name) < 2 || strings.Contains(name, opening) || strings.HasPrefix(name, "node_modules/") {
		return meaning{}
	}
	if strings.IndexByte(name, '%') >= 0 {
		name = unescape(name)
	}
	var f folded
	f.fold(name)
	for i, g := range r.fields {
		if g.match(f.text[:f.n]) {
			return meaning{sure, r.ownKind(ownField, i)}
		}
	}
	best := f.ending(f.unnumbered(f.n))
	if best.class == none && best.text == "" {
		if n := f.variant(); n > 0 {
			if best = f.ending(n); best.class == loose && best.how == '=' || best.class == digits {
				return meaning{}
			}
		}
	}
	if best.class == none {
		return meaning{}
	}
	for _, g := range r.allow {
		if g.match(f.text[:f.n]) {
			return meaning{}
		}
	}
	return best.meaning
}

// unnumbered returns where a name ends whose number does not count.
func (f *folded) unnumbered(n int) int {
	for n > 0 && f.text[n-1] <= '9' {
		n--
	}
	return n
}

// variant returns where a name ends without last words that say which of several it is, or
// 0 if it has none.
func (f *folded) variant() int {
	whole := f.unnumbered(f.n)
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
		case "prod", "production", "dev", "development", "staging", "stage", "test", "testing", "qa", "uat", "live", "sandbox", "local", "preview", "ci",
			"v", "old", "new", "current", "previous", "backup", "primary", "secondary", "main", "default", "eu", "us", "raw", "plain", "plaintext", "encoded":
			n = f.unnumbered(at)
		default:
			if n == whole {
				return 0
			}
			return n
		}
	}
}

// ending returns the longest rule that the first n letters of a name end with.
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

// glob is a folded name, open at the ends where a '*' stood.
type glob struct {
	text         string
	before, past bool
}

func (g glob) match(name []byte) bool {
	switch {
	case len(name) < len(g.text):
		return false
	case g.before && g.past:
		return strings.Contains(string(name), g.text)
	case g.before:
		return string(name[len(name)-len(g.text):]) == g.text
	case g.past:
		return string(name[:len(g.text)]) == g.text
	}
	return string(name) == g.text
}

// appendGlob adds the glob of a name, which may have a * at each end.
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

package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	unorm "golang.org/x/text/unicode/norm"

	"bugslice/internal/words"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"Checkout BUTTON, checkout!": {"checkout", "button"}, "Crème brûlée": {"creme", "brulee"},
		"Straße": {"strasse"}, "ΣΊΣΥΦΟΣ σίσυφος": {"σισυφοσ"},
		"支払い": {"支", "払", "い"}, "foo_bar-42": {"foo", "bar", "42"}, "": nil,
		"!?": nil, "ﬁne": {"fine"}, "Zurück İstanbul": {"zuruck", "istanbul"},
	} {
		if got := words.Split(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestParseSearch: a word with an asterisk at its end is a prefix, where a word has a beginning.
func TestParseSearch(t *testing.T) {
	long := strings.Repeat("x", 80)
	for text, want := range map[string]words.Search{
		"":                          {},
		"* ** -*":                   {},
		"Slow check*":               {[]string{"slow"}, []string{"check"}},
		"ČEK* cek* ﬁ＊":              {nil, []string{"cek", "fi"}},
		"foo-check* check":          {[]string{"foo", "check"}, []string{"check"}},
		"foo-* a*b **bold** c**":    {[]string{"foo", "a", "b", "bold", "c"}, nil},
		"支払* 支check*":               {[]string{"支", "払"}, []string{"check"}},
		"ระบบ*":                     {words.Split("ระบบ"), nil},
		"로그인*":                      {words.Split("로그인"), nil},
		long + "*":                  {nil, []string{long[:64]}},
		"check*\u3000 ab*\tcd* 50*": {nil, []string{"check", "ab", "cd", "50"}},
	} {
		got := words.ParseSearch(text)
		if !slices.Equal(got.Words, want.Words) || !slices.Equal(got.Prefixes, want.Prefixes) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"ab* c* d*": "c", "Ä*": "a", "50*": "", "a b": "", "支*": ""} {
		if got := words.ParseSearch(text).TooShort(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzParseSearch: a text without asterisks has the words of Split, and each word that Split finds is one or begins
// with a prefix.
func FuzzParseSearch(f *testing.F) {
	f.Add("Slow check* 支払* ระบบ* foo-bar*")
	f.Fuzz(func(t *testing.T, text string) {
		got, all := words.ParseSearch(text), words.Split(text)
		if !strings.Contains(words.Fold(text), "*") && !slices.Equal(got.Words, all) {
			t.Fatalf("%q: %q, want %q", text, got.Words, all)
		}
		for _, w := range all {
			if !slices.Contains(got.Words, w) && !slices.Contains(got.Prefixes, w) && len(all) < 1000 {
				t.Fatalf("%q: %q lacks %q", text, got, w)
			}
		}
	})
}

// TestSearchedTextsAreFound: a report is found by a text when each word of the text is one of its words. In scripts
// without spaces, and in Korean, that is each part of a word.
func TestSearchedTextsAreFound(t *testing.T) {
	for _, c := range []struct {
		text, searched string
		found          bool
	}{
		{"로그인이 안 됩니다", "로그인", true}, {"로그인이 안 됩니다", "그인", true}, {"로그인", "로그인이", false}, {"인로 그", "로그인", false},
		{"앱이 멈춘다", "앱", true}, {"로그인 버튼", norm("로그인"), true}, {norm("결제가 실패했습니다"), "결제", true}, {"ﾡﾢ ﾤ", "ㄱㄲ", true},
		{"ពាក្យសម្ងាត់មិនត្រឹមត្រូវ", "សម្ងាត់", true}, {"ປຸ່ມເຂົ້າສູ່ລະບົບບໍ່ເຮັດວຽກ", "ລະບົບ", true},
		{"စကားဝှက်မမှန်ပါ", "မမှန်", true}, {"ปุ่มเข้าสู่ระบบไม่ทำงาน", "ระบบ", true},
		{"ปุ่มเข้าสู่ระบบไม่ทำงาน", "บบไระ", false},
		{"ꦱꦼꦢꦪꦮꦺꦴꦁ", "ꦢꦪ", true}, {"ᬅᬓ᭄ᬱᬭᬩᬮᬶ", "ᬩᬮᬶ", true}, {"བོད་སྐད་ཡིག", "སྐད", true}, {"བོད་སྐད་ཡིག", "བོད", true},
		{"支払いボタン", "払い", true}, {"登录失败", "失败", true}, {"ﾎﾞﾀﾝ", "ボタン", true}, {"ログイン画面", "ｲﾝ", true},

		{"Łódź", "lodz", true}, {"lodz", "ŁÓDŹ", true}, {"Straße", "strasse", true}, {"STRASSE", "straße", true},
		{"GROẞ", "gross", true},
		{"København", "kobenhavn", true}, {"Ærø", "aero", true}, {"œuvre", "oeuvre", true},
		{"Đorđe", "dorde", true}, {"Þórður", "thordur", true},
		{"ısırgan", "isirgan", true}, {"ISIRGAN", "ısırgan", true}, {"İstanbul", "istanbul", true},
		{"Sápmi Ŋ ŧ ħ", "n t h", true},
		{"ſecret", "secret", true}, {"Bakı əla", "ela", true}, {"paral·lel", "parallel", true},
		{"ŉ", "n", true}, {"ĳsland", "ijsland", true},
		{"Қазақстан", "казакстан", true}, {"Ґалаґан", "галаган", true}, {"ёлка", "елка", true}, {"Ǿ", "o", true},
		{"ƀȼ", "bc", true},

		{"ｌｏｇｉｎ　ｆａｉｌｓ", "login", true}, {"ﬁle ﬂow oﬃce", "file flow office", true},
		{"e\u0301\u0327", "e\u0327\u0301", true},
		{"x\u0301\u0327y", "xy", true}, {"مُحَمَّد", "محمد", true}, {"שָׁלוֹם", "שלום", true},
		{"محـــمد", "محمد", true}, {"کتاب یک", "كتاب يك", true},
		{"co\u00adoperate", "cooperate", true}, {"می\u200cخواهم", "میخواهم", true},
		{"क्\u200dष", "क्ष", true}, {"pass\u2060word\ufeff", "password", true},
		{"a\u200bb", "ab", false}, {"किताब", "किताब", true}, {"१२३ ٤٥٦ ۷ ๘", "123 456 7 8", true},
		{"x²", "x2", true}, {"Hawaiʻi", "hawaii", true},
		{"ab", "abc", false}, {"error 500", "50", false},
	} {
		all := words.Split(c.text)
		searched := words.Split(c.searched)
		lacks := func(w string) bool { return !slices.Contains(all, w) }
		if found := len(searched) > 0 && !slices.ContainsFunc(searched, lacks); found != c.found {
			t.Errorf("%q is found by %q: %v; %q, %q", c.text, c.searched, found, all, searched)
		}
	}
}

// TestFoldedLettersAreFolded: a folded text stays the same, whatever letter it has.
func TestFoldedLettersAreFolded(t *testing.T) {
	for r := range rune(0x30000) {
		if once := words.Fold(string(r)); utf8.ValidRune(r) && words.Fold(once) != once {
			t.Errorf("%q is folded as %q, and then as %q", r, once, words.Fold(once))
		}
		if unicode.Is(unicode.Nd, r) && (len(words.Fold(string(r))) != 1 || words.Fold(string(r)) < "0" ||
			words.Fold(string(r)) > "9") {
			t.Errorf("the digit %q is folded as %q", r, words.Fold(string(r)))
		}
	}
}

// norm returns a text of Hangul in letters instead of syllables.
func norm(text string) string { return unorm.NFD.String(text) }

// FuzzSplit: words are distinct, hold no quotes, and splitting them again changes nothing.
func FuzzSplit(f *testing.F) {
	f.Add("Crème 'quoted' \"words\"")
	f.Add("\xff支İß")
	f.Fuzz(func(t *testing.T, s string) {
		seen := map[string]bool{}
		for _, w := range words.Split(s) {
			if seen[w] {
				t.Errorf("%q: the word %q comes twice", s, w)
			}
			if !utf8.ValidString(w) || w == "" {
				t.Errorf("%q: %q is empty or not UTF-8", s, w)
			}
			seen[w] = true
			for _, r := range w {
				if r < 0x30 || strings.ContainsRune("'\"\x7f", r) {
					t.Errorf("%q: the word %q has %q", s, w, r)
				}
			}
		}
	})
}

func TestBeginWith(t *testing.T) {
	name := words.Split("Mára van der Lindqvist 李")
	for searched, want := range map[string]bool{"": true, "mar": true, "LIN mára": true, "li": true, "李": true,
		"van der": true,
		"ara":     false, "lindqvists": false, "mar x": false} {
		if got := words.BeginWith(name, words.Split(searched)); got != want {
			t.Errorf("%q: %v", searched, got)
		}
	}
}

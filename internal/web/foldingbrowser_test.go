package web

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
	"bugslice/internal/words"
)

// TestBrowserFolding: scripts fold texts as the server does, each letter that both know, and the filter of the
// console finds lines by it.
func TestBrowserFolding(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := "/" + w.fileShop(t, func(name string) string { return name })
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	b.Open(shop)
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	b.app()
	wrong := 0
	for from := rune(0); from < 0x20000; from += 0x1000 {
		all := browsertest.Eval[[]string](b.Tab,
			fmt.Sprintf(`Array.from({length: 0x1000}, (_, i) => app.folded(String.fromCodePoint(%d + i)))`, from))
		for i, folded := range all {
			r := from + rune(i)
			known := unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf)
			if want := words.Fold(string(r)); known && folded != want && wrong < 20 {
				t.Errorf("%q is folded as %q, and not as %q", r, folded, want)
				wrong++
			}
		}
	}
	for text, want := range map[string]string{"ΣΊΣΥΦΟΣ": "σισυφοσ", "로그인": "로그인", "paral·lel": "parallel",
		"x\u0323\u0307": "x"} {
		if folded := browsertest.Eval[string](b.Tab, fmt.Sprintf("app.folded(%q)", text)); folded != want ||
			words.Fold(text) != want {
			t.Errorf("%q is folded as %q", text, folded)
		}
	}
	wide := strings.Map(func(r rune) rune { return r + 'Ａ' - 'A' },
		browsertest.Eval[string](b.Tab, `document.querySelector(".line-text").textContent.match(/[A-Za-z]{4,}/)[0]`))
	b.Fill("q", wide+"nowhere")
	b.Wait(shownRows + " == 0")
	b.Fill("q", wide)
	b.Wait(shownRows + " > 0")
	b.Quiet()
}

package evidence

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// element is an element of a page as rrweb records it, with attributes and children as JSON.
func element(id int, tag, attributes string, children ...string) string {
	return fmt.Sprintf(`{"type":2,"id":%d,"tagName":%q,"attributes":{%s},"childNodes":[%s]}`, id, tag, attributes,
		strings.Join(children, ","))
}

// text is a text of a page.
func text(id int, content string) string {
	return fmt.Sprintf(`{"type":3,"id":%d,"textContent":%q}`, id, content)
}

// page is a full snapshot of a page with a body.
func page(body ...string) string {
	return `{"type":2,"timestamp":1,"data":{"node":{"type":0,"id":1,"childNodes":[` + element(2, "html", "",
		element(3, "head", "", element(4, "title", "", text(5, "Shop"))), element(6, "body", "", body...)) + `]}}}`
}

// screenOf returns the lines of a page after some events.
func screenOf(events ...string) string {
	var s Screen
	for _, e := range events {
		s.Apply([]byte(e))
	}
	return strings.Join(s.Text(), "\n")
}

// TestScreen: a page shows its texts, fields and buttons as the changes left them, and nothing that is hidden.
func TestScreen(t *testing.T) {
	shop := page(element(10, "h1", "", text(11, "Your"), element(12, "b", "", text(13, " cart"))),
		element(20, "input", `"id":"code","value":"A"`), element(21, "input", `"id":"express","type":"checkbox"`),
		element(22, "button", "", text(23, "Apply")), element(30, "p", `"hidden":""`, text(31, "It failed")),
		element(40, "dialog", "", text(41, "Log in")), element(50, "script", "", text(51, "SCRIPT")),
		element(60, "ul", "", element(61, "li", "", text(62, "last"))))
	assert.Equal(t, "the page", screenOf(shop), "Your cart\n[code: A] [express: not chosen] [Apply]\nlast")
	changed := screenOf(shop,
		`{"type":3,"data":{"source":5,"id":20,"text":"AUTUMN15"}}`,
		`{"type":3,"data":{"source":5,"id":21,"text":"on","isChecked":true}}`,
		`{"type":3,"data":{"source":0,"texts":[{"id":23,"value":"Applying…"}],
			"attributes":[{"id":22,"attributes":{"disabled":""}},{"id":30,"attributes":{"hidden":null}},
				{"id":40,"attributes":{"open":""}}],
			"removes":[{"parentId":10,"id":12}],
			"adds":[{"parentId":60,"nextId":71,"node":`+element(70, "li", "", text(72, "first"))+`},
				{"parentId":60,"nextId":61,"node":`+element(71, "li", "", text(73, "second"))+`}]}}`,
		`{"type":3,"data":{"source":1,"positions":[]}}`, `{"type":3,"data":"odd"}`, `[]`)
	assert.Equal(t, "the changed page", changed,
		"Your\n[code: AUTUMN15] [express: chosen] [Applying…, disabled]\nIt failed\nLog in\nfirst\nsecond\nlast")
}

// TestHostileScreen: nodes within each other, beyond the limits, twice, or below themselves end nothing and are
// bounded.
func TestHostileScreen(t *testing.T) {
	deep := strings.Repeat(`{"type":2,"id":9,"tagName":"i","childNodes":[`, 400) + strings.Repeat("]}", 400)
	list := make([]string, 3000)
	for i := range list {
		list[i] = element(100+2*i, "p", "", text(101+2*i, strings.Repeat("x", 400)))
	}
	var s Screen
	for _, e := range []string{
		page(deep), page(list...),
		`{"type":3,"data":{"source":0,"removes":[{"id":1},{"id":999999}],
			"adds":[{"parentId":100,"nextId":null,"node":{"type":2,"id":6,"tagName":"p"}},
				{"parentId":6,"nextId":6,"node":{"type":2,"id":100,"tagName":"p"}},{"parentId":6,"nextId":null,"node":null}]}}`,
	} {
		s.Apply([]byte(e))
		_ = s.Text()
	}
	lines := s.Text()
	if len(lines) == 0 || len(lines) > maxScreenLines {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > maxScreenLine+1 {
			t.Errorf("a line of %d characters", n)
		}
	}
	if _, err := json.Marshal(lines); err != nil {
		t.Error(err)
	}
}

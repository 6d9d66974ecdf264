package xmlscan_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"bugslice/internal/assert"
	"bugslice/internal/ci/xmlscan"
)

// read returns a document as lines: tags with their attributes, and the text between two tags.
func read(r io.Reader) (string, error) {
	var out, text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			fmt.Fprintf(&out, "%q\n", text.String())
			text.Reset()
		}
	}
	s, err := xmlscan.New(r)
	if err != nil {
		return "", err
	}
	for {
		t, err := s.Next()
		if err != nil {
			flush()
			return out.String(), err
		}
		switch t.Kind {
		case xmlscan.Start:
			flush()
			fmt.Fprintf(&out, "<%s", t.Name)
			for _, a := range t.Attrs {
				fmt.Fprintf(&out, " %s=%q", a.Name, a.Value)
			}
			out.WriteString(">\n")
		case xmlscan.End:
			flush()
			fmt.Fprintf(&out, "</%s>\n", t.Name)
		case xmlscan.Text:
			if s.Depth() > 0 {
				text.Write(t.Text)
			}
		}
	}
}

// TestTokens: a document is read as XML says, and where runners break its rules without losing its structure.
func TestTokens(t *testing.T) {
	for _, c := range []struct{ name, document, want string }{
		{"an empty element", `<a/>`, "<a>\n</a>\n"},
		{"attributes", `<n:a b = "1" c='"2"'  x:d="&lt;&#10;&#x41;"/>`,
			"<a b=\"1\" c=\"\\\"2\\\"\" d=\"<\\nA\">\n</a>\n"},
		{"a > in a value", `<a b="c>d"></a >`, "<a b=\"c>d\">\n</a>\n"},
		{"a section", `<a>x<![CDATA[<b>&amp;]]]>]]>y</a>`, "<a>\n\"x<b>&amp;]]]>y\"\n</a>\n"},
		{"an empty section", `<a><![CDATA[]]></a>`, "<a>\n</a>\n"},
		{"comments", `<!----><a><!-- <b> - -- ---></a>`, "<a>\n</a>\n"},
		{"ends of lines", "<a>1\r\n2\r3</a>", "<a>\n\"1\\n2\\n3\"\n</a>\n"},
		{"a document type", `<!DOCTYPE a SYSTEM "https://example.com/>a"><a/>`, "<a>\n</a>\n"},
		{"text around", "log\n<?xml version=\"1.0\"?><a/>\nlog", "<a>\n</a>\n"},
		{"control characters", "<a b='\x1b[1m'>\x00&#27;&#x8;</a>", "<a b=\"␛[1m\">\n\"␀␛␈\"\n</a>\n"},
		{"an & that begins nothing", `<a>Q&A; R&D &nbsp; &#xZZ; &amp</a>`,
			"<a>\n\"Q&A; R&D &nbsp; &#xZZ; &amp\"\n</a>\n"},
		{"a < that begins nothing", `<a>1 < 2 <= 3</a>`, "<a>\n\"1 < 2 <= 3\"\n</a>\n"},
		{"bytes of no character", "<a>\xff\xfe&#xD800;&#x110000;</a>", "<a>\n\"����\"\n</a>\n"},
		{"two documents", `<a/><?xml version="1.0"?><b/>`, "<a>\n</a>\n<b>\n</b>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(strings.NewReader(c.document))
			assert.Equal(t, "the error", err, io.EOF)
			assert.Equal(t, "the document", got, c.want)
			got, err = read(iotest.OneByteReader(strings.NewReader(c.document)))
			assert.Equal(t, "the error of single bytes", err, io.EOF)
			assert.Equal(t, "the document of single bytes", got, c.want)
		})
	}
}

// TestRefusals: an error has the line and the reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ document, want string }{
		{"", "line 1: the document has no element"},
		{"no XML\n", "line 2: the document has no element"},
		{"<a>\n<b>", "line 2: the document ends within <b>"},
		{"<a>\n<b c='1", "line 2: the document ends within a tag"},
		{"<a>\n<", "line 2: the document ends within a tag"},
		{"<a>\n<![CDATA[x\n]]", "line 3: the document ends within a CDATA section of <a>"},
		{"<a><!-- \n", "line 2: the document ends within a comment"},
		{"<a>\n</b>", "line 2: </b> ends <a>"},
		{"<a/></a>", "line 1: </a> ends no element"},
		{"<a b>", "line 1: an attribute of <a> has no value"},
		{"<a b=c>", "line 1: the value of an attribute of <a> is not in quotes"},
		{"<a b<c>", "line 1: a < is within a tag"},
		{"<![CDATA[a]]>", "line 1: a CDATA section stands outside of an element"},
		{"<!DOCTYPE a [\n<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
			"line 1: the document declares entities or elements of its own, which are not read"},
		{strings.Repeat("<a>", 1000), "line 1: more than 200 elements are within each other"},
		{"<" + strings.Repeat("a", 2000) + ">", "line 1: a name is longer than 1024 bytes"},
		{"<a></" + strings.Repeat("a", 2000) + ">", "line 1: an end tag is longer than 1024 bytes"},
		{"<a " + strings.Repeat(" ", 5<<20), "line 1: a tag is longer than 4194304 bytes"},
		{`<?xml version="1.0" encoding="Shift_JIS"?><a/>`, "line 1: the encoding Shift_JIS is not read; UTF-8 is"},
	} {
		_, err := read(strings.NewReader(c.document))
		assert.Equal(t, "the error", err.Error(), c.want)
	}
	broken := errors.New("the disk is broken")
	_, err := read(io.MultiReader(strings.NewReader("<a>"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("the error of a reader is %v", err)
	}
}

// TestEncodings: a document is read in its encoding, whatever runners declare.
func TestEncodings(t *testing.T) {
	const want = "<a>\n\"grün €\"\n</a>\n"
	for name, document := range map[string]string{
		"no declaration":               "<a>grün €</a>",
		"a mark":                       "\xEF\xBB\xBF<a>grün €</a>",
		"UTF-16 with a mark":           "\xFF\xFE" + wide("<a>grün €</a>"),
		"UTF-16 without one":           wide("<a>grün €</a>"),
		"UTF-16, the other order":      "\xFE\xFF" + swapped(wide("<a>grün €</a>")),
		"UTF-8 that claims to be 16":   `<?xml version="1.0" encoding="utf-16"?><a>grün €</a>`,
		"Windows 1252":                 "<?xml version='1.0' encoding='windows-1252'?><a>gr\xfcn \x80</a>",
		"Windows 1252 by another name": "<?xml version='1.0' encoding='cp1252'?><a>gr\xfcn \x80</a>",
		"ISO 8859-15":                  "<?xml version='1.0' encoding='ISO-8859-15'?><a>gr\xfcn \xa4</a>",
	} {
		got, err := read(strings.NewReader(document))
		assert.Equal(t, "the error of "+name, err, io.EOF)
		assert.Equal(t, name, got, want)
	}
}

// wide returns a text of the basic plane in UTF-16, little-endian.
func wide(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// swapped returns a text with each two bytes in the other order.
func swapped(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

// TestLongText: a long text comes in chunks, which together are the text, also where a chunk ends within a reference,
// a character or the end of a section.
func TestLongText(t *testing.T) {
	for shift := range 16 {
		pad := strings.Repeat("x", shift)
		for _, document := range []string{
			"<a>" + pad + strings.Repeat("ü&amp;]]&#x1F600;", 20_000) + "</a>",
			"<a><![CDATA[" + pad + strings.Repeat("ü&]]😀", 20_000) + "]]></a>",
		} {
			s, err := xmlscan.New(strings.NewReader(document))
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for token := (xmlscan.Token{}); token.Kind != xmlscan.End; {
				if token, err = s.Next(); err != nil {
					t.Fatal(err)
				}
				if len(token.Text) > 200<<10 {
					t.Fatalf("a chunk has %d bytes", len(token.Text))
				}
				text.Write(token.Text)
			}
			if want := pad + strings.Repeat("ü&]]😀", 20_000); text.String() != want {
				t.Fatalf("a text shifted by %d differs: %d bytes instead of %d", shift, text.Len(), len(want))
			}
		}
	}
}

// TestLongValue: of a long value the begin is kept, and the document goes on.
func TestLongValue(t *testing.T) {
	s, err := xmlscan.New(strings.NewReader("<a b='" + strings.Repeat("x", 3<<20) + "' c='1'/>"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "the length", len(token.Attr("b")), 1<<20)
	assert.Equal(t, "the next value", token.Attr("c"), "1")
}

// FuzzScanner: a document that encoding/xml reads is read alike, and no document panics or goes on for ever.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`<a b="1">x<![CDATA[<b>]]>&amp;<!-- c --><d/></a>`, "<?xml version='1.0' encoding='latin1'?><a>\xfc</a>",
		"<a>1\r\n2\r&#13;</a>", `<x:a xmlns:x="y" x:b='"'>&#x41;</x:a>`, "<a>\x1b[1m&</a>", "<!DOCTYPE a><a/>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, document string) {
		got, err := read(strings.NewReader(document))
		single, singleErr := read(iotest.OneByteReader(strings.NewReader(document)))
		if got != single || err.Error() != singleErr.Error() {
			t.Errorf("single bytes are read as %q (%v), not as %q (%v)", single, singleErr, got, err)
		}
		if want, ok := standard(document); ok {
			assert.Equal(t, "the error", err, io.EOF)
			assert.Equal(t, "the document", got, want)
		}
	})
}

// standard returns what encoding/xml reads, and false for documents that it refuses, or that have a declaration, a
// mark of the byte order or a name whose prefix is empty.
func standard(document string) (string, bool) {
	if strings.HasPrefix(document, "\ufeff") || strings.HasPrefix(document, "<\x00") {
		return "", false
	}
	var out, text strings.Builder
	d := xml.NewDecoder(strings.NewReader(document))
	depth, began := 0, false
	for {
		token, err := d.Token()
		switch token.(type) {
		case xml.CharData, xml.Comment, xml.ProcInst:
		default:
			if text.Len() == 0 {
				break
			}
			fmt.Fprintf(&out, "%q\n", text.String())
			text.Reset()
		}
		if err != nil {
			return out.String(), errors.Is(err, io.EOF) && began
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth, began = depth+1, true
			if depth > 200 || strings.Contains(token.Name.Local, ":") {
				return "", false
			}
			fmt.Fprintf(&out, "<%s", token.Name.Local)
			for _, a := range token.Attr {
				if strings.Contains(a.Name.Local, ":") {
					return "", false
				}
				fmt.Fprintf(&out, " %s=%q", a.Name.Local, a.Value)
			}
			out.WriteString(">\n")
		case xml.EndElement:
			depth--
			fmt.Fprintf(&out, "</%s>\n", token.Name.Local)
		case xml.CharData:
			if depth > 0 {
				text.Write(token)
			}
		case xml.Directive:
			return "", false
		}
	}
}

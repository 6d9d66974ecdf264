package find

import (
	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// State is what the lines of a text have in common while they are scanned one by one.
type State struct {
	Kube bool // the text has a Kubernetes secret

	pair         int // lines in which a value may follow its sensitive name
	aws          int // lines in which a secret key may follow an access key
	block        int // the least indentation of a value's further lines, plus one
	data         int // the indentation below which all values are secrets, plus one
	putty        int // lines that are a private key
	netrc        int // lines in which a password may follow a login
	continuation *continuation
	table        *table // of which the line before is a row
	inRows       bool   // the line before is a row of a table
	shell        string // the lines of a command that has not ended
}

// InBlock reports whether the next line belongs to a value that began earlier.
func (st *State) InBlock() bool { return st.block > 0 }

// Continues reports whether a value continues on the next line.
func (st *State) Continues() bool { return st.continuation != nil }

// EndContinuation forgets a value that continues on the next line.
func (st *State) EndContinuation() { st.continuation = nil }

// continuation is a secret that continues, or begins, on the next line.
type continuation struct {
	m      decide.Meaning
	form   int
	indent int    // of the line with its name
	depth  int    // open brackets
	quote  string // that ends it
	words  bool   // items of letters alone are no secrets
	lines  int    // the most lines that may follow
	names  uint64 // whether the open brackets, from the outermost, are those of objects
}

const (
	inJSON    = iota // "name": or "name": [
	inYAML           // name:
	inElement        // <name>
	inQuotes         // name = """
	inNext           // name= at the end of a line
)

const maxBelow = 100 // lines of a secret after that of its name

// awaitValue records that the value of a name is on the next line.
func (x *Scanner) awaitValue(m decide.Meaning, form int) {
	if x.url || x.MidLine || !m.IsCertain() && form != inJSON {
		return
	}
	name := x.s[max(x.from, 0):max(x.to, 0)]
	words := name != "" && name[0] < 'a' || name == "secrets" || name == "tokens"
	x.st.continuation = &continuation{m: m, form: form, indent: lex.Indent(x.s), lines: maxBelow, words: words}
}

// table is a table whose heading has the name of a secret.
type table struct {
	sign  byte             // between cells
	means []decide.Meaning // of the columns
}

package decide

// Context says where a value stands, and so how certain it is that it belongs to the name, from the least to the most
// certain.
type Context uint8

// The contexts of values.
const (
	_         Context = iota
	InProse           // a word near the name, without a sign: "password hunter2 fails"
	Below             // a member of the list or the object that the name has
	Colon             // after a colon in running text
	Cell              // a cell of a table below the name
	Setting           // after a colon in configuration
	Member            // a member of JSON, or in quotes after a colon
	Sign              // after an equals sign
	Stated            // in quotes after an equals sign, an argument, an option, a header
	Parameter         // a parameter of a URL or a form
	never
)

var contextNames = map[string]Context{"sentence": InProse, "below": Below, "prose": Colon, "setting": Setting,
	"member": Member,
	"sign":   Sign, "stated": Stated, "parameter": Parameter, "never": never}

// Value is a value that belongs to a name, whatever the syntax.
type Value struct {
	Meaning
	Context
	Text string
	// Near is the text with what follows it, for values without quotes, which may be code; empty for others.
	Near     string
	Tight    bool // no blank is between an equals sign and the value
	Capitals bool // the name is in capitals, as constants are
}

// Shape is the form of a value.
type Shape uint8

// The shapes of values, roughly from the least to the most secret. Code compares shapes by this order.
const (
	Placeholder Shape = iota // null, ***, ${NAME}
	Code                     // an expression of a program
	State                    // a word that says what became of a secret, or a type
	Label                    // the name of a secret itself
	Technical                // a date, a version, a technique, a size
	Count                    // one or two digits
	ThreeDigits
	Number
	Title // a word with a capital, as titles are
	Word
	Path
	Sentence // several words, one of them common in sentences
	Words    // several other words, of which none looks like a secret
	Phrase   // several other words
	LongWord // of 20 letters and more
	Mixed    // letters with digits or signs
	Coded    // the same, of 12 letters and more
	UUID
	Hex // of 20 digits and more
	Random
	shapes
)

// String returns the name of the shape in the table.
func (s Shape) String() string { return shapeNames[s] }

var shapeNames = [shapes]string{"placeholder", "code", "state", "label", "technical", "count", "three-digits", "number",
	"title", "word",
	"path", "sentence", "words", "phrase", "long-word", "mixed", "coded", "uuid", "hexadecimal", "random"}

package redact

// Counts are the secrets that were removed, by kind.
type Counts map[string]int

// Add adds other counts.
func (c Counts) Add(other Counts) {
	for kind, n := range other {
		c[kind] += n
	}
}

func (c Counts) count(kind string) {
	if c != nil {
		c[kind]++
	}
}

// The kinds of secrets.
const (
	kindAuthorization = "authorization"
	kindCard          = "card"
	kindCookie        = "cookie"
	kindField         = "field"
	kindJWT           = "jwt"
	kindKey           = "private_key"
	kindLine          = "line"     // a whole line, which would otherwise change or grow without end
	kindPassword      = "password" // of a URL or a connection string
	kindRule          = "rule"     // of the workspace
	kindToken         = "token"    // of a known format
)

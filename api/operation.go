package api

import "net/http"

// Operation is one row of the contract. Routing, scope checks, the OpenAPI document, the reference page and the
// authorisation tests are made from it.
type Operation struct {
	ID      string // the operationId
	Method  string
	Path    string
	In      AnyInput // a value of the input type, which is of this operation alone
	Scope   Scope    // NoScope is any valid key
	With    Scope    // a further scope that the key needs; NoScope for most
	Effect  Effect
	Proof   bool    // a session needs a recent proof of the password: it gives rights, or takes data out. A few decide by what they change
	Callers Callers // who may call it, beside the scopes
	Status  int     // of success
	Tag     string
	Summary string
	Detail  string
	Codes   []string // error codes beside those that every operation has
	Secret  bool     // the response has a secret, and is never stored or cached
	MaxBody int64    // in bytes; DefaultBody when 0
	Upload  bool     // the body is a file
	Deletes bool     // deletes records, although the method is not DELETE
	Media   []string // media types of the response beside JSON, which Accept may ask for
}

// Callers says by which credential an operation can be called.
type Callers string

// The callers of operations.
const (
	AnyCaller    Callers = ""         // whoever has the scopes
	UsersOnly    Callers = "users"    // a user, by a PAT or a session: it is about the inbox of the caller
	SessionsOnly Callers = "sessions" // a user who has signed in: it is about accounts, or reads the audit log
)

// Effect is what an operation changes. It decides which operations a superseded token, one in its grace period, may
// call, which rows are locked, and which operations fail while the disk is nearly full. Every operation has one.
type Effect string

// The effects.
const (
	Reads   Effect = "reads"   // changes nothing
	Content Effect = "content" // changes slices, comments and evidence: any valid token
	Lasting Effect = "lasting" // changes something that outlives the token: not a superseded token
	Ending  Effect = "ending"  // ends the caller's own key: any valid token
)

// LocksCredential reports whether an operation with the effect locks the caller's credential, so that it and a
// revocation of the credential do not run at the same time.
func (e Effect) LocksCredential() bool { return e == Lasting || e == Ending }

// Out returns a value of the type of the response, which the input type names; nil for an operation without an input
// type.
func (o *Operation) Out() any {
	if o.In == nil {
		return nil
	}
	return o.In.output()
}

// Stores reports whether an operation stores something that needs space. A deletion does not, and neither does a
// change of an account, which may be urgent.
func (o *Operation) Stores() bool {
	return o.Effect != Reads && o.Method != http.MethodDelete && !o.Deletes && o.Callers != SessionsOnly
}

// Scopes returns the scopes that a key needs for the operation.
func (o *Operation) Scopes() (all []Scope) {
	for _, s := range []Scope{o.Scope, o.With} {
		if s != NoScope {
			all = append(all, s)
		}
	}
	return all
}

// DefaultBody is the limit of a body in bytes, unless the operation has a MaxBody.
const DefaultBody = 1 << 20

var byID = func() map[string]*Operation {
	m := make(map[string]*Operation, len(Operations)+len(AccountOperations)+len(ShareOperations)+len(ReporterOperations))
	for _, table := range [][]Operation{Operations, AccountOperations, ShareOperations, ReporterOperations} {
		for i := range table {
			op := &table[i]
			if op.Status == 0 {
				op.Status = http.StatusOK
			}
			m[op.ID] = op
		}
	}
	return m
}()

// Lookup returns the operation with an id. It panics when there is none.
func Lookup(id string) *Operation {
	op, ok := byID[id]
	if !ok {
		panic("api: no operation " + id)
	}
	return op
}

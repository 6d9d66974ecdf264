package input

import (
	"strings"

	"bugslice/api/wire"
)

// Argument is a parameter as a member of the arguments of an operation.
type Argument struct {
	*wire.Param
	Object string // of which it is a member: not, for not[status]; empty for a member of the arguments
	Name   string // a header has its name as a member would: If-Match is ifMatch
}

func newArgument(p *wire.Param) *Argument {
	if p.In == "header" {
		words := strings.Split(strings.ToLower(p.Name), "-")
		for i, w := range words[1:] {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
		return &Argument{Param: p, Name: strings.Join(words, "")}
	}
	if object, member, found := strings.Cut(p.Name, "["); found {
		return &Argument{Param: p, Object: object, Name: strings.TrimSuffix(member, "]")}
	}
	return &Argument{Param: p, Name: p.Name}
}

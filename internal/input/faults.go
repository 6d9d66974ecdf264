package input

import (
	"errors"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/schema"
	"bugslice/internal/suggest"
)

// summary describes the first fault in a sentence, and says how many more there are.
func summary(faults []api.Fault) string {
	f := faults[0]
	at := f.Parameter
	if at == "" {
		at = f.Pointer
	}
	text := at + ": " + f.Detail
	if n := len(faults) - 1; n == 1 {
		text += " (and 1 more fault)"
	} else if n > 1 {
		text += " (and more: see errors)"
	}
	return strings.TrimPrefix(text, ": ")
}

// InvalidBody returns the problem of the faults of a body.
func InvalidBody(faults []api.Fault) *api.Problem {
	return api.NewProblem(api.CodeInvalidBody, summary(faults), faults...)
}

// Quote truncates a text of a request that is repeated in the response.
func Quote(s string) string {
	if s = strings.ToValidUTF8(s, "?"); len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

func atMost(n int, unit string) string { return "at most " + strconv.Itoa(n) + " " + unit }

// arguments name the faults of a source that was made of arguments. They are nil for a request.
type arguments struct {
	known    []string          // names of members
	faults   []api.Fault       // of arguments that are no parameters
	pointers map[string]string // to arguments, by the names of their parameters
}

// malformed returns the refusal of JSON in the words of arguments.
func (a *arguments) malformed(err error) error {
	p, ok := errors.AsType[*api.Problem](err)
	if a == nil || !ok {
		return err
	}
	said := *p
	said.Detail = strings.Replace(p.Detail, "The body", "The arguments", 1)
	return &said
}

// refused returns the faults of arguments that are no parameters.
func (a *arguments) refused() []api.Fault {
	if a == nil {
		return nil
	}
	return a.faults
}

// name names the arguments of faults by pointers, and those that a client may have meant.
func (a *arguments) name(faults []api.Fault) {
	if a == nil {
		return
	}
	for i, f := range faults {
		if f.Parameter != "" {
			faults[i].Pointer, faults[i].Parameter = Quote(a.pointers[f.Parameter]), ""
		}
		if name := strings.TrimPrefix(f.Pointer, "/"); f.Code == "unknown_member" && !strings.Contains(name, "/") {
			faults[i].Detail = "no such member" + suggest.DidYouMean(name, a.known)
		}
	}
}

// maxArgumentFaults bounds the faults of arguments that are no parameters, because their number is the client's.
const maxArgumentFaults = 100

func (a *arguments) fault(pointer, code, detail string) {
	if len(a.faults) < maxArgumentFaults {
		a.faults = append(a.faults, api.Fault{Pointer: Quote(pointer), Code: code, Detail: detail})
	}
}

// unknown adds the fault of a member that is none of the known ones. The last part of its path is its name.
func (a *arguments) unknown(path, known []string) {
	if len(a.faults) < maxArgumentFaults {
		a.fault(schema.Pointer(path), "unknown_member", "no such member"+suggest.DidYouMean(path[len(path)-1], known))
	}
}

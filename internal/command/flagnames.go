package command

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"bugslice/api"
)

// memberFlags are the flags of members whose names differ, but for their case, from those of the members.
var memberFlags = map[string][]string{"sourceUrl": {"url"}, "description": {"body"}, "labels": {"label", "add-label"},
	"metadata": {"meta"}, "spaceId": {"space"}, "assigneeId": {"assignee"}, "expiresAt": {"days"},
	"eventTypes": {"event"}, "scopes": {"scope"}, "parts": {"show"}, "duplicateOfId": {"of", "duplicate-of"},
	"resolution": {"reason"}, "q": {"search"}, "gracePeriodSeconds": {"grace"}, "workspaceId": {"workspace"}}

// inFlags returns the error of a request in which faults name the flags of the running command, or the words that
// stand for its arguments, and not the members of the API that they set. Faults of members that the command does not
// set stay as they are.
func inFlags(s *session, err error) error {
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || s.running == nil || len(p.Errors) == 0 {
		return err
	}
	said := *p
	said.Errors = slices.Clone(p.Errors)
	for i, f := range said.Errors {
		if name := flagOf(s.running, f); name != "" {
			said.Errors[i].Pointer, said.Errors[i].Parameter = "", name
			said.Detail = strings.Replace(said.Detail, placeOf(f)+": ", name+": ", 1)
		}
	}
	return &said
}

// flagOf returns the flag or the argument of a command that sets the member or parameter of a fault; empty for none.
func flagOf(cmd *cobra.Command, f api.Fault) string {
	members := strings.FieldsFunc(f.Pointer+f.Parameter, func(r rune) bool { return r == '/' })
	for _, member := range slices.Backward(members) {
		for _, name := range append(memberFlags[member], kebab(member)) {
			if cmd.Flag(name) != nil {
				return "--" + name
			}
		}
		if argument := strings.ToUpper(member); slices.Contains(usageWords(cmd), argument) {
			return argument
		}
	}
	return ""
}

// kebab returns the name of a member as flags are written: with dashes.
func kebab(member string) string {
	var b strings.Builder
	for _, r := range member {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// usageWords returns the words of the usage of a command: its name, and those that stand for its arguments.
func usageWords(cmd *cobra.Command) []string {
	return strings.FieldsFunc(cmd.Use, func(r rune) bool { return strings.ContainsRune(" []…", r) })
}

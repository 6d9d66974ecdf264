package evidence

import (
	"fmt"
	"slices"

	"bugslice/api"
)

// addConsole adds console messages, without secrets.
func (s *Set) addConsole(entries []api.ConsoleEntry, r redaction) error {
	for i, e := range entries {
		e.Message = r.body(e.Message)
		redactMember(&e.Stack, r.text)
		e.Args = slices.Clone(e.Args)
		for j, arg := range e.Args {
			var err error
			if e.Args[j], err = r.json(arg); err != nil {
				return invalid(fmt.Sprintf("/%d/args/%d", i, j), "%s", err)
			}
		}
		truncateMembers(&e)
		if err := s.add(e, LevelClass(e.Level)); err != nil {
			return err
		}
	}
	return nil
}

package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// asOperator does what a command of the operator does beside a running server, in the process of the tests: a command
// takes longer than many a test. The stories of the command line run the commands themselves. The hashes of passwords
// are weak; nobody signs in with one.
func (s *server) asOperator(t *testing.T, do func(operator.Operator) error) {
	t.Helper()
	running.Lock()
	sharing := slices.Contains([]*server{running.shared["sqlite"], running.shared["postgres"]}, s)
	running.Unlock()
	if sharing {
		o, err := sharedOperators[s.engine]()
		must(t, err)
		must(t, do(o))
		return
	}
	o, records, err := s.operator()
	must(t, err)
	defer records.Close()
	must(t, do(o))
}

// sharedOperators are the operators of the shared servers. They are open until the tests end.
var sharedOperators = map[string]func() (operator.Operator, error){"sqlite": openShared("sqlite"),
	"postgres": openShared("postgres")}

func openShared(engine string) func() (operator.Operator, error) {
	return sync.OnceValues(func() (operator.Operator, error) {
		running.Lock()
		s := running.shared[engine]
		running.Unlock()
		o, _, err := s.operator()
		return o, err
	})
}

// operator opens the records of a server.
func (s *server) operator() (o operator.Operator, records *store.Store, err error) {
	at := func(flag string) string { return s.place[slices.Index(s.place, flag)+1] }
	options := store.Options{Path: filepath.Join(at("--data"), "bugslice.db")}
	if s.engine == "postgres" {
		options = store.Options{URL: at("--database-url")}
	}
	ring, err := secret.Load(os.Getenv("BUGSLICE_SECRET_KEY"), filepath.Join(at("--data"), "secret.key"))
	if err != nil {
		return o, nil, err
	}
	if records, err = store.Open(options); err != nil {
		return o, nil, err
	}
	_, authority := tracker.New(tracker.Options{Store: access.Seal(records), Secrets: ring,
		Passwords: passwordtest.Weak()})
	return operator.Operator{Operator: authority}, records, nil
}

// addOrg adds an organisation.
func (s *server) addOrg(t *testing.T, b operator.Bootstrap) (made operator.BootstrapResult) {
	t.Helper()
	if s.commandsAlone() {
		must(t, json.Unmarshal([]byte(s.cli(t, "admin", "org", "add", "--name", b.Organization, "--email",
			b.Owner.Email,
			"--token", "--json")),
			&made))
		return made
	}
	s.asOperator(t, func(o operator.Operator) (err error) {
		made, err = o.Bootstrap(t.Context(), b)
		return err
	})
	return made
}

// addUser adds a user to an organisation, and as a member to workspaces.
func (s *server) addUser(t *testing.T, org string, u operator.NewUser) (made operator.AddedUser) {
	t.Helper()
	if s.commandsAlone() {
		must(t, json.Unmarshal([]byte(s.cli(t, "admin", "user", "add", "--email", u.Email, "--name", u.Name,
			"--token", "--json", "--org", org)),
			&made))
		for _, w := range u.Workspaces {
			s.cli(t, "admin", "workspace", "add-member", "--workspace", w, "--user", made.UserID)
		}
		return made
	}
	s.asOperator(t, func(o operator.Operator) (err error) {
		made, err = o.In(api.OrganizationRef{ID: org}).AddUser(t.Context(), u)
		return err
	})
	return made
}

// commandsAlone reports whether records are changed by commands alone: the program was given, and may have other
// migrations, or has not made its database yet.
func (s *server) commandsAlone() bool {
	return os.Getenv("BUGSLICE_TEST_BINARY") != "" || s.cmd == nil
}

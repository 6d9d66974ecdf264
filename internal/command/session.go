package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/command/output"
	"bugslice/internal/command/profile"
	"bugslice/internal/command/tree"
)

// session is what the commands of a process share: the server that they call, and where they print.
type session struct {
	env       Environment
	variables profile.Environment
	profiles  *profile.Store
	out       *output.Printer

	profileName, workspaceName string // flags
	dryRun                     bool
	running                    *cobra.Command // whose flags errors name

	credentials profile.Credentials
	api         *client.Client
	workspaces  []api.Workspace
	me          *api.Me
}

func newSession(e Environment) *session {
	variables := profile.NewEnvironment(e.Variables)
	return &session{env: e, variables: variables, profiles: profile.NewStore(variables),
		out: output.NewPrinter(e.Streams.Out, e.Streams.Err, variables)}
}

// group returns a group of commands that call a server.
func (s *session) group(use, short string, children ...*cobra.Command) *cobra.Command {
	g := tree.Group(use, short, children...)
	s.serverFlags(g)
	return g
}

func (s *session) serverFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&s.profileName, "profile", "", "`name` of the profile that names server and token")
	flags.VarP((*workspaceFlag)(&s.workspaceName), "workspace", "w", "key, name or id of the `workspace`")
}

// changing adds the flag --dry-run to a command that changes something.
func (s *session) changing(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "say what would change, and change nothing")
	return cmd
}

// client returns the client of the server.
func (s *session) client() (*client.Client, error) {
	if s.api != nil {
		return s.api, nil
	}
	found, err := s.profiles.Credentials(s.profileName)
	if err != nil {
		return nil, err
	}
	s.credentials = found
	if found.Warning != "" {
		s.tell("%s", found.Warning)
	}
	s.api, err = newClient(found.URL, found.Token)
	return s.api, err
}

func newClient(address, token string) (*client.Client, error) {
	c, err := client.New(address, token, client.Options{UserAgent: "bugslice-cli"})
	if err != nil {
		return nil, tree.Usagef("%s", strings.TrimPrefix(err.Error(), "client: "))
	}
	return c, nil
}

// call carries out an operation that changes nothing.
func call[Out any](ctx context.Context, s *session, in api.Input[Out]) (out Out, err error) {
	c, err := s.client()
	if err != nil {
		return out, err
	}
	out, err = client.Call(ctx, c, in)
	return out, inFlags(s, err)
}

// all reads a list, up to a number of records; 0 for all.
func all[T any](ctx context.Context, s *session, in api.Input[api.Page[T]], limit int) (records []T, err error) {
	c, err := s.client()
	if err != nil {
		return nil, err
	}
	if limit < 0 {
		return nil, tree.Usagef("--limit must be 0, for all, or more, not %d", limit)
	}
	records = []T{}
	for record, err := range client.All(ctx, c, in) {
		if err != nil {
			return nil, inFlags(s, err)
		}
		if records = append(records, record); len(records) == limit {
			break
		}
	}
	return records, nil
}

// whoAmI returns the caller.
func (s *session) whoAmI(ctx context.Context) (api.Me, error) {
	if s.me == nil {
		me, err := call(ctx, s, api.GetMe{})
		if err != nil {
			return me, err
		}
		s.me = &me
	}
	return *s.me, nil
}

// tell prints a line for people to standard error.
func (s *session) tell(format string, args ...any) {
	fmt.Fprintln(s.out.Err, output.Safe(fmt.Sprintf(format, args...)))
}

// isInteractive reports whether somebody can answer a question.
func (s *session) isInteractive() bool { return output.IsTerminal(s.env.Streams.In) && s.out.Terminal }

// readInput returns what is in a file, or on standard input for "-".
func (s *session) readInput(ctx context.Context, name string) ([]byte, error) {
	if name != "-" {
		return readFile(s.env, name)
	}
	if s.env.Streams.In == nil {
		return nil, tree.Usagef("there is no standard input")
	}
	return interruptible(ctx, func() ([]byte, error) { return io.ReadAll(s.env.Streams.In) })
}

// interruptible returns what a function returns that waits for somebody, or the error of the context when that ends
// before.
func interruptible[T any](ctx context.Context, wait func() (T, error)) (result T, err error) {
	var found T
	failed := make(chan error, 1)
	go func() {
		var err error
		found, err = wait()
		failed <- err
	}()
	select {
	case err := <-failed:
		return found, err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

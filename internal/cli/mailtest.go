package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/id"
	"bugslice/internal/mail"
	"bugslice/internal/tracker"
)

func newMail(env environment, s Streams) *cobra.Command {
	return tree.Group("mail", "Try the mail server", newMailTest(env, s))
}

// newMailTest returns the command that sends a mail by the settings of serve. It needs no database.
func newMailTest(env environment, s Streams) *cobra.Command {
	var flags mailFlags
	cmd := &cobra.Command{Use: "test ADDRESS", Short: "Send a mail to an address, and print what the mail server says",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return tree.Usagef("one e-mail address is required: %s ADDRESS", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := ready(cmd, env, "smtp"); err != nil {
				return err
			}
			settings, err := flags.parse()
			if err != nil {
				return err
			}
			address, err := tracker.ParseEmail(args[0])
			if err != nil {
				return tree.Usagef("%q: %v", args[0], err)
			}
			return testMail(cmd.Context(), s.Out, settings, address)
		}}
	cmd.Long = cmd.Short + `.

It takes the settings of the mail server as serve does, from its flags or the environment, and waits for the answer of the server.`
	flags.register(cmd.Flags())
	return cmd
}

// mailFaults say what a fault means, and what to do about it.
var mailFaults = map[mail.Fault]string{
	mail.UnknownHost:    "the name of the mail server has no address; is --smtp right?",
	mail.NoConnection:   "nothing accepts connections at the mail server; are its name and port right, and does a firewall let them pass?",
	mail.NoAnswer:       "the mail server has not answered in time; is the port right, and does a firewall let connections pass?",
	mail.NotEncrypted:   "no encrypted connection; smtp:// needs STARTTLS, smtps:// TLS, and both a certificate for the name of the server",
	mail.SignInRefused:  "the mail server has refused the sign-in; are the user and the password right?",
	mail.SenderRefused:  "the mail server takes no mails from --mail-from",
	mail.AddressRefused: "the mail server has refused the address",
	mail.MailRefused:    "the mail server has refused the mail itself",
	mail.OtherFault:     "the mail server takes no mails now",
}

func testMail(ctx context.Context, out io.Writer, settings *mail.Settings, address string) error {
	if _, err := fmt.Fprintf(out, "A mail to %s, by %s:\n", address, settings.Describe()); err != nil {
		return err
	}
	now := time.Now()
	m := mail.Message{ID: id.New(id.Mail), Email: address, At: now, Subject: "A test of mails", Letter: mail.Letter{Lead: []string{
		"The mail server takes the mails of this instance of Bugslice, and they arrive at " + address + ".",
		"It was asked for on the command line, at " + now.UTC().Format("2 January 2006, 15:04") + " UTC."}}}
	result := mail.New(*settings).Send(ctx, m, ctx.Err)
	if err := ctx.Err(); err != nil {
		return err
	}
	if result.Outcome != mail.Sent {
		fault := errors.New(mailFaults[result.Fault])
		if result.Words != "" {
			fault = fmt.Errorf("%w\nit says: %s", fault, result.Words)
		}
		return fault
	}
	_, err := fmt.Fprintf(out, "The mail server has taken it, and says: %s\n", result.Words)
	return err
}

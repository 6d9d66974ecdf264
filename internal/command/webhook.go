package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newWebhook(s *session) *cobra.Command {
	list := listing[api.Webhook]{use: "list", short: "List the webhooks that you administer", args: tree.NoArgs,
		none: "There are no webhooks.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Webhook, error) {
			w, err := s.findWorkspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListWebhooks{WorkspaceID: deref(w).ID}, limit)
		},
		columns: func(s *session) []output.Column[api.Webhook] {
			return []output.Column[api.Webhook]{
				{Title: "Id", Cell: func(w api.Webhook) output.Cell {
					return output.Cell{Text: w.ID,
						Style: output.Cyan}
				}},
				{Title: "State", Cell: webhookState},
				{Title: "URL", Flexible: true, Cell: func(w api.Webhook) output.Cell { return text(w.URL) }},
				{Title: "Events", Optional: true,
					Cell: func(w api.Webhook) output.Cell { return text(subscriptions(w)) }},
			}
		}}
	return s.group("webhook", "Manage webhooks and their deliveries", list.command(s), newWebhookCreate(s),
		newDeliveries(s),
		newRedeliver(s),
		recordChange(s, "test WEBHOOK", "Send a ping to a webhook",
			func(id string) api.TestWebhook { return api.TestWebhook{WebhookID: id} },
			func(t api.WebhookTest) string {
				if t.Delivered {
					return fmt.Sprintf("The receiver accepted the ping in %d ms.", t.Attempt.DurationMs)
				}
				return "The receiver did not accept the ping: " + string(deref(t.Attempt.Error)) + "."
			}),
		recordChange(s, "enable WEBHOOK", "Enable a webhook",
			func(id string) api.EnableWebhook { return api.EnableWebhook{WebhookID: id} },
			func(w api.Webhook) string { return "Enabled the webhook " + w.ID + "." }),
		recordChange(s, "disable WEBHOOK", "Disable a webhook", func(id string) api.UpdateWebhook {
			return api.UpdateWebhook{WebhookID: id, Patch: api.WebhookPatch{}.Enabled(false)}
		}, func(w api.Webhook) string { return "Disabled the webhook " + w.ID + "." }),
		recordChange(s, "rotate-secret WEBHOOK", "Give a webhook a new secret, and print it once",
			func(id string) api.RotateSecret { return api.RotateSecret{WebhookID: id} },
			func(w api.WebhookSecret) string { return w.Secret }),
		newWebhookDelete(s))
}

func webhookState(w api.Webhook) output.Cell {
	switch {
	case !w.Enabled:
		return output.Cell{Text: "disabled: " + string(deref(w.DisabledReason)), Style: output.Dim}
	case w.FailingSince != nil:
		return output.Cell{Text: "failing", Style: output.Red}
	}
	return output.Cell{Text: "enabled", Style: output.Green}
}

func subscriptions(w api.Webhook) string {
	types := make([]string, len(w.EventTypes))
	for i, t := range w.EventTypes {
		types[i] = string(t)
	}
	return strings.Join(types, ",")
}

// recordChange returns a command that changes one record and prints the result. Its use is a verb and the noun of the record.
func recordChange[In api.Input[Out], Out any](s *session, use, short string, input func(id string) In,
	say func(Out) string,
) *cobra.Command {
	var format output.Format
	_, noun, _ := strings.Cut(use, " ")
	cmd := s.changing(s.command(use, short, argument("id of a "+strings.ToLower(noun)), func(ctx context.Context,
		args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		out, done, err := change(ctx, s, input(args[0]))
		if err != nil || !done {
			return err
		}
		return printRecord(ctx, s, &format, out, say(out))
	}))
	output.Register[Out](&format, cmd)
	return cmd
}

func newWebhookCreate(s *session) *cobra.Command {
	var events []string
	var description, messages, query string
	var format output.Format
	cmd := s.changing(s.command("create URL", "Create a webhook, and print its secret once", argument("URL"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			w, err := s.workspace(ctx)
			if err != nil {
				return err
			}
			in := api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &w.ID,
				WebhookFields: api.WebhookFields{URL: args[0], Description: given(description), Enabled: true,
					Format: api.WebhookFormat(messages), Query: given(query)}}}
			for _, e := range events {
				in.Body.EventTypes = append(in.Body.EventTypes, api.Subscription(e))
			}
			created, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			if !format.IsSet() {
				s.tell("The webhook %s. Its secret is not shown again:", created.ID)
			}
			return printRecord(ctx, s, &format, created, created.Secret)
		}))
	cmd.Flags().StringSliceVar(&events, "event", nil, "`type` of event that is sent; repeatable; all by default")
	cmd.Flags().StringVar(&description, "description", "", "`text` that describes it")
	cmd.Flags().StringVar(&messages, "messages", string(api.FormatStandard),
		"`format` of the messages: standard is signed JSON; slack, discord, mattermost and teams are for people")
	cmd.Flags().StringVar(&query, "query", "", "send events of the reports that a `search` selects, such as label:checkout")
	cmd.Flags().Lookup("event").Annotations = map[string][]string{tree.Choices: api.Subscription("").Values()}
	cmd.Flags().Lookup("messages").Annotations = map[string][]string{tree.Choices: api.WebhookFormat("").Values()}
	output.Register[api.WebhookSecret](&format, cmd)
	return cmd
}

func newWebhookDelete(s *session) *cobra.Command {
	return deletion(s, "webhook", "Delete a webhook and its deliveries",
		func(id string) api.DeleteWebhook { return api.DeleteWebhook{WebhookID: id} })
}

// deletion returns a command that deletes one record of a noun, and asks before.
func deletion[In api.Input[api.Nothing]](s *session, noun, short string, input func(id string) In) *cobra.Command {
	var yes bool
	cmd := s.changing(s.command("delete "+strings.ToUpper(noun), short, argument("id of a "+noun),
		func(ctx context.Context, args []string) error {
			if !yes && !s.dryRun {
				if err := s.confirm(ctx, "Delete the "+noun+" "+args[0]+"?"); err != nil {
					return err
				}
			}
			_, done, err := change(ctx, s, input(args[0]))
			if err != nil || !done {
				return err
			}
			return s.out.Line(s.out.Out, "Deleted the %s %s.", noun, args[0])
		}))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func newDeliveries(s *session) *cobra.Command {
	return listing[api.Delivery]{use: "deliveries WEBHOOK", short: "List the deliveries of a webhook, newest first",
		args: argument("id of a webhook"), none: "It has no deliveries.",
		read: func(ctx context.Context, args []string, limit int) ([]api.Delivery, error) {
			return all(ctx, s, api.ListDeliveries{WebhookID: args[0]}, limit)
		},
		columns: func(s *session) []output.Column[api.Delivery] {
			return []output.Column[api.Delivery]{
				{Title: "Id", Cell: func(d api.Delivery) output.Cell {
					return output.Cell{Text: d.ID,
						Style: output.Cyan}
				}},
				{Title: "Status", Cell: func(d api.Delivery) output.Cell { return text(string(d.Status)) }},
				{Title: "Event", Flexible: true,
					Cell: func(d api.Delivery) output.Cell { return text(string(d.EventType)) }},
				{Title: "Attempts", Cell: func(d api.Delivery) output.Cell { return text(fmt.Sprint(d.AttemptCount)) }},
				{Title: "Created", Optional: true,
					Cell: func(d api.Delivery) output.Cell { return s.ago(&d.CreatedAt) }},
			}
		}}.command(s)
}

func newRedeliver(s *session) *cobra.Command {
	var format output.Format
	cmd := s.changing(s.command("redeliver DELIVERY", "Repeat a delivery", argument("id of a delivery"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			d, done, err := change(ctx, s, api.Redeliver{DeliveryID: args[0]})
			if err != nil || !done {
				return err
			}
			return printRecord(ctx, s, &format, d, "Queued the delivery "+d.ID+" again.")
		}))
	output.Register[api.Delivery](&format, cmd)
	return cmd
}

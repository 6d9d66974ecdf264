package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/deliver"
	"bugslice/internal/demo"
	"bugslice/internal/disk"
	"bugslice/internal/httpserver"
	"bugslice/internal/mail"
	"bugslice/internal/operator"
)

func newServe(env environment, s Streams) *cobra.Command {
	var f serveFlags
	cmd := env.command("serve", "Run the API server", func(ctx context.Context) error { return f.run(ctx, env, s) })
	f.register(cmd)
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprintf(s.Out, "Run the API server.\n\nUsage:\n  bugslice serve [flags]\n\n"+
			"A flag takes precedence over its variable, and a variable over the default.\n\n%s", settingsTable(cmd))
	})
	return cmd
}

// heapFloor is the size of memory that is reserved and never written, so that none of it is resident. The garbage
// collector counts it as in use: it runs less often for a small heap, which a few pages fill, and about as often for
// a large one.
const heapFloor = 128 << 20

// run serves an instance until ctx ends. The listeners are open before the instance, so that a used port changes
// nothing.
func (f *serveFlags) run(ctx context.Context, env environment, s Streams) error {
	settings, err := f.parse()
	if err != nil {
		return err
	}
	floor := make([]byte, heapFloor)
	defer runtime.KeepAlive(floor)
	log := slog.New(slog.NewJSONHandler(s.Err, nil))
	if f.readOnly {
		if err := f.requireExisting(ctx, env); err != nil {
			return err
		}
	} else {
		unlock, err := f.lock()
		if err != nil {
			return err
		}
		defer unlock()
	}
	lis, err := listen(f.listen, f.metricsListen)
	defer lis.close() // the first listener is open when the second one fails
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(f.baseURL, "/")
	if base == "" {
		base = "http://" + lis.api.Addr().String()
	}
	settings.insecure = isInsecure(base)
	settings.pages = !settings.insecure || f.insecureHTTP
	if !settings.pages {
		log.Warn("the web application is off, because its address is http:// and not on this machine: "+
			"set --base-url to an https:// address, or --insecure-http", "address", base)
	}
	f.tracker.Sender = deliver.NewSender(settings.webhookPolicy, "Bugslice/"+tree.Version(Version), log)
	if settings.mail != nil {
		f.tracker.Mail = mail.New(*settings.mail)
	}
	in, err := f.openToServe(ctx, env, base, log)
	if err != nil {
		return err
	}
	defer in.store.Close()
	in.openIntake(settings.rateLimit > 0)
	var metrics *httpserver.Metrics
	if lis.metrics != nil {
		metrics = newMetrics(in, f.tracker.Disk)
	}
	server, err := newServer(in, settings, metrics, base, log)
	if err != nil {
		return err
	}
	if f.demo {
		instance := demo.Instance{Tracker: in.tracker, Operator: in.operator, WithClock: in.withClock}
		if err := demo.Fill(ctx, instance, f.data, base, s.Out); err != nil {
			return err
		}
	}
	if err := f.printFirstSteps(ctx, in, settings.pages, base, s.Out); err != nil {
		return err
	}
	return serve(ctx, in, server, lis, log)
}

// printFirstSteps prints how an empty instance is set up: by a link, when the web application is served, and by
// bootstrap. It prints nothing for an instance that has an organisation or is read-only.
func (f *serveFlags) printFirstSteps(ctx context.Context, in *instance, pages bool, base string, out io.Writer) error {
	organizations, err := in.operator.Organizations(ctx)
	if err != nil || len(organizations) > 0 || f.readOnly {
		return err
	}
	if pages {
		secret, err := in.operator.NewSetupLink(ctx)
		if errors.Is(err, operator.ErrNotEmpty) { // another node was quicker
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "This instance is empty. Set it up in a browser, once and within 24 hours:\n"+
			"  %s/setup/%s\nor at the command line:\n", base, secret)
	} else {
		fmt.Fprintln(out, "This instance is empty. Set it up at the command line:")
	}
	database := ""
	if f.databaseURL != "" {
		database = " --database-url URL"
	}
	_, err = fmt.Fprintf(out, "  bugslice bootstrap --data %s%s --org Acme --email you@example.com --workspace Web\n",
		f.data, database)
	return err
}

// openToServe opens the instance and checks its files.
func (f *serveFlags) openToServe(ctx context.Context, env environment, base string, log *slog.Logger) (
	*instance, error,
) {
	o := &f.tracker
	o.ReadOnly = f.readOnly
	o.MaxUploadBytes, o.QuotaBytes, o.DailySlices = f.maxUpload<<20, f.workspaceQuota<<20, f.dailySlices
	o.SessionIdle, o.SessionLifetime = f.sessionIdle, f.sessionLifetime
	o.EventRetention, o.Disk = time.Duration(f.eventRetention)*24*time.Hour, f.watchDisk()
	in, err := f.open(ctx, env, base, log)
	if err != nil {
		return nil, err
	}
	if err := f.prepare(ctx, in, log); err != nil {
		return nil, errors.Join(err, in.store.Close())
	}
	return in, nil
}

// prepare warns of a newer database, releases the leases of a server that was killed, and checks the file storage.
func (f *serveFlags) prepare(ctx context.Context, in *instance, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	m, err := in.store.Read(ctx).Migrations()
	if err != nil {
		return err
	}
	if err := m.Check(); err != nil {
		log.Warn(err.Error())
	}
	if f.databaseURL == "" && !f.readOnly { // the lock guarantees that no other server delivers
		if err := in.tracker.ReleaseLeases(ctx); err != nil {
			return err
		}
	}
	if err := in.blobs.Check(ctx); err != nil {
		if f.blobURL != "" {
			err = fmt.Errorf("--blob-url: %w", err)
		}
		return err
	}
	if f.readOnly {
		return nil // nothing is bound, and no file is removed
	}
	return f.fileError(in.tracker.BindFiles(ctx))
}

// watchDisk watches the disks on which this node keeps its database and its files, if any.
func (f *serveFlags) watchDisk() *disk.Watch {
	var dirs []string
	if f.databaseURL == "" {
		dirs = append(dirs, f.data)
	}
	if f.blobURL == "" {
		dirs = append(dirs, f.filesDir())
	}
	if len(dirs) == 0 {
		return nil
	}
	return disk.New(f.minFreeDisk<<20, dirs...)
}

// serve answers requests and runs the background work of a node until ctx ends. The background work has ended when
// it returns.
func serve(ctx context.Context, in *instance, server *httpserver.Server, lis listeners, log *slog.Logger) error {
	ctx, stop := context.WithCancel(ctx)
	background, endBackground := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { in.tracker.Run(background) })
	if !in.options.ReadOnly {
		work.Go(func() { in.intake.Run(ctx) })
		work.Go(func() { deliver.New(in.tracker, log).Run(ctx) })
		if in.tracker.MailEnabled() {
			work.Go(func() { deliver.NewMailer(in.tracker, log).Run(ctx) })
		}
	}
	defer work.Wait()
	defer endBackground()
	defer stop()
	log.Info("serving", "address", lis.api.Addr().String(), "database", in.store.Engine(), "version",
		tree.Version(Version))
	return server.Serve(ctx, lis.api, lis.metrics)
}

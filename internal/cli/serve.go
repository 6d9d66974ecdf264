package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/deliver"
	"bugslice/internal/demo"
	"bugslice/internal/disk"
	"bugslice/internal/httpserver"
	"bugslice/internal/safehttp"
	"bugslice/internal/tracker"
)

type serveOptions struct {
	place
	listen, baseURL, rateLimit, metricsListen string
	trustedProxies, webhookAllow              []string
	eventRetention                            int
	maxUpload, workspaceQuota                 int64
	dailySlices, minFreeDisk                  int64
	demo                                      bool
}

func newServe(env environment, s Streams) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{Use: "serve", Short: "Run the API server", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := env.apply(cmd); err != nil {
			return err
		}
		return o.run(cmd.Context(), env, s)
	}}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address to serve on")
	o.flags(cmd)
	f.StringVar(&o.baseURL, "base-url", "", "address in links; http:// and --listen when left out")
	f.StringVar(&o.rateLimit, "rate-limit", "600", "requests a minute for each key, or off")
	f.StringSliceVar(&o.trustedProxies, "trusted-proxies", nil, "addresses or networks whose X-Forwarded-For counts")
	f.StringSliceVar(&o.webhookAllow, "webhook-allow", nil, "host, address or network that webhooks may reach though it is not public; plain http and any port too")
	f.IntVar(&o.eventRetention, "event-retention", 30, "days for which events can be read and deliveries stay")
	f.Int64Var(&o.maxUpload, "max-upload", 100, "MiB that one file may have")
	f.Int64Var(&o.workspaceQuota, "workspace-quota", 10240, "MiB that a workspace may take, files, records and log; 0 for any")
	f.Int64Var(&o.dailySlices, "daily-slices", tracker.DefaultDailySlices, "reports and occurrences that a workspace may file in a day of UTC; 0 for any")
	f.Int64Var(&o.minFreeDisk, "min-free-disk", 512, "MiB of disk below which nothing is stored, while reading and deleting go on; 0 for off")
	f.StringVar(&o.metricsListen, "metrics-listen", "", "address to serve /metrics on; off when left out")
	f.BoolVar(&o.demo, "demo", false, "fill an empty instance with demo data")
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprintf(s.Out, "Run the API server.\n\nUsage:\n  bugslice serve [flags]\n\nA flag goes before its variable, a variable before the default.\n\n%s", flagTable(cmd))
	})
	return cmd
}

// checked is what the options mean.
type checked struct {
	rate    int
	trusted []netip.Prefix
	targets *safehttp.Policy
}

func (o *serveOptions) check() (c checked, err error) {
	if err := o.place.check(); err != nil {
		return c, err
	}
	if o.rateLimit != "off" {
		if c.rate, err = strconv.Atoi(o.rateLimit); err != nil || c.rate < 1 || c.rate > 1_000_000 {
			return c, usagef("--rate-limit must be off or a number of requests a minute, not %q", o.rateLimit)
		}
	}
	for _, text := range o.trustedProxies {
		p, err := netip.ParsePrefix(text)
		if a, aerr := netip.ParseAddr(text); aerr == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return c, usagef("--trusted-proxies: %q is no address and no network such as 10.0.0.0/8", text)
		}
		c.trusted = append(c.trusted, p)
	}
	if c.targets, err = safehttp.NewPolicy(o.webhookAllow); err != nil {
		return c, usagef("--webhook-allow: %v", err)
	}
	if o.eventRetention < 1 || o.eventRetention > 3650 {
		return c, usagef("--event-retention must be a number of days from 1 to 3650, not %d", o.eventRetention)
	}
	if o.maxUpload < 1 || o.maxUpload > 10<<10 {
		return c, usagef("--max-upload must be a number of MiB from 1 to 10240, not %d", o.maxUpload)
	}
	if o.workspaceQuota < 0 || o.workspaceQuota > 1<<40 {
		return c, usagef("--workspace-quota must be a number of MiB, or 0, not %d", o.workspaceQuota)
	}
	if o.dailySlices < 0 {
		return c, usagef("--daily-slices must be a number of reports, or 0, not %d", o.dailySlices)
	}
	if o.minFreeDisk < 0 || o.minFreeDisk > 1<<40 {
		return c, usagef("--min-free-disk must be a number of MiB, or 0, not %d", o.minFreeDisk)
	}
	for flag, address := range map[string]string{"listen": o.listen, "metrics-listen": o.metricsListen} {
		if _, _, err := net.SplitHostPort(address); err != nil && (address != "" || flag == "listen") {
			return c, usagef("--%s must be host:port, not %q", flag, address)
		}
	}
	if o.baseURL != "" {
		u, err := url.Parse(o.baseURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return c, usagef("--base-url must be an http:// or https:// address, not %q", o.baseURL)
		}
	}
	return c, nil
}

// startTime bounds how long a start may wait for the database and its migrations.
const startTime = 30 * time.Second

func (o *serveOptions) run(ctx context.Context, env environment, s Streams) error {
	c, err := o.check()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(s.Err, nil))
	unlock, err := o.lock()
	if err != nil {
		return err
	}
	defer unlock()
	at, err := o.bind()
	defer at.close()
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(o.baseURL, "/")
	if base == "" {
		base = "http://" + at.api.Addr().String()
	}
	o.tracker.Sender = deliver.NewSender(c.targets, "Bugslice/"+version(), log)
	o.tracker.MaxUploadBytes, o.tracker.QuotaBytes = o.maxUpload<<20, o.workspaceQuota<<20
	o.tracker.EventRetention = time.Duration(o.eventRetention) * 24 * time.Hour
	o.tracker.DailySlices, o.tracker.Disk = o.dailySlices, o.watchDisk()
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	in, err := o.open(starting, env, base, log)
	if err != nil {
		return err
	}
	defer in.store.Close()
	if o.databaseURL == "" { // under the lock nobody else delivers
		if err := in.tracker.ReleaseLeases(starting); err != nil {
			return err
		}
	}
	if err := in.blobs.Check(starting); err != nil {
		if o.blobURL != "" {
			err = fmt.Errorf("--blob-url: %w", err)
		}
		return err
	}
	if err := o.aboutFiles(in.tracker.BindFiles(starting)); err != nil {
		return err
	}
	var metrics *httpserver.Metrics
	if at.metrics != nil {
		metrics = o.newMetrics(in)
	}
	server, err := newServer(in, c, metrics, base, log)
	if err != nil {
		return err
	}
	if o.demo {
		if err := demo.Fill(ctx, in.tracker, in.operator, o.data, base, s.Out); err != nil {
			return err
		}
	}
	return serve(ctx, in, server, at, log)
}

// watchDisk watches where this node keeps its database and its files, if any.
func (o *serveOptions) watchDisk() *disk.Watch {
	var dirs []string
	if o.databaseURL == "" {
		dirs = append(dirs, o.data)
	}
	if o.blobURL == "" {
		dirs = append(dirs, o.filesDir())
	}
	if len(dirs) == 0 {
		return nil
	}
	return disk.New(o.minFreeDisk<<20, dirs...)
}

func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; --%s or %s names another address", address, err, flag, variable(flag))
	}
	return l, nil
}

// listeners are the ports that a node serves on; metrics is nil when off.
type listeners struct{ api, metrics net.Listener }

func (o *serveOptions) bind() (at listeners, err error) {
	if at.api, err = listen("listen", o.listen); err == nil && o.metricsListen != "" {
		at.metrics, err = listen("metrics-listen", o.metricsListen)
	}
	return at, err
}

func (at listeners) close() {
	for _, l := range []net.Listener{at.api, at.metrics} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// serve answers requests and does the background work of a node until ctx ends. Whatever ends it, the work has
// ended when it returns.
func serve(ctx context.Context, in *instance, server *httpserver.Server, at listeners, log *slog.Logger) error {
	ctx, stop := context.WithCancel(ctx)
	background, endBackground := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { in.tracker.Run(background) })
	work.Go(func() { deliver.New(in.tracker, log).Run(ctx) })
	defer work.Wait()
	defer endBackground()
	defer stop()
	log.Info("serving", "address", at.api.Addr().String(), "database", in.store.Engine(), "version", version())
	return server.Serve(ctx, at.api, at.metrics)
}

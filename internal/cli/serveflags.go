package cli

import (
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/httpserver"
	"bugslice/internal/mail"
	"bugslice/internal/safehttp"
	"bugslice/internal/tracker"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	instanceFlags
	listen, baseURL, rateLimit, metricsListen string
	trustedProxies, webhookAllow, corsOrigins []string
	oidcAllow                                 []string
	eventRetention                            int64 // days
	maxUpload, workspaceQuota, minFreeDisk    int64 // MiB
	dailySlices                               int64
	sessionIdle, sessionLifetime              time.Duration
	demo, insecureHTTP, withholdGuests        bool
	mail                                      mailFlags
}

func (f *serveFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.listen, "listen", "127.0.0.1:8080", "address to serve on")
	f.instanceFlags.register(cmd)
	s.StringVar(&f.baseURL, "base-url", "", "address in links; http:// and --listen when empty")
	s.StringVar(&f.rateLimit, "rate-limit", "600", "requests a minute for each key, or off")
	s.StringSliceVar(&f.trustedProxies, "trusted-proxies", nil,
		"addresses or networks whose X-Forwarded-For is trusted")
	s.StringSliceVar(&f.corsOrigins, "cors-origin", nil,
		"origin, such as https://bugs.example.com, whose pages may call the API from a browser; * for every origin")
	s.BoolVar(&f.withholdGuests, "mcp-withhold-guests", false,
		"withhold text and evidence of reporters without an account from the tools of agents (MCP)")
	s.StringSliceVar(&f.webhookAllow, "webhook-allow", nil,
		"host, address or network that webhooks may reach although it is not public, with plain http and any port too")
	s.StringSliceVar(&f.oidcAllow, "oidc-allow", nil,
		"host, address or network of an OpenID provider that is not public, with plain http and any port too")
	f.mail.register(s)
	s.Int64Var(&f.eventRetention, "event-retention", 30, "days for which events and deliveries are retained")
	s.DurationVar(&f.sessionIdle, "session-idle", tracker.DefaultSessionIdle,
		"time without use after which a session of the web application ends")
	s.DurationVar(&f.sessionLifetime, "session-lifetime", tracker.DefaultSessionLifetime,
		"time after which a session ends although it is used")
	s.Int64Var(&f.maxUpload, "max-upload", 100, "MiB that one file may have")
	s.Int64Var(&f.workspaceQuota, "workspace-quota", 10240,
		"MiB that the files, records and events of a workspace may have; 0 for no limit")
	s.Int64Var(&f.dailySlices, "daily-slices", tracker.DefaultDailySlices,
		"reports and occurrences that a workspace accepts in a day (UTC); 0 for no limit")
	s.DurationVar(&f.listTime, "list-time", time.Second,
		"time that the database has for a list, a search or a count; what takes longer is refused")
	s.Int64Var(&f.minFreeDisk, "min-free-disk", 512,
		"free MiB of disk below which the server refuses to store anything; 0 for off")
	s.StringVar(&f.metricsListen, "metrics-listen", "", "address to serve /metrics on; off when empty")
	s.BoolVar(&f.insecureHTTP, "insecure-http", false,
		"serve the web application over http:// to other machines; passwords and sessions pass the network unencrypted")
	s.BoolVar(&f.readOnly, "read-only", false,
		"show what is stored and refuse every change: no sign-in, no webhooks, no background work; beside another server too")
	s.BoolVar(&f.demo, "demo", false, "fill an empty instance with demo data")
}

// serveSettings are the flags of serve whose values were parsed.
type serveSettings struct {
	rateLimit      int // requests a minute of a key; 0 for no limit
	trustedProxies []netip.Prefix
	origins        []string // whose pages may call the API
	webhookPolicy  *safehttp.Policy
	pages          bool           // whether the web application is served
	insecure       bool           // whether passwords and sessions pass a network unencrypted
	withholdGuests bool           // whether agents get no text of reporters without an account
	mail           *mail.Settings // nil: no mails are sent
}

// parse validates the flags.
func (f *serveFlags) parse() (s serveSettings, err error) {
	if err := f.validate(); err != nil {
		return s, err
	}
	if f.readOnly && f.demo {
		return s, tree.Usagef("--demo creates reports, and --read-only refuses every change")
	}
	if f.rateLimit != "off" {
		if s.rateLimit, err = strconv.Atoi(f.rateLimit); err != nil || s.rateLimit < 1 || s.rateLimit > 1_000_000 {
			return s, tree.Usagef("--rate-limit must be off or a number of requests a minute, not %q", f.rateLimit)
		}
	}
	if s.trustedProxies, err = parseNetworks(f.trustedProxies); err != nil {
		return s, err
	}
	if s.origins, err = parseOrigins(f.corsOrigins); err != nil {
		return s, err
	}
	s.withholdGuests = f.withholdGuests
	if s.webhookPolicy, err = safehttp.NewPolicy(f.webhookAllow); err != nil {
		return s, tree.Usagef("--webhook-allow: %v", err)
	}
	if f.tracker.OpenID, err = safehttp.NewPolicy(f.oidcAllow); err != nil {
		return s, tree.Usagef("--oidc-allow: %v", err)
	}
	if s.mail, err = f.mail.parse(); err != nil {
		return s, err
	}
	if err := f.checkNumbers(); err != nil {
		return s, err
	}
	return s, f.checkAddresses()
}

// parseNetworks parses the addresses and networks of --trusted-proxies.
func parseNetworks(list []string) (networks []netip.Prefix, err error) {
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		if address, addressErr := netip.ParseAddr(text); addressErr == nil {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, tree.Usagef("--trusted-proxies: %q is no address and no network such as 10.0.0.0/8", text)
		}
		networks = append(networks, network)
	}
	return networks, nil
}

// originSchemes are the schemes of --cors-origin: those of pages and of browser extensions.
var originSchemes = []string{"http", "https", "chrome-extension", "moz-extension", "safari-web-extension"}

// parseOrigins parses the origins of --cors-origin, and returns them as browsers send them. An origin has no wildcard.
func parseOrigins(list []string) (origins []string, err error) {
	for _, text := range list {
		u, err := url.Parse(text)
		isOrigin := err == nil && slices.Contains(originSchemes, u.Scheme) && u.Host != "" &&
			!strings.Contains(u.Host, "*") &&
			*u == url.URL{Scheme: u.Scheme, Host: u.Host}
		if !isOrigin && text != httpserver.AnyOrigin {
			return nil, tree.Usagef("--cors-origin: %q is no origin such as https://bugs.example.com, and not *", text)
		}
		port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
		origins = append(origins, strings.TrimSuffix(strings.ToLower(text), port))
	}
	return origins, nil
}

func (f *serveFlags) checkNumbers() error {
	const maxMiB = 1 << 40
	for _, n := range []struct {
		flag            string
		value, min, max int64
		valid           string
	}{
		{"event-retention", f.eventRetention, 1, 3650, "a number of days from 1 to 3650"},
		{"max-upload", f.maxUpload, 1, 10240, "a number of MiB from 1 to 10240"},
		{"workspace-quota", f.workspaceQuota, 0, maxMiB, "a number of MiB, or 0"},
		{"daily-slices", f.dailySlices, 0, math.MaxInt64, "a number of reports, or 0"},
		{"min-free-disk", f.minFreeDisk, 0, maxMiB, "a number of MiB, or 0"},
	} {
		if n.value < n.min || n.value > n.max {
			return tree.Usagef("--%s must be %s, not %d", n.flag, n.valid, n.value)
		}
	}
	// A use is stored at most once a minute, and browsers keep a cookie for little more than a year.
	const minSession, maxSession = 5 * time.Minute, 365 * 24 * time.Hour
	for _, n := range []struct {
		flag            string
		value, min, max time.Duration
		valid           string
	}{
		{"session-idle", f.sessionIdle, minSession, maxSession, "at least 5m and at most 8760h"},
		{"session-lifetime", f.sessionLifetime, minSession, maxSession, "at least 5m and at most 8760h"},
		{"list-time", f.listTime, 100 * time.Millisecond, time.Minute, "at least 100ms and at most 1m"},
	} {
		if n.value < n.min || n.value > n.max {
			return tree.Usagef("--%s must be %s, not %s", n.flag, n.valid, n.value)
		}
	}
	return nil
}

func (f *serveFlags) checkAddresses() error {
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return tree.Usagef("--listen must be host:port, not %q", f.listen)
	}
	if _, _, err := net.SplitHostPort(f.metricsListen); err != nil && f.metricsListen != "" {
		return tree.Usagef("--metrics-listen must be host:port, not %q", f.metricsListen)
	}
	if f.baseURL == "" {
		return nil
	}
	u, err := url.Parse(f.baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return tree.Usagef("--base-url must be an http:// or https:// address without a user, a query and a fragment")
	}
	if strings.Trim(u.Path, "/") != "" {
		return tree.Usagef("--base-url must have no path, because pages and API are served at the root of a host: "+
			"give Bugslice a host name of its own, such as %s://bugs.%s, instead of %q", u.Scheme, u.Host, f.baseURL)
	}
	return nil
}

// isInsecure reports whether browsers reach the address over a network without encryption.
func isInsecure(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Scheme == "https" {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() != "localhost" && (err != nil || !address.IsLoopback())
}

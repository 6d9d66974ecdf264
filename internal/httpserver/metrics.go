package httpserver

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts requests by operation, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

// NewMetrics returns metrics of requests and of the process.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bugslice_http_requests_total", Help: "Requests by operation, method and status.",
		}, []string{"operation", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bugslice_http_request_duration_seconds", Help: "Time to answer, by operation.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"operation"}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "bugslice_build_info",
		Help:        "Always 1; the label is the version.",
		ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	m.registry.MustRegister(m.requests, m.duration, info, collectors.NewGoCollector(), process)
	return m
}

// Gauge adds a metric whose value is read at each scrape. A name may have several values with other labels.
func (m *Metrics) Gauge(name, help string, labels map[string]string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
		value))
}

// Counter adds a metric that only grows, whose value is read at each scrape. A name may have several values with
// other labels.
func (m *Metrics) Counter(name, help string, labels map[string]string, value func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help,
		ConstLabels: labels}, value))
}

func (m *Metrics) observe(operation, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(operation, method, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(operation).Observe(took.Seconds())
}

// Handler serves /metrics.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}

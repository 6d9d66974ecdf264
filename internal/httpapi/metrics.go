package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"bugslice/internal/disk"
	"bugslice/internal/tracker"
)

// Metrics counts requests by operation, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

// NewMetrics returns metrics with the process's own beside the service's.
func NewMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bugslice_http_requests_total", Help: "Requests by operation, method and status."}, []string{"operation", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "bugslice_http_request_duration_seconds", Help: "Time to answer, by operation.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}}, []string{"operation"})}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "bugslice_build_info", Help: "Always 1; the label tells the version.", ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.duration, info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// watchRemoval shows whether the removal of files is suspended.
func (m *Metrics) watchRemoval(t *tracker.Tracker) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bugslice_blob_removal_suspended",
		Help: "1 while this node removes no files because another database may use their storage."}, func() float64 {
		if t.RemovalSuspended() != "" {
			return 1
		}
		return 0
	}))
}

// watchDisk measures how much room is left on the disk.
func (m *Metrics) watchDisk(d *disk.Watch) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bugslice_disk_free_bytes",
		Help: "Free bytes of the disk with the database and the files, where there are the fewest."}, func() float64 {
		n, err := d.Free()
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	}))
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

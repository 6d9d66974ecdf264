package cli

import (
	"context"
	"math"
	"sync"
	"time"

	"bugslice/internal/command/tree"
	"bugslice/internal/disk"
	"bugslice/internal/httpserver"
	"bugslice/internal/intake"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// labels are the labels of a metric.
type labels = map[string]string

// newMetrics returns the metrics of a node. watch is nil when the node keeps nothing on a disk.
func newMetrics(in *instance, watch *disk.Watch) *httpserver.Metrics {
	t := in.tracker
	m := httpserver.NewMetrics(tree.Version(Version))
	for _, why := range tracker.SignInRefusals {
		m.Counter("bugslice_sign_ins_refused_total", "Refused sign-ins and proofs of a password, by reason.",
			labels{"reason": string(why)}, func() float64 { return float64(t.SignInsRefused(why)) })
	}
	for _, why := range intake.Refusals {
		m.Counter("bugslice_intake_refused_total", "Reports of visitors that this node has refused, by reason.",
			labels{"reason": string(why)}, func() float64 { return float64(in.intake.Refused(why)) })
	}
	const streams = "Open streams on this node: of events by clients of the API, and of changes by pages."
	m.Gauge("bugslice_streams", streams, labels{"kind": "events"}, func() float64 { return float64(t.EventStreams()) })
	m.Gauge("bugslice_streams", streams, labels{"kind": "pages"}, func() float64 { return float64(t.LiveStreams()) })
	addFileMetrics(m, t)
	addStoreMetrics(m, t.StoreStats)
	addInstanceMetrics(m, t)
	if watch != nil {
		m.Gauge("bugslice_disk_free_bytes",
			"Free bytes on the fullest of the disks that hold the database and the files.", nil,
			func() float64 {
				n, err := watch.Free()
				if err != nil {
					return math.NaN() // Prometheus' value for unknown
				}
				return float64(n)
			})
	}
	return m
}

// addFileMetrics adds the metrics of the storage of files.
func addFileMetrics(m *httpserver.Metrics, t *tracker.Tracker) {
	m.Gauge("bugslice_blob_removal_suspended",
		"1 while this node removes no files because another database may use their storage.", nil,
		func() float64 { return oneIf(t.RemovalSuspended() != "") })
	m.Gauge("bugslice_blob_storage_available", "1 while the storage of files can be reached.", nil,
		func() float64 { return oneIf(t.FilesAvailable()) })
	m.Counter("bugslice_blob_errors_total", "Operations that could not reach or write the storage of files.", nil,
		func() float64 { return float64(t.FileFailures()) })
}

// addStoreMetrics adds the metrics of a node's connections to the database, its queue and its cache.
func addStoreMetrics(m *httpserver.Metrics, stats func() store.Stats) {
	const connections = "Connections of this node to the database, by state."
	m.Gauge("bugslice_database_connections", connections, labels{"state": "in_use"},
		func() float64 { return float64(stats().Pool.InUse) })
	m.Gauge("bugslice_database_connections", connections, labels{"state": "idle"},
		func() float64 { return float64(stats().Pool.Idle) })
	m.Gauge("bugslice_database_connections_max", "Maximum of the connections of this node.", nil,
		func() float64 { return float64(stats().Pool.MaxOpenConnections) })
	m.Counter("bugslice_database_connection_wait_seconds_total", "Time for which requests waited for a connection.",
		nil,
		func() float64 { return stats().Pool.WaitDuration.Seconds() })
	m.Gauge("bugslice_write_queue_length",
		"Transactions that wait for the one writer of SQLite; always 0 on PostgreSQL.", nil,
		func() float64 { return float64(stats().WriteQueue) })
	m.Counter("bugslice_slice_cache_hits_total", "Slices that were read from the cache of this node.", nil,
		func() float64 { return float64(stats().CacheHits) })
	m.Counter("bugslice_slice_cache_misses_total", "Slices that were not in the cache of this node.", nil,
		func() float64 { return float64(stats().CacheMisses) })
	m.Gauge("bugslice_slice_cache_bytes", "Approximate memory of the cache of slices.", nil,
		func() float64 { return float64(stats().CacheBytes) })
}

// addInstanceMetrics adds the metrics of what the nodes of an instance share. Every node reports the same values.
func addInstanceMetrics(m *httpserver.Metrics, t *tracker.Tracker) {
	r := &instanceReader{read: t.Instance}
	m.Gauge("bugslice_database_available", "1 while this node can read its database.", nil, r.available)
	const deliveries = "Deliveries of all webhooks, by state: waiting ones, also those that are retried, and failed ones."
	m.Gauge("bugslice_deliveries", deliveries, labels{"state": "waiting"},
		r.value(func(in tracker.Instance) float64 { return float64(in.Backlog.Waiting) }))
	m.Gauge("bugslice_deliveries", deliveries, labels{"state": "failed"},
		r.value(func(in tracker.Instance) float64 { return float64(in.Backlog.Failed) }))
	m.Gauge("bugslice_delivery_oldest_age_seconds", "Age of the oldest delivery that waits; 0 without one.", nil,
		r.value(func(in tracker.Instance) float64 {
			if in.Backlog.Oldest == nil {
				return 0
			}
			return max(0, in.At.Sub(in.Backlog.Oldest.Time).Seconds())
		}))
	addMailMetrics(m, t, r)
	for _, name := range tracker.JobNames() {
		m.Gauge("bugslice_job_overdue_seconds",
			"Time since a background job was due and has not run, on any node; 0 before it is due.",
			labels{"job_name": name}, r.value(func(in tracker.Instance) float64 { return overdue(in, name) }))
		m.Counter("bugslice_job_failures_total", "Runs of a background job on this node that failed.",
			labels{"job_name": name},
			func() float64 { return float64(t.JobFailures(name)) })
	}
}

// overdue returns the seconds since a job was due, 0 when it is not due or has never been leased.
func overdue(in tracker.Instance, job string) float64 {
	for _, j := range in.Jobs {
		if j.Name == job && j.NextRunAt != nil {
			return max(0, in.At.Sub(j.NextRunAt.Time).Seconds())
		}
	}
	return 0
}

func oneIf(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}

const (
	instanceInterval = 10 * time.Second // for which the state of the instance is cached
	instanceTimeout  = 2 * time.Second
)

// instanceReader reads the state of the instance, at most once in an interval.
type instanceReader struct {
	read func(context.Context) (tracker.Instance, error)

	mu     sync.Mutex
	readAt time.Time
	last   tracker.Instance
	err    error
}

// available returns 1 when the instance can be read, otherwise 0.
func (r *instanceReader) available() float64 {
	return oneIf(!math.IsNaN(r.value(func(tracker.Instance) float64 { return 1 })()))
}

// value returns a function that returns a value of the instance; NaN, which is Prometheus' unknown, when it cannot be
// read.
func (r *instanceReader) value(of func(tracker.Instance) float64) func() float64 {
	return func() float64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		if now := time.Now(); now.Sub(r.readAt) > instanceInterval {
			ctx, cancel := context.WithTimeout(context.Background(), instanceTimeout)
			r.last, r.err = r.read(ctx)
			cancel()
			r.readAt = now
		}
		if r.err != nil {
			return math.NaN()
		}
		return of(r.last)
	}
}

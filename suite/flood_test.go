package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/proofofwork"
)

// flood sends requests to the key of a source from a thousand addresses.
type flood struct {
	s      *server
	key    string
	origin string
	client *http.Client
	counts sync.Map // of answers, by path and status
}

func (f *flood) send(path, address string, body []byte, header map[string]string) (map[string]any, int) {
	q, err := http.NewRequest("POST", f.s.URL+"/intake/"+f.key+path, bytes.NewReader(body))
	if err != nil {
		return nil, 0
	}
	q.Header.Set("Origin", f.origin)
	q.Header.Set("X-Forwarded-For", address)
	for name, value := range header {
		q.Header.Set(name, value)
	}
	res, err := f.client.Do(q)
	if err != nil {
		return nil, 0
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	var answer map[string]any
	_ = json.Unmarshal(text, &answer)
	n, _ := f.counts.LoadOrStore(fmt.Sprint(path, " ", res.StatusCode), new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	return answer, res.StatusCode
}

// visit is what one of the senders does: it asks for a token and sends a report with it, with work when that is little.
func (f *flood) visit() {
	address := fmt.Sprintf("198.18.%d.%d", rand.IntN(4), rand.IntN(250))
	a, status := f.send("/token", address, nil, nil)
	token, _ := a["token"].(string)
	if status != 200 {
		return
	}
	answer := "1"
	if work, ok := a["work"].(map[string]any); ok && work["bits"].(float64) <= 14 {
		p := proofofwork.Puzzle{Salt: work["salt"].(string), Bits: int(work["bits"].(float64))}
		for n := 0; !p.SolvedBy(answer); n++ {
			answer = strconv.Itoa(n)
		}
	}
	time.Sleep(2 * time.Second)
	name := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
	f.send("/reports", address, []byte(`{"report":{"summary":"Cheap watches"}}`),
		map[string]string{"Content-Type": "application/json",
			"Idempotency-Key": name, "Submit-Token": token, "Submit-Work": answer})
}

// TestFlood: 10,000 requests a minute from 1,000 addresses to the key of a source neither slow another workspace down
// nor file more than the limit of the day; what they have left is removed by one request.
func TestFlood(t *testing.T) {
	t.Parallel()
	const perDay, perSecond = 40, 10_000 / 60
	s := newServer(t, "sqlite", t.TempDir(), "--trusted-proxies", "127.0.0.1", "--rate-limit", "100000")
	s.start(t)
	defer s.kill()
	o, other := newOrg(t, s, "flooded"), newOrg(t, s, "other")
	other.slice(t, other.Workspace, nil)
	const origin = "https://shop.example"
	id, key := o.newSource(t, origin, map[string]any{"limits": map[string]any{"perMinute": 30, "perHour": 600,
		"perDay":         perDay,
		"perAddressHour": 10}})
	since := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	read := func(n int) time.Duration {
		var took []time.Duration
		for range n {
			begun := time.Now()
			other.want(t, 200, "GET", "/v1/slices?limit=10", nil)
			took = append(took, time.Since(begun))
			time.Sleep(5 * time.Millisecond)
		}
		slices.Sort(took)
		return took[n/2]
	}
	read(20)
	before := read(100)
	f := &flood{s: s, key: key, origin: origin, client: &http.Client{Timeout: 20 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 500}}}
	end := time.Now().Add(sized(8*time.Second, time.Minute))
	var senders sync.WaitGroup
	senders.Go(func() {
		tick := time.NewTicker(2 * time.Second / perSecond) // of two requests each
		defer tick.Stop()
		for time.Now().Before(end) {
			<-tick.C
			senders.Go(f.visit)
		}
	})
	time.Sleep(3 * time.Second)
	during := read(200)
	senders.Wait()
	f.counts.Range(func(what, n any) bool {
		t.Logf("%v: %d", what, n.(*atomic.Int64).Load())
		return true
	})
	t.Logf("a read of another workspace took %s before and %s during the flood", before, during)
	if during > 4*before+10*time.Millisecond {
		t.Errorf("a read of another workspace took %s before and %s during the flood", before, during)
	}
	filed := len(o.slices(t))
	if filed < 1 || filed > perDay {
		t.Errorf("%d reports are filed, of at most %d a day", filed, perDay)
	}
	removed := o.want(t, 200, "POST", "/v1/sources/"+id+"/remove-reports", map[string]any{"since": since})
	assert.Equal(t, "removed", removed.get(t, "slices"), any(float64(filed)))
	assert.Equal(t, "left", len(o.slices(t)), 0)
}

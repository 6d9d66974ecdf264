package suite

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// TestTortureNotices: while one server or two nodes are killed under load, every comment is told once to the
// reporter of the report, and to nobody twice.
func TestTortureNotices(t *testing.T) {
	ownServers(t, []string{"--rate-limit", "off"}, func(t *testing.T, s *server) {
		nodes := []*server{s}
		if s.engine == "postgres" {
			two := s.node()
			two.start(t)
			defer func() { two.kill() }()
			nodes = append(nodes, two)
		}
		tortureNotices(t, newOrg(t, s, "told"), nodes)
	})
}

// tortureNotices comments on reports by several clients, while it kills the nodes, and compares what was told with the
// comments.
func tortureNotices(t *testing.T, o org, nodes []*server) {
	t.Helper()
	const clients = 8
	each := sized(25, 1250)
	commenter, _ := o.newUser(t, "commenter", o.Workspace)
	var work sync.WaitGroup
	for i := range clients {
		slice := o.slice(t, o.Workspace, nil)["id"].(string)
		l := ledger{c: client{nodes[i%len(nodes)], commenter.token}}
		work.Go(func() {
			for n := range each {
				l.insist(t, 201, "POST", "/v1/slices/"+slice+"/comments",
					map[string]any{"body": fmt.Sprintf("%d of %d", n, i)},
					"Idempotency-Key", fmt.Sprintf("%d of %d", n, i))
			}
		})
	}
	written := make(chan struct{})
	go func() { work.Wait(); close(written) }()
	for n := 0; ; n++ {
		node := nodes[n%len(nodes)]
		select {
		case <-time.After(time.Duration(150+rand.IntN(350)) * time.Millisecond):
			if n < max(rounds(), 2*len(nodes)) {
				node.kill()
				node.start(t)
			}
			continue
		case <-written:
		}
		break
	}
	told, begin := map[string]int{}, time.Now()
	for deadline := begin.Add(90 * time.Second); len(told) < clients*each; time.Sleep(100 * time.Millisecond) {
		if told = o.toldComments(t); time.Now().After(deadline) {
			t.Fatalf("%d of %d comments were told in 90 s", len(told), clients*each)
		}
	}
	t.Logf("%d comments, the last of which was told %s after they were written", clients*each, time.Since(begin))
	time.Sleep(time.Second) // somebody who tells twice does so then
	told = o.toldComments(t)
	assert.Equal(t, "comments that were told", len(told), clients*each)
	for comment, n := range told {
		if n != 1 {
			t.Errorf("the comment %s was told %d times", comment, n)
		}
	}
}

// toldComments returns how often each comment was told to the owner.
func (o org) toldComments(t *testing.T) map[string]int {
	t.Helper()
	all, cursor := map[string]int{}, ""
	for {
		page := o.want(t, 200, "GET", "/v1/notices?limit=100"+cursor, nil)
		for _, row := range page.get(t, "data").([]any) {
			event := row.(map[string]any)["event"].(map[string]any)
			all[event["comment"].(map[string]any)["id"].(string)]++
		}
		next, _ := page.get(t, "pagination.cursor").(string)
		if next == "" {
			return all
		}
		cursor = "&cursor=" + next
	}
}

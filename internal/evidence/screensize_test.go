package evidence

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestScreenIsFast: a page of 250,000 nodes, of which 100,000 are removed and added again in the most unfavourable order
// (1,000,000 in make sizes), is read within seconds, and more nodes than the limit are left out.
func TestScreenIsFast(t *testing.T) {
	begin := time.Now()
	var b strings.Builder
	const first, all = 10, maxScreenNodes - 10
	for i := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":3,"id":%d,"textContent":"x"}`, first+i)
	}
	var s Screen
	s.Apply([]byte(page(element(9, "ul", "", b.String()))))
	if n := len(s.nodes); n < all || s.IsPartial() {
		t.Fatalf("%d nodes", n)
	}
	const each = 20_000
	rounds := 5
	if os.Getenv("BUGSLICE_TEST_FULL") != "" {
		rounds *= 10
	}
	for round := range rounds {
		removes, adds := make([]string, each), make([]string, each)
		for i := range each {
			id := first + (round*each+i)%all
			removes[i] = fmt.Sprintf(`{"id":%d}`, id)
			next := "null"
			if i+1 < each { // each waits for the one that follows it
				next = fmt.Sprint(first + (round*each+i+1)%all)
			}
			adds[i] = fmt.Sprintf(`{"parentId":9,"nextId":%s,"node":{"type":3,"id":%d,"textContent":"y"}}`, next, id)
		}
		s.Apply([]byte(fmt.Sprintf(`{"type":3,"data":{"source":0,"removes":[%s],"adds":[%s]}}`, strings.Join(removes, ","),
			strings.Join(adds, ","))))
	}
	lines := s.Text()
	if n := len(s.nodes); n < all || len(lines) != 1 || s.nodes[first].text != "y" {
		t.Errorf("%d nodes, %d lines", n, len(lines))
	}
	for i := range 20 { // beyond the limit
		s.Apply([]byte(fmt.Sprintf(`{"type":3,"data":{"source":0,"adds":[{"parentId":9,"node":{"type":3,"id":%d}}]}}`, 900_000+i)))
	}
	if n := len(s.nodes); n > maxScreenNodes || !s.IsPartial() {
		t.Errorf("%d nodes, partial: %v", n, s.IsPartial())
	}
	if took := time.Since(begin); took > 60*time.Second {
		t.Errorf("took %v", took)
	} else {
		t.Logf("took %v", took)
	}
}

// TestScreenOfRepeatedAdds: additions that wait for a node of another parent are not tried again each time the node is
// added anew.
func TestScreenOfRepeatedAdds(t *testing.T) {
	const n = 20_000
	var s Screen
	s.Apply([]byte(page(element(9, "ul", "", "") + "," + element(8, "ol", "", ""))))
	var adds []string
	for i := range n {
		adds = append(adds, fmt.Sprintf(`{"parentId":9,"nextId":7,"node":{"type":3,"id":%d,"textContent":"x"}}`, 100+i))
	}
	for range n {
		adds = append(adds, `{"parentId":8,"nextId":null,"node":{"type":3,"id":7,"textContent":"y"}}`)
	}
	begin := time.Now()
	s.Apply([]byte(fmt.Sprintf(`{"type":3,"data":{"source":0,"removes":[],"adds":[%s]}}`, strings.Join(adds, ","))))
	if d := time.Since(begin); d > 3*time.Second { // one after the other it took 20 s
		t.Errorf("it takes %s", d)
	}
}

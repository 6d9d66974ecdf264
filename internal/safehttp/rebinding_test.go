package safehttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers each question for an IPv4 address with the next address, and the last one again and again.
func nameServer(t *testing.T, addresses ...[4]byte) (*net.Resolver, *atomic.Int64) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	var asked atomic.Int64
	go func() {
		for buffer := make([]byte, 512); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				next := min(int(asked.Add(1)), len(addresses)) - 1
				m.Answers = []dnsmessage.Resource{{Body: &dnsmessage.AResource{A: addresses[next]},
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}}}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}, &asked
}

// TestRebinding: a public name that leads to an address that is not, at once or after it has led to another one, reaches
// nothing.
func TestRebinding(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server was reached") }))
	defer s.Close()
	for what, addresses := range map[string][][4]byte{
		"this machine": {{127, 0, 0, 1}}, "metadata": {{169, 254, 169, 254}}, "private": {{10, 0, 0, 1}},
		"changes": {{192, 0, 2, 1}, {127, 0, 0, 1}},
	} {
		p := policy(t)
		resolver, asked := nameServer(t, addresses...)
		p.dialer.Resolver = resolver
		c := p.Client(2 * time.Second)
		for range addresses {
			address, err := p.Address("https://rebind.example.com/client.json")
			if err != nil {
				t.Fatal(err)
			}
			res, err := c.Get(address)
			if err == nil {
				_ = res.Body.Close()
			}
			if !errors.Is(err, ErrNotAllowed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := asked.Load(); n < int64(len(addresses)) {
			t.Errorf("%s: the name server was asked %d times", what, n)
		}
	}
}

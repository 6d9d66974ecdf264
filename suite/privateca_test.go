package suite

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// newPrivateReceiver starts a receiver whose certificate is from an authority of its own, and returns the file with
// that.
func newPrivateReceiver(t *testing.T) (*receiver, string) {
	t.Helper()
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	signed, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey)
	must(t, err)
	rc := &receiver{}
	rc.Server = httptest.NewUnstartedServer(rc)
	rc.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	rc.StartTLS()
	t.Cleanup(func() { rc.CloseClientConnections(); rc.Close() })
	file := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600))
	return rc, file
}

// TestPrivateAuthority: a receiver with a certificate of a private authority gets deliveries when SSL_CERT_FILE or
// SSL_CERT_DIR of the server names the authority, and none otherwise.
func TestPrivateAuthority(t *testing.T) {
	t.Parallel()
	for name, variable := range map[string]func(file string) []string{
		"no variable":   func(string) []string { return nil },
		"SSL_CERT_FILE": func(file string) []string { return []string{"SSL_CERT_FILE=" + file} },
		"SSL_CERT_DIR":  func(file string) []string { return []string{"SSL_CERT_DIR=" + filepath.Dir(file)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rc, file := newPrivateReceiver(t)
			s := newServer(t, "sqlite", t.TempDir(), "--webhook-allow", "127.0.0.1")
			s.env = variable(file)
			s.start(t)
			defer s.kill()
			o := newOrg(t, s, "private")
			id, _ := o.hook(t, rc.URL)
			got := o.want(t, 200, "POST", "/v1/webhooks/"+id+"/test", nil)
			if s.env != nil {
				got.has(t, members{"delivered": true})
				return
			}
			got.has(t, members{"delivered": false, "attempt.error": "tls"})
			if n := len(rc.messages()); n != 0 {
				t.Errorf("%d messages arrived", n)
			}
		})
	}
}

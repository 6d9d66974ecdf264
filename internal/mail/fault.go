package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// Fault says what was wrong at an attempt that has not sent a mail, for the person who set the server. It is empty without one.
type Fault string

// The faults.
const (
	UnknownHost    Fault = "unknown_host"    // the name of the server has no address
	NoConnection   Fault = "no_connection"   // nothing accepts connections there
	NoAnswer       Fault = "no_answer"       // the server has not answered in time
	NotEncrypted   Fault = "not_encrypted"   // there is no TLS, or the certificate is not that of the server
	SignInRefused  Fault = "sign_in_refused" // the user or the password is wrong, or the server knows no sign-in
	SenderRefused  Fault = "sender_refused"
	AddressRefused Fault = "address_refused"
	MailRefused    Fault = "mail_refused" // its text, after both addresses were accepted
	OtherFault     Fault = "other"
)

// Faults are all faults.
var Faults = []Fault{UnknownHost, NoConnection, NoAnswer, NotEncrypted, SignInRefused, SenderRefused, AddressRefused, MailRefused,
	OtherFault}

// faultOfNetwork returns what is wrong with a connection, or otherwise when the network is not at fault.
func faultOfNetwork(err error, otherwise Fault) Fault {
	if name, ok := errors.AsType[*net.DNSError](err); ok && !name.Timeout() {
		return UnknownHost
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return NoAnswer
	}
	if isTLS(err) {
		return NotEncrypted
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		return NoConnection
	}
	return otherwise
}

// faultOfDial returns what was wrong until the server takes mails. The library names its step by the text of the error alone.
func faultOfDial(err error) Fault {
	text := err.Error()
	code, _ := replyOf(err)
	for _, missing := range []error{gomail.ErrNoSupportedAuthDiscovered, gomail.ErrPlainAuthNotSupported} {
		if errors.Is(err, missing) {
			return SignInRefused
		}
	}
	switch {
	case strings.Contains(text, "SMTP AUTH"):
		return faultOfNetwork(err, SignInRefused)
	case strings.HasPrefix(text, "STARTTLS mode"), code == 454: // which means that TLS is not available (RFC 3207)
		return NotEncrypted
	}
	return faultOfNetwork(err, OtherFault)
}

// isTLS reports whether an error is one of encryption.
func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	_, ok := errors.AsType[tls.AlertError](err)
	return ok || strings.Contains(err.Error(), "tls: ")
}

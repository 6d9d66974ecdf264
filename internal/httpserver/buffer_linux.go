package httpserver

import (
	"net"
	"syscall"
)

const tcpNotSentLowat = 25 // TCP_NOTSENT_LOWAT, which package syscall lacks

// setUnsentLimit makes writes wait while more than this many bytes are unsent, so that the time that they wait shows
// the rate of the client.
func setUnsentLimit(c *net.TCPConn, unsent int) {
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat,
				unsent)
		})
	}
}

package httpserver

import (
	"net"
	"syscall"
)

const tcpNotSentLowat = 25 // TCP_NOTSENT_LOWAT, which package syscall lacks

// setUnsentLimit lets the system accept more of a response as soon as fewer bytes than unsent wait to be
// sent, so that the rate of the client shows in small steps.
func setUnsentLimit(c *net.TCPConn, unsent int) {
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, unsent) })
	}
}

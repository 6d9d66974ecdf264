package httpapi

import (
	"net"
	"syscall"
)

const tcpNotSentLowat = 25 // TCP_NOTSENT_LOWAT, which package syscall does not name

// wakeEarly has the system take more of an answer as soon as little of it waits to be sent, so that a
// client's pace shows in small steps.
func wakeEarly(c *net.TCPConn, unsent int) {
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, unsent) })
	}
}

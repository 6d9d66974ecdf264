//go:build !linux

package httpapi

import "net"

func wakeEarly(*net.TCPConn, int) {}

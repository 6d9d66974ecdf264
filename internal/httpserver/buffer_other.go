//go:build !linux

package httpserver

import "net"

func setUnsentLimit(*net.TCPConn, int) {}

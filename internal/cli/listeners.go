package cli

import (
	"fmt"
	"net"
)

// listeners are the ports that a node serves on; metrics is nil when off.
type listeners struct{ api, metrics net.Listener }

// listen opens the ports. After an error, the caller closes the ports that it has opened.
func listen(api, metrics string) (lis listeners, err error) {
	if lis.api, err = listenOn("listen", api); err == nil && metrics != "" {
		lis.metrics, err = listenOn("metrics-listen", metrics)
	}
	return lis, err
}

func listenOn(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; --%s or %s names another address", address, err, flag,
			variable(flag))
	}
	return l, nil
}

func (lis listeners) close() {
	for _, l := range []net.Listener{lis.api, lis.metrics} {
		if l != nil {
			_ = l.Close()
		}
	}
}

package command_test

import (
	"bufio"
	"fmt"
	"maps"
	"os/exec"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// keyring starts a bus of a session with a Secret Service, of which each item is readable as the file of a script:
// keyring COUNT requires so many items.
func keyring(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 1 {
		service := ts.Value(secretsKey{}).(*secrets)
		service.mu.Lock()
		defer service.mu.Unlock()
		if n := fmt.Sprint(len(service.items)); n != args[0] {
			ts.Fatalf("%s items, want %s", n, args[0])
		}
		return
	}
	daemon := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address")
	out, err := daemon.StdoutPipe()
	ts.Check(err)
	ts.Check(daemon.Start())
	ts.Defer(func() { _ = daemon.Process.Kill(); _ = daemon.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	address = strings.TrimSpace(address)
	conn, err := dbus.Connect(address)
	ts.Check(err)
	ts.Defer(func() { _ = conn.Close() })
	service := ts.Value(secretsKey{}).(*secrets)
	service.conn = conn
	const root = "/org/freedesktop/secrets"
	ts.Check(conn.Export(service, root, "org.freedesktop.Secret.Service"))
	ts.Check(conn.Export(service, root+"/aliases/default", "org.freedesktop.Secret.Collection"))
	ts.Check(conn.Export(service, root+"/session/1", "org.freedesktop.Secret.Session"))
	_, err = conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue)
	ts.Check(err)
	ts.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
}

// secretsKey is the key of the Secret Service of a story.
type secretsKey struct{}

// secrets is a Secret Service, whose secrets are not encrypted on their way.
type secrets struct {
	conn  *dbus.Conn
	mu    sync.Mutex
	items map[dbus.ObjectPath]secretItem
	made  int
}

type secretItem struct {
	attributes map[string]string
	secret     secret
}

type secret struct {
	Session           dbus.ObjectPath
	Parameters, Value []byte
	ContentType       string
}

const noPrompt = dbus.ObjectPath("/")

func (s *secrets) OpenSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), "/org/freedesktop/secrets/session/1", nil
}

func (s *secrets) Close() *dbus.Error { return nil }

func (s *secrets) Unlock(objects []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	return objects, noPrompt, nil
}

func (s *secrets) CreateItem(properties map[string]dbus.Variant, value secret, _ bool) (
	dbus.ObjectPath, dbus.ObjectPath, *dbus.Error,
) {
	s.mu.Lock()
	defer s.mu.Unlock()
	attributes := properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
	path := s.find(attributes)
	if path == "" {
		s.made++
		path = dbus.ObjectPath(fmt.Sprintf("/org/freedesktop/secrets/item/%d", s.made))
	}
	s.items[path] = secretItem{attributes, value}
	err := s.conn.Export(exportedItem{s, path}, path, "org.freedesktop.Secret.Item")
	if err != nil {
		return "", "", dbus.MakeFailedError(err)
	}
	return path, noPrompt, nil
}

func (s *secrets) find(attributes map[string]string) dbus.ObjectPath {
	for path, item := range s.items {
		if maps.Equal(item.attributes, attributes) {
			return path
		}
	}
	return ""
}

func (s *secrets) SearchItems(attributes map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.find(attributes); path != "" {
		return []dbus.ObjectPath{path}, nil
	}
	return []dbus.ObjectPath{}, nil
}

// exportedItem is an item on the bus.
type exportedItem struct {
	s    *secrets
	path dbus.ObjectPath
}

func (i exportedItem) GetSecret(session dbus.ObjectPath) (secret, *dbus.Error) {
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	value := i.s.items[i.path].secret
	value.Session = session
	return value, nil
}

func (i exportedItem) Delete() (dbus.ObjectPath, *dbus.Error) {
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	delete(i.s.items, i.path)
	return noPrompt, nil
}

package command

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"bugslice/client"
)

// deviceToken returns the token of a key that the user allows in a browser.
func (s *session) deviceToken(ctx context.Context, address string, f loginFlags) (string, error) {
	scopes, err := parseScopes("--scopes", f.scopes)
	if err != nil {
		return "", err
	}
	if _, err := newClient(address, "none"); err != nil { // an address that is none
		return "", err
	}
	host, _ := os.Hostname()
	token, err := client.DeviceLogin(ctx, address, client.DeviceLoginOptions{Host: host, Scopes: scopes,
		Show: func(p client.DevicePrompt) {
			if !strings.HasPrefix(p.Address, address+"/") {
				s.tell("The server calls itself by another address than %s. If the page does not open, open %s/device, "+
					"and ask the operator to set --base-url.", address, address)
			}
			s.showCode(ctx, p, address, !f.noBrowser && s.isInteractive())
			s.tell("Waiting, for at most %d minutes. Ctrl-C ends it.", int(p.ExpiresIn.Round(time.Minute)/time.Minute))
		}})
	return token.Token, deviceFailure(err, address)
}

// showCode tells the user where to enter which code. It opens the browser with both when it may.
func (s *session) showCode(ctx context.Context, p client.DevicePrompt, server string, mayOpen bool) {
	s.tell("Your code: %s", p.Code)
	if mayOpen && openBrowser(ctx, s.variables, server, p.Complete) {
		s.tell("Opened %s in the browser: compare the code there, and allow it.", p.Address)
	} else {
		s.tell("Open %s in a browser, and enter the code.", p.Address)
	}
}

// deviceFailure returns the error of a sign-in by a code with what to do.
func deviceFailure(err error, address string) error {
	byToken := "create a key at " + address + "/settings/keys/new, and give its token to bugslice auth login " +
		"--with-token on standard input"
	switch {
	case errors.Is(err, client.ErrDenied):
		return &Failure{codeSignIn, errors.New("the request was denied in the browser"),
			"when that was a mistake, run bugslice auth login again"}
	case errors.Is(err, client.ErrExpired):
		return &Failure{codeSignIn, errors.New("the code has expired before anybody has entered it"),
			"run bugslice auth login again"}
	case errors.Is(err, client.ErrNoDeviceUse):
		return &Failure{codeFailed, errors.New("there is no sign-in by a code at " + address),
			"check the address; when it is right, " + byToken}
	case errors.Is(err, context.Canceled):
		return &Failure{codeInterrupted, errors.New("interrupted: nobody is signed in"),
			"run bugslice auth login again"}
	}
	return err
}

package mailtest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
)

// Talk starts a mail server that answers each command as answers say, by its first word, and every other one as a server that
// takes all mails. "CONNECT" is what it says first, and "." what it says to a complete mail. It knows as many commands as answers
// have, so that it can refuse a sign-in, or offer a STARTTLS that fails. end closes it.
func Talk(answers map[string]string) (address string, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go talk(c, answers)
		}
	}()
	return listener.Addr().String(), func() { _ = listener.Close() }, nil
}

// usual is what a server says that takes all mails.
var usual = map[string]string{"CONNECT": "220 mail.test", "DATA": "354 go on", ".": "250 2.0.0 queued as 4711", "QUIT": "221 bye"}

func talk(c net.Conn, answers map[string]string) {
	defer func() { _ = c.Close() }()
	say := func(word string) bool {
		answer, ok := answers[word]
		if !ok {
			answer, ok = usual[word]
		}
		if !ok {
			answer = "250 ok"
		}
		_, err := fmt.Fprintf(c, "%s\r\n", answer)
		return err == nil && !strings.HasPrefix(answer, "4") && !strings.HasPrefix(answer, "5")
	}
	if !say("CONNECT") {
		return
	}
	lines, text := bufio.NewScanner(c), false
	for lines.Scan() {
		word, _, _ := strings.Cut(strings.ToUpper(lines.Text()), " ")
		switch {
		case text && lines.Text() != ".":
			continue
		case text:
			text, word = false, "."
		}
		if accepted := say(word); word == "DATA" {
			text = accepted
		}
	}
}

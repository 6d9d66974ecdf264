// Command recordings compares what two versions answered to the same requests:
//
//	recordings BEFORE AFTER [FURTHER RECORDINGS OF BEFORE…]
//
// A recording is a file that the suite writes with BUGSLICE_TEST_RECORD. A request that only one of them has is counted
// and left out: some tests send random input. A request is answered differently when AFTER has a response that no
// recording of BEFORE has, or lacks one that all of them have. Responses that depend on chance, which only some
// recordings of BEFORE have, make no difference.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// recording holds the responses to each request.
type recording map[string]map[string]bool

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: recordings BEFORE AFTER [FURTHER RECORDINGS OF BEFORE…]")
		os.Exit(2)
	}
	different, err := compare(os.Stdout, os.Args[1], os.Args[2], os.Args[3:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "recordings:", err)
		os.Exit(2)
	}
	if different > 0 {
		os.Exit(1)
	}
}

// compare writes the differences between the recordings before and one after, then a summary. It returns how many
// requests are answered differently: after has a response that no recording before has, or lacks one that all of them
// have.
func compare(out io.Writer, before, after string, further ...string) (different int, err error) {
	older := make([]recording, 1+len(further))
	for i, name := range append([]string{before}, further...) {
		if older[i], err = read(name); err != nil {
			return 0, err
		}
	}
	newer, err := read(after)
	if err != nil {
		return 0, err
	}
	common := 0
	for _, request := range slices.Sorted(maps.Keys(newer)) {
		inAny, inAll := responses(older, request)
		if len(inAny) == 0 {
			continue
		}
		common++
		added := missing(newer[request], inAny)
		lost := missing(inAll, newer[request])
		if len(added)+len(lost) > 0 {
			different++
			show(out, request, lost, added)
		}
	}
	_, err = fmt.Fprintf(out, "%d requests before, %d after, %d in common, of which %d are answered differently\n",
		len(older[0]), len(newer), common, different)
	return different, err
}

// responses returns the responses that any of the recordings has for a request, and those that all of them have.
func responses(recordings []recording, request string) (inAny, inAll map[string]bool) {
	inAny, inAll = map[string]bool{}, maps.Clone(recordings[0][request])
	for _, r := range recordings {
		maps.Copy(inAny, r[request])
		maps.DeleteFunc(inAll, func(response string, _ bool) bool { return !r[request][response] })
	}
	return inAny, inAll
}

// missing returns the responses of a recording that another one lacks, in order.
func missing(responses, from map[string]bool) (lines []string) {
	for _, line := range slices.Sorted(maps.Keys(responses)) {
		if !from[line] {
			lines = append(lines, line)
		}
	}
	return lines
}

func show(out io.Writer, request string, lost, added []string) {
	fmt.Fprintln(out, request)
	for _, line := range lost {
		fmt.Fprintln(out, "  -", line)
	}
	for _, line := range added {
		fmt.Fprintln(out, "  +", line)
	}
}

// read reads a file of recorded exchanges, and refuses a line that is none.
func read(name string) (recording, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := recording{}
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		request, response, ok := split(strings.TrimSuffix(line, "\n"))
		if !ok {
			return nil, fmt.Errorf("%s: not an exchange: %.200q", name, line)
		}
		if r[request] == nil {
			r[request] = map[string]bool{}
		}
		r[request][response] = true
	}
}

// split divides a line into a request, which ends with a list of quoted headers and a quoted body, and its response.
func split(line string) (request, response string, ok bool) {
	_, rest, ok := strings.Cut(line, " [")
	for ok && !strings.HasPrefix(rest, "] ") {
		header, err := strconv.QuotedPrefix(strings.TrimPrefix(rest, " "))
		rest, ok = strings.TrimPrefix(rest, " ")[len(header):], err == nil
	}
	rest = strings.TrimPrefix(rest, "] ")
	body, err := strconv.QuotedPrefix(rest)
	if !ok || err != nil {
		return "", "", false
	}
	response, ok = strings.CutPrefix(rest[len(body):], " -> ")
	return strings.TrimSuffix(line, " -> "+response), response, ok
}

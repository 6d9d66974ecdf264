package github

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Read reads the files and returns the issues as reports, oldest first.
func Read(s Source) (reports []Report, skipped Skipped, err error) {
	issues, err := readPages[issue](s.Issues, "issue")
	if err != nil {
		return nil, skipped, err
	}
	for i, one := range issues {
		if err := s.checkIssue(one); err != nil {
			return nil, skipped, fmt.Errorf("issue %d of the file: %w", i+1, err)
		}
	}
	comments, err := s.readComments(&skipped)
	if err != nil {
		return nil, skipped, err
	}
	seen := map[int64]bool{}
	for _, one := range issues {
		switch {
		case seen[one.Number]:
			skipped.Repeated++
		case one.PullRequest != nil:
			skipped.PullRequests++
		default:
			ofIssue := comments[one.Number]
			sortByTime(ofIssue, func(c comment) time.Time { return c.CreatedAt })
			reports = append(reports, one.report(s.Repository, ofIssue))
			delete(comments, one.Number)
		}
		seen[one.Number] = true
	}
	for _, others := range comments {
		skipped.OtherComments += len(others)
	}
	filedAt := func(r Report) time.Time { return r.FiledAt }
	sortByTime(reports, filedAt)
	for i := range reports {
		reports[i].Position = position(reports[:i], reports[i].FiledAt, filedAt)
	}
	return reports, skipped, nil
}

// sortByTime sorts records that a file has in the order of their time, or the other way round, oldest first. Those of
// one time keep the order of the file.
func sortByTime[T any](all []T, at func(T) time.Time) {
	if n := len(all); n > 0 && at(all[n-1]).Before(at(all[0])) {
		slices.Reverse(all)
	}
	slices.SortStableFunc(all, func(a, b T) int { return at(a).Compare(at(b)) })
}

// maxPosition bounds the comparisons; an id has no higher position.
const maxPosition = 4095

// position returns how many of the records before have the same time. They are sorted by it.
func position[T any](before []T, t time.Time, at func(T) time.Time) (n int) {
	for n < min(len(before), maxPosition) && at(before[len(before)-1-n]).Equal(t) {
		n++
	}
	return n
}

// checkIssue refuses an object that is no issue, and an issue of another repository.
func (s *Source) checkIssue(one issue) error {
	if one.Number < 1 || strings.TrimSpace(withoutNUL(one.Title)) == "" || one.CreatedAt.Before(time.UnixMilli(0)) {
		return errors.New("it lacks a number, title or created_at: " +
			"is the file a response of GET /repos/OWNER/REPOSITORY/issues?state=all?")
	}
	for _, address := range []string{one.HTMLURL, one.RepositoryURL} {
		if address == "" {
			continue
		}
		if n, err := s.issueNumber(address); err != nil {
			return fmt.Errorf("#%d: %w", one.Number, err)
		} else if n != 0 && n != one.Number {
			return fmt.Errorf("#%d: its html_url says #%d", one.Number, n)
		}
	}
	return nil
}

// readComments reads the comments, and returns them by the numbers of their issues.
func (s *Source) readComments(skipped *Skipped) (map[int64][]comment, error) {
	byIssue := map[int64][]comment{}
	if s.Comments == "" {
		return byIssue, nil
	}
	all, err := readPages[comment](s.Comments, "comment")
	for i, c := range all {
		if c.IssueURL == "" || c.CreatedAt.Before(time.UnixMilli(0)) {
			return nil, fmt.Errorf("comment %d of %s has no issue_url or created_at: "+
				"is the file a response of GET /repos/OWNER/REPOSITORY/issues/comments?", i+1, s.Comments)
		}
		number, err := s.issueNumber(c.IssueURL)
		if err == nil && number == 0 {
			err = errors.New("its issue_url names no issue")
		}
		if err != nil {
			return nil, fmt.Errorf("comment %d of %s: %w", i+1, s.Comments, err)
		}
		if strings.TrimSpace(withoutNUL(c.Body)) == "" {
			skipped.BlankComments++
			continue
		}
		byIssue[number] = append(byIssue[number], c)
	}
	return byIssue, err
}

// readPages decodes the JSON arrays of a file, one for each page of a response, into one list.
func readPages[T any](file, noun string) (all []T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if magic, err := in.Peek(4); err == nil && string(magic) == "PK\x03\x04" {
		return nil, fmt.Errorf("%s: %w", file, ErrZip)
	}
	pages := 0
	for d := json.NewDecoder(decoded(in)); ; pages++ {
		var page json.RawMessage
		if err := d.Decode(&page); errors.Is(err, io.EOF) && pages > 0 {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s is no JSON: %w", file, err)
		}
		items, ok := itemsOf(page)
		if !ok {
			return nil, fmt.Errorf("%s holds no list of %ss%s", file, noun, errorMessage(page))
		}
		for _, raw := range items {
			var item T
			if err := json.Unmarshal(raw, &item); err != nil {
				return nil, fmt.Errorf("%s %d of %s is not as GitHub returns it: %w", noun, len(all)+1, file,
					typeError(err))
			}
			all = append(all, item)
		}
	}
}

// itemsOf returns the items of a page, or of the pages within a list of gh api --slurp.
func itemsOf(page json.RawMessage) (items []json.RawMessage, ok bool) {
	var all []json.RawMessage
	if json.Unmarshal(page, &all) != nil {
		return nil, false
	}
	for _, one := range all {
		var within []json.RawMessage
		if one[0] != '[' {
			items = append(items, one)
		} else if json.Unmarshal(one, &within) == nil {
			items = append(items, within...)
		}
	}
	return items, true
}

// decoded returns JSON in UTF-8 without its byte order mark. Windows writes files in UTF-16, mostly with a mark.
func decoded(in *bufio.Reader) io.Reader {
	fallback := encoding.Nop.NewDecoder()
	if start, err := in.Peek(2); err == nil {
		switch {
		case start[0] == '[' && start[1] == 0:
			fallback = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
		case start[0] == 0 && start[1] == '[':
			fallback = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
		}
	}
	return transform.NewReader(in, unicode.BOMOverride(fallback))
}

// errorMessage returns the message of an error response that was stored instead of a list.
func errorMessage(page json.RawMessage) string {
	var r struct{ Message string }
	if json.Unmarshal(page, &r) != nil || r.Message == "" {
		return ""
	}
	return fmt.Sprintf(": GitHub answered %.200q", r.Message)
}

// typeError names the member with a wrong type, without the names of Go's types.
func typeError(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s must not be a %s", cmp.Or(strings.ToLower(wrong.Field), "it"), wrong.Value)
	}
	return err
}

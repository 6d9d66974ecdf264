package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/ratelimit"
	"bugslice/internal/store"
	"bugslice/internal/store/sources"
	"bugslice/internal/store/uploads"
)

// MaxBody bounds the bytes of a report that is sent at once, also after it was unpacked.
const MaxBody = 10 << 20

// Claim is what a request to send a report says before its body.
type Claim struct {
	Name  string // by which the browser knows the report: random, so that nobody else can name it
	Token string
	Work  string // the answer to the puzzle
}

// Lengths of the name of a report: enough random characters that nobody guesses it.
const (
	minName = 16
	maxName = 255
)

// Admission is a report that may be sent.
type Admission struct {
	server  *Server
	site    Site
	name    string // its digest
	token   submitToken
	used    string // the digest of the token
	charges []ratelimit.Charge
	arrived bool // all of the body
}

// badToken refuses the token of a report, or the answer to its puzzle. A page asks for another token and sends the
// report again.
func badToken(code, detail string) *api.Problem {
	return api.InvalidParameter("Submit-Token", code, detail)
}

// Admit checks a claim, and counts the report against the limits of minutes and hours: of the source, of the origin,
// and of the address. Nothing of the body is read before.
func (s *Server) Admit(site Site, c Claim) (*Admission, error) {
	src := site.source
	if len(c.Name) < minName || len(c.Name) > maxName {
		return nil, api.InvalidParameter("Idempotency-Key", "wrong_form",
			fmt.Sprintf("must be random and have %d to %d characters", minName, maxName))
	}
	t, ok := unseal[submitToken](s.Secrets, tokenPurpose, c.Token)
	age := s.Now().Sub(t.Issued)
	switch {
	case !ok || t.Source != src.ID || t.Origin != site.visit.Origin:
		return nil, s.refuse(src.ID, RefusedToken, badToken("wrong_form",
			"Ask for a token of this source on this page, and send it as Submit-Token."))
	case age > tokenLifetime:
		return nil, s.refuse(src.ID, RefusedToken, badToken("expired", "The token has expired. Ask for another one."))
	case age < Dwell-tolerance:
		p := badToken("too_early", "The report comes too early after its token.")
		p.RetryAfter = Dwell - age
		return nil, s.refuse(src.ID, RefusedDwell, p)
	case t.Bits > 0 && !t.puzzle().SolvedBy(c.Work):
		return nil, s.refuse(src.ID, RefusedWork, badToken("unsolved",
			"Solve the puzzle of the token, and send the answer as Submit-Work."))
	}
	a := &Admission{server: s, site: site, name: hashOf(c.Name), token: t, used: hashOf(c.Token),
		charges: charges(site)}
	if ok, wait := s.budgets.Take(a.charges...); !ok {
		return nil, s.refuse(src.ID, RefusedRate, tooMany(wait))
	}
	return a, nil
}

// tolerance is how much earlier than Dwell a report may come, because clocks of browsers round.
const tolerance = 100 * time.Millisecond

// charges are those of a report: of its source in a minute and an hour; of its origin, which may use half of them
// where several may report, so that one site leaves room for the others; and of its address.
func charges(site Site) []ratelimit.Charge {
	src, l := site.source, site.source.Limits
	all := []ratelimit.Charge{
		{Key: "m " + src.ID, Limit: l.PerMinute, Per: time.Minute},
		{Key: "h " + src.ID, Limit: l.PerHour, Per: time.Hour},
		{Key: "a " + src.ID + " " + ratelimit.ClientKey(site.visit.Address), Limit: l.PerAddressHour, Per: time.Hour},
	}
	if len(src.Origins) > 1 {
		key := src.ID + " " + site.visit.Origin
		all = append(all, ratelimit.Charge{Key: "om " + key, Limit: (l.PerMinute + 1) / 2, Per: time.Minute},
			ratelimit.Charge{Key: "oh " + key, Limit: (l.PerHour + 1) / 2, Per: time.Hour})
	}
	return all
}

// Close takes the report out of the counts of minutes and hours when it did not arrive, or could not be stored: err
// is that with which it ended. What was refused for what it is stays counted.
func (a *Admission) Close(err error) {
	p, ok := errors.AsType[*api.Problem](err)
	if isTooLarge := ok && p.Code == api.CodeTooLarge; err != nil && !isTooLarge && (!a.arrived || !ok ||
		p.Status >= 500) {
		a.server.budgets.Return(a.charges...)
	}
}

// TooLarge refuses a report that has more bytes than MaxBody, as they are sent or unpacked.
func (a *Admission) TooLarge() error {
	p := api.NewProblem(api.CodeTooLarge, fmt.Sprintf(
		"A report may have at most %d KiB at once. Send its evidence in pieces.", a.MaxBody()>>10))
	return a.server.refuse(a.site.source.ID, RefusedSize, p)
}

// MaxBody returns the bytes of the report that are read at most.
func (a *Admission) MaxBody() int64 { return min(MaxBody, a.site.source.MaxReportBytes) }

// Caller returns the caller for which the memory of the body is reserved.
func (a *Admission) Caller() access.Caller {
	return access.Caller{Organization: api.OrganizationRef{ID: a.site.source.OrgID}, Request: a.site.visit.request()}
}

// Receipt is what a visitor gets for a report.
type Receipt struct {
	// Allows to add files to the report.
	Receipt string `json:"receipt"`
	// The time after which no file is taken.
	ExpiresAt api.Time `json:"expiresAt"`
	// The address of the page of the report, for its reporter alone; missing when the source has no such pages.
	ReporterURL string `json:"reporterUrl,omitempty"`
}

// envelope is the body of a request.
type envelope struct {
	Report   json.RawMessage `json:"report"`
	Reporter Reporter        `json:"reporter"`
	Website  string          `json:"website"`
}

// Report files a report, or lets it wait for approval, and returns its receipt. A report that was received before has
// the same receipt again, and changes nothing. Memory is that of the body.
func (a *Admission) Report(ctx context.Context, body []byte, memory *admission.Reservation) (Receipt, error) {
	s, src := a.server, a.site.source
	a.arrived = true
	known, err := s.rights.Read(ctx).Uploads().Report(src.ID, a.name)
	if err == nil && known.Subject != "" {
		s.budgets.Return(a.charges...)
		return s.receiptOf(ctx, known)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Receipt{}, err
	}
	visitor, in, err := a.read(ctx, body, memory)
	if err != nil {
		return Receipt{}, err
	}
	known, err = a.take(ctx, int64(len(body)))
	if err != nil {
		return Receipt{}, err
	}
	if known.Subject == "" {
		known.Subject, known.Occurrence, err = s.file(ctx, a.site, visitor, in)
		if err == nil {
			err = access.SystemChange(ctx, s.authority,
				func(tx *access.Tx) error { return tx.Uploads().SetSubject(known) })
		}
	}
	if err != nil {
		return Receipt{}, err
	}
	return s.receiptOf(ctx, known)
}

// take stores that a report was received, and counts it against the limits of the day, unless it was received before.
// It refuses a token that was used for another report.
func (a *Admission) take(ctx context.Context, bytes int64) (uploads.Report, error) {
	s, src := a.server, a.site.source
	report, err := access.SystemWrite(ctx, s.authority, func(tx *access.Tx) (uploads.Report, error) {
		w := tx.Uploads()
		if err := w.UseToken(a.used, a.name, api.At(a.token.expires())); err != nil {
			return uploads.Report{}, err
		}
		r, added, err := w.AddReport(uploads.Report{SourceID: src.ID, Name: a.name, ReceivedAt: s.clock()})
		if err != nil || !added {
			return r, err
		}
		ok, err := tx.Sources().Take(&src, s.clock(), bytes)
		if err == nil && !ok {
			err = errFull
		}
		return r, err
	})
	switch {
	case errors.Is(err, uploads.ErrUsed):
		return report, s.refuse(src.ID, RefusedToken, badToken("used",
			"The token was used for another report. Ask for another one."))
	case errors.Is(err, errFull):
		return report, s.full(src)
	}
	return report, err
}

var errFull = errors.New("intake: the day of the source is full")

// full refuses a report beyond the limits of the day.
func (s *Server) full(src sources.Source) error {
	now := s.Now()
	p := api.NewProblem(api.CodeRateLimited, "This source takes no more reports today.")
	p.RetryAfter = now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	return s.refuse(src.ID, RefusedDay, p)
}

func (s *Server) receiptOf(ctx context.Context, r uploads.Report) (Receipt, error) {
	out := receipt{Source: r.SourceID, Subject: r.Subject, Occurrence: r.Occurrence,
		Expires: s.Now().Add(receiptLifetime)}
	text, err := seal(s.Secrets, receiptPurpose, out)
	if err != nil {
		return Receipt{}, err
	}
	page, err := s.Tracker.Visitors().PageURL(ctx, r.SourceID, r.Name)
	return Receipt{Receipt: text, ExpiresAt: api.At(out.Expires), ReporterURL: page}, err
}

// read validates a body.
func (a *Admission) read(ctx context.Context, body []byte, memory *admission.Reservation) (api.Visitor,
	input.Valid[api.CreateSlice], error) {
	var none input.Valid[api.CreateSlice]
	s, src := a.server, a.site.source
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || len(bytes.TrimSpace(e.Report)) == 0 {
		return api.Visitor{}, none, s.refuse(src.ID, RefusedReport, api.NewProblem(api.CodeInvalidBody,
			`Send {"report": …} with the members of a new slice.`))
	}
	if e.Website != "" {
		return api.Visitor{}, none, s.refuse(src.ID, RefusedHoneypot, api.NewProblem(api.CodeInvalidBody,
			"The field website is for programs that fill every field. It must be empty."))
	}
	visitor, typed, err := s.visitor(ctx, a.site, e.Reporter)
	if err != nil {
		return visitor, none, err
	}
	in, err := a.bind(ctx, restrict(src, e.Report, typed), memory)
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status < 500 {
		err = s.refuse(src.ID, RefusedReport, p)
	}
	return visitor, in, err
}

// largeReport is the size in bytes from which a report is validated in a slot of the organisation.
const largeReport = 8 << 10

// bind validates a report by the rules of CreateSlice. Its name makes a repetition safe that comes after a crash.
func (a *Admission) bind(ctx context.Context, report []byte,
	memory *admission.Reservation) (v input.Valid[api.CreateSlice], err error) {
	if err := memory.StartProcessing(ctx, evidence.Size(report)); err != nil {
		return v, err
	}
	if len(report) >= largeReport {
		slot, err := a.server.Tracker.AcquireSlot(ctx, a.Caller())
		if err != nil {
			return v, err
		}
		defer slot.Release()
	}
	v, err = input.Bind[api.CreateSlice](input.Source{Body: report, Header: http.Header{"Idempotency-Key": {a.name}}})
	if p, ok := errors.AsType[*api.Problem](err); ok {
		inReport := *p
		inReport.Errors = slices.Clone(p.Errors)
		for n, f := range inReport.Errors {
			if f.Pointer != "" {
				inReport.Errors[n].Pointer = "/report" + f.Pointer
			}
		}
		return v, &inReport
	}
	return v, err
}

// visitorsMembers are the members of a report that a visitor sets. Where it goes and how it is labelled is said by
// the source.
var visitorsMembers = []string{"summary", "description", "sourceUrl", "environment", "metadata", "fingerprint",
	"evidence"}

// evidenceParts are what a source records, by the members of the evidence.
var evidenceParts = map[string]api.CapturePart{"console": api.CaptureConsole, "network": api.CaptureNetwork,
	"actions": api.CaptureActions, "replay": api.CaptureReplay}

const maxMetadata = 50 // names

// restrict returns a report with what a visitor may say and the source records. What is no object is left to the
// validation.
func restrict(src sources.Source, report []byte, typedEmail string) []byte {
	var all map[string]json.RawMessage
	if json.Unmarshal(report, &all) != nil || all == nil {
		return report
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return !slices.Contains(visitorsMembers, name) })
	records := func(part api.CapturePart) bool { return slices.Contains(src.Captures, part) }
	var evidence map[string]json.RawMessage
	if json.Unmarshal(all["evidence"], &evidence) == nil && evidence != nil {
		maps.DeleteFunc(evidence, func(name string, _ json.RawMessage) bool {
			part, known := evidenceParts[name]
			return known && !records(part)
		})
		all["evidence"] = marshal(evidence)
	}
	if !records(api.CaptureMetadata) {
		delete(all, "metadata")
	}
	if typedEmail != "" {
		metadata := map[string]json.RawMessage{}
		if text, ok := all["metadata"]; !ok || json.Unmarshal(text, &metadata) == nil && len(metadata) < maxMetadata {
			if metadata == nil { // null
				metadata = map[string]json.RawMessage{}
			}
			metadata["reporter.email"] = marshal(typedEmail)
			all["metadata"] = marshal(metadata)
		}
	}
	return marshal(all)
}

// marshal returns the JSON of texts and of JSON that was read.
func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprint("intake: ", err))
	}
	return text
}

// visitor returns who a visitor is: the identity that the site has signed, or else what was typed. A signature that
// does not hold is refused, and so is an identity without one where the source wants it. Beside a signed identity,
// typed is the address that the visitor gave.
func (s *Server) visitor(ctx context.Context, site Site, who Reporter) (v api.Visitor, typed string, err error) {
	src := site.source
	v = api.Visitor{SourceID: &src.ID, SourceName: src.Name, Origin: textOf(site.visit.Origin, maxOrigin)}
	if who.isSigned() {
		secrets, err := s.Tracker.Visitors().SourceSecrets(ctx, src.ID)
		if err != nil {
			return v, "", err
		}
		signed, ok := who.verified(secrets, s.Now())
		if !ok {
			return v, "", s.refuse(src.ID, RefusedIdentity, errNotSigned)
		}
		if who.Email != signed.Email {
			typed = shorten(who.Email, maxReporterEmail)
		}
		who, v.Verified = signed, true
	} else if src.Reporters == api.ReportersSigned {
		return v, "", s.refuse(src.ID, RefusedIdentity, errNotSigned)
	}
	v.UserID, v.Name, v.Email = textOf(who.ID, maxReporterID), textOf(who.Name, maxReporterName), textOf(who.Email,
		maxReporterEmail)
	return v, typed, nil
}

var errNotSigned = api.NewProblem(api.CodeForbidden,
	"The site has not signed who reports, or its signature does not hold any more.")

// textOf returns a text without its end beyond a length, nil for none.
func textOf(text string, most int) *string {
	if text = shorten(text, most); text == "" {
		return nil
	}
	return &text
}

// shorten returns a text of valid characters without its end beyond a length.
func shorten(text string, most int) string {
	runes := []rune(strings.ToValidUTF8(text, ""))
	return strings.ReplaceAll(string(runes[:min(len(runes), most)]), "\x00", "")
}

// file files a report, and returns the slice and its occurrence.
func (s *Server) file(ctx context.Context, site Site, v api.Visitor, in input.Valid[api.CreateSlice]) (string, int64,
	error) {
	c, err := s.Tracker.Visitors().Caller(access.Reporting{Source: site.source, Visitor: v, Request: site.visit.request()})
	if err != nil {
		return "", 0, err
	}
	filed, err := s.Tracker.Visitors().Report(ctx, c, in)
	return filed.SliceID, filed.Occurrence, err
}

package page

import (
	"errors"
	"net/url"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/input"
)

// Stage is what was seen of an occurrence: its replay, its screenshots and its videos.
type Stage struct {
	ID       string         // of the element, which a swap of the page preserves
	Replay   *StageReplay   // nil for none
	Pictures []StagePicture // at most picturesOfPage, with the one that is shown
	Earlier  string         // the address of the stage with the pictures before these; empty for none
	Later    string         // the same of those after them
	Shown    string         // the id of the picture that is shown; empty for the replay
	Link     string         // of the stage with the replay
	Once     string         // makes a repeated annotation harmless; empty for a reader who cannot annotate
}

// Poster returns the path of the picture that stands for the replay, empty for none.
func (s Stage) Poster() string {
	for _, p := range s.Pictures {
		if !p.Video && p.Thumbnail != "" {
			return p.Thumbnail
		}
	}
	return ""
}

// StageReplay is a replay on the stage.
type StageReplay struct {
	Events  string // the path of its events
	Bytes   int64
	Actions []api.ActionRow // the first ones
	More    bool            // whether there are more actions
}

// smallReplay is the size of a replay that is loaded before anybody plays it.
const smallReplay = 500_000

// Small returns whether the replay is loaded once it is seen.
func (r StageReplay) Small() bool { return r.Bytes <= smallReplay }

// StagePicture is a screenshot or a video on the stage.
type StagePicture struct {
	ID, Name      string
	Link          string // of the stage with the picture
	File          string // the path of its bytes
	Thumbnail     string // empty for none
	Width, Height int64  // 0 when they are unknown
	Video         bool
	Review        string // the path to which a review is sent; empty where none can be
	ReviewedBy    string // who has found no secret in it; empty for nobody
	ReviewedAt    *api.Time
	Annotate      string // the path to which an annotation is sent; empty for a picture that cannot be annotated
}

// picturesOfPage is the number of pictures that a stage has at a time.
const picturesOfPage = 50

// stageActions is the number of actions that stand in place of a replay.
const stageActions = 50

// LoadStage returns the stage of an occurrence of a report. 0 is the newest one with a replay, and without any the
// newest one with a picture. The query selects the picture that is shown.
func (q *Request) LoadStage(s api.Slice, occurrence int64) (stage Stage, err error) {
	files, err := q.stageFiles(s, occurrence)
	if err != nil {
		return stage, err
	}
	from := stageSource{caller: q.Session.Caller, sliceID: s.ID, name: s.ID, replay: "/slices/" + s.ID + "/replay",
		files:     "/files/",
		annotates: true}
	return q.newStage(from, files)
}

// LoadSharedStage returns the stage of the occurrence that a share shows. base is the path of the share.
func (q *Request) LoadSharedStage(c access.Caller, s SharedSlice, base string, occurrence int64) (Stage, error) {
	var files []api.Attachment
	for _, f := range s.Files {
		shown := f.Kind == api.KindReplay || f.Kind == api.KindScreenshot || f.Kind == api.KindVideo
		if !shown || f.Occurrence != occurrence {
			continue
		}
		a := api.Attachment{ID: f.ID, AttachmentFields: api.AttachmentFields{Kind: f.Kind, Name: f.Name},
			Occurrence:  f.Occurrence,
			ContentType: f.ContentType, Size: f.Size, Width: f.Width, Height: f.Height}
		if f.HasThumbnail {
			a.Thumbnail = new(string)
		}
		files = append(files, a)
	}
	return q.newStage(stageSource{caller: c, sliceID: s.ID, name: s.Reference, replay: base + "/replay", files: base +
		"/files/"}, files)
}

// stageSource is the report of a stage, and where its files are.
type stageSource struct {
	caller        access.Caller
	sliceID       string
	name          string // of the report in the page
	replay, files string // the path of the replay, and the beginning of the paths of files
	annotates     bool   // whether the reader may annotate pictures
}

// newStage returns the stage of the newest occurrence of files with a replay, and without any the newest one.
func (q *Request) newStage(from stageSource, files []api.Attachment) (stage Stage, err error) {
	if len(files) == 0 {
		return stage, nil
	}
	occurrence := newestOccurrence(files)
	number := strconv.FormatInt(occurrence, 10)
	stage = Stage{ID: "stage-" + from.name + "-" + number, Link: q.showLink("")}
	if from.annotates {
		stage.Once = Once()
	}
	for _, a := range files {
		switch {
		case a.Occurrence != occurrence:
		case a.Kind == api.KindReplay:
			if stage.Replay == nil {
				stage.Replay = &StageReplay{Events: from.replay + "?occurrence=" + number}
			}
			stage.Replay.Bytes += a.Size
		default:
			stage.Pictures = append(stage.Pictures, q.stagePicture(from, a))
		}
	}
	stage.selectPicture(q.URL.Query().Get("show"))
	if stage.Replay != nil {
		err = q.loadActions(from, stage.Replay, occurrence)
	}
	return stage, err
}

// selectPicture shows a picture, or without it the replay or the first picture, and keeps the page of the pictures
// that has it.
func (s *Stage) selectPicture(id string) {
	at := max(0, slices.IndexFunc(s.Pictures, func(p StagePicture) bool { return p.ID == id }))
	if at < len(s.Pictures) && (s.Replay == nil || s.Pictures[at].ID == id) {
		s.Shown = s.Pictures[at].ID
	}
	first := at - at%picturesOfPage
	end := min(first+picturesOfPage, len(s.Pictures))
	if first > 0 {
		s.Earlier = s.Pictures[first-1].Link
	}
	if end < len(s.Pictures) {
		s.Later = s.Pictures[end].Link
	}
	s.Pictures = s.Pictures[first:end]
}

// stageFiles returns the files that a stage can show, oldest first.
func (q *Request) stageFiles(s api.Slice, occurrence int64) (all []api.Attachment, err error) {
	in := api.ListAttachments{SliceID: s.ID, Occurrence: int(occurrence), Paging: api.Paging{Limit: 100},
		Kind: []api.AttachmentKind{api.KindReplay, api.KindScreenshot, api.KindVideo}}
	for {
		v, err := input.Check(in)
		if err != nil {
			return nil, err
		}
		listed, err := q.Tracker.ListAttachments(q.Context(), q.Session.Caller, v)
		if err != nil {
			return nil, err
		}
		all = append(all, listed.Data...)
		if listed.Pagination.Cursor == nil {
			return all, nil
		}
		in.Cursor = *listed.Pagination.Cursor
	}
}

// newestOccurrence returns the newest occurrence of the files with a replay, and without any the newest one.
func newestOccurrence(files []api.Attachment) (newest int64) {
	replay := int64(0)
	for _, a := range files {
		newest = max(newest, a.Occurrence)
		if a.Kind == api.KindReplay {
			replay = max(replay, a.Occurrence)
		}
	}
	if replay > 0 {
		return replay
	}
	return newest
}

func (q *Request) stagePicture(from stageSource, a api.Attachment) StagePicture {
	p := StagePicture{ID: a.ID, Name: a.Name, Link: q.showLink(a.ID), File: from.files + a.ID,
		Video: a.Kind == api.KindVideo}
	if a.Thumbnail != nil {
		p.Thumbnail = p.File + "/thumbnail"
	}
	if from.annotates {
		p.Review, p.ReviewedAt = p.File+"/review", a.ReviewedAt
		if a.ReviewedBy != nil {
			p.ReviewedBy = a.ReviewedBy.Name
		}
	}
	if a.Width != nil && a.Height != nil {
		p.Width, p.Height = *a.Width, *a.Height
	}
	switch a.ContentType {
	case "image/png", "image/jpeg", "image/webp":
		if from.annotates {
			p.Annotate = p.File + "/annotated"
		}
	}
	return p
}

// showLink returns the address of the page with a picture, or with the replay.
func (q *Request) showLink(picture string) string {
	query := q.URL.Query()
	if query.Del("show"); picture != "" {
		query.Set("show", picture)
	}
	return (&url.URL{Path: q.URL.Path, RawQuery: query.Encode()}).RequestURI()
}

// loadActions reads the first actions. There are none while the storage of files cannot be reached.
func (q *Request) loadActions(from stageSource, r *StageReplay, occurrence int64) error {
	v, err := input.Check(api.ListActions{SliceID: from.sliceID, Occurrence: int(occurrence),
		Paging: api.Paging{Limit: stageActions}})
	if err != nil {
		return err
	}
	listed, err := q.Tracker.ListActions(q.Context(), from.caller, v)
	if errors.Is(err, blob.ErrUnavailable) {
		return nil
	}
	r.Actions, r.More = listed.Data, listed.Pagination.HasMore
	return err
}

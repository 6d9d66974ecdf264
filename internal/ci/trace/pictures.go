package trace

import (
	"cmp"
	"slices"
	"strings"

	"bugslice/api"
)

// Picture is a screenshot.
type Picture struct {
	Name        string // of a file
	ContentType string
	Time        api.Time
	Content     []byte
}

const (
	maxPictures     = 5
	maxPicture      = 8 << 20
	maxPictureBytes = 16 << 20 // of all pictures
)

// picture is a picture in the archive.
type picture struct {
	Picture
	entry string // its name in the archive; its content is in the event when it is empty
}

// pictures collects the pictures of all parts.
type pictures struct {
	frames   list[picture] // of screencasts
	attached []picture
	left     int // how many are not in the evidence
	faults   []error
}

// addFrame adds a frame of the screencast.
func (s *pictures) addFrame(p *part, e event) {
	if at, ok := p.at(e.Timestamp); ok {
		s.frames.add(picture{Picture{"", "image/jpeg", at, nil}, resource(e.File, e.SHA1)})
	}
}

// addAttached adds the pictures that the test attached, such as the screenshot after a failure.
func (s *pictures) addAttached(part *part, e event) {
	at, ok := part.at(e.EndTime)
	for _, a := range e.Attached {
		if extension := extensions[a.ContentType]; ok && extension != "" {
			p := Picture{strings.TrimSuffix(fileName(a.Name), extension) + extension, a.ContentType, at, a.Base64}
			s.attached = append(s.attached, picture{p, resource(a.File, a.SHA1)})
		}
	}
}

var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif",
}

// fileName returns a text as the name of a file.
func fileName(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, text)
	return cmp.Or(strings.Trim(text[:min(len(text), 100)], ". "), "picture")
}

// chosen returns the pictures that the test attached, and of the screencast the frame of the first failure and the
// last frame.
func (s *pictures) chosen(archive *archive, failures []api.Time) (all []Picture) {
	chosen := slices.Clone(s.attached)
	frames := s.frames.rows
	if n := len(frames); n > 0 {
		slices.SortStableFunc(frames, func(a, b picture) int { return a.Time.Compare(b.Time.Time) })
		failed := n - 1
		for _, at := range failures {
			failed = min(failed, lastFrame(frames, at))
		}
		frames[n-1].Name, frames[failed].Name = "last-frame.jpg", "frame-of-the-failure.jpg"
		if chosen = append(chosen, frames[failed]); failed != n-1 && frames[failed].entry != frames[n-1].entry {
			chosen = append(chosen, frames[n-1])
		}
	}
	size := 0
	for _, p := range chosen {
		if p.entry != "" {
			var err error
			if p.Content, err = archive.read(p.entry, maxPicture); err != nil {
				s.faults = append(s.faults, err)
				continue
			}
		}
		if size += len(p.Content); len(p.Content) == 0 || len(all) == maxPictures || size > maxPictureBytes {
			s.left++
			continue
		}
		all = append(all, p.Picture)
	}
	return all
}

// lastFrame returns the last frame until a time, or the first frame.
func lastFrame(frames []picture, at api.Time) (i int) {
	for i = range frames {
		if frames[i].Time.After(at.Time) {
			return max(0, i-1)
		}
	}
	return i
}

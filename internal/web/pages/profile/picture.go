package profile

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// SetPicture makes the file of the form the picture of the reader.
func SetPicture(q *page.Request) (page.Result, error) {
	v, err := input.Check(api.SetPicture{})
	if err != nil {
		return page.Result{}, err
	}
	image, err := q.ReadFile(tracker.MaxPicture)
	if errors.Is(err, io.EOF) {
		err = api.InvalidMember("/picture", "missing", "choose a picture")
	}
	if err == nil {
		_, err = q.Tracker.SetPicture(q.Context(), q.Session.Caller, v, image)
	}
	if faults, invalid := page.FaultsOf(err); invalid {
		d := dataOf(q, q.Session.Profile.ProfileFields, version(q.Session.Profile))
		d.Faults = faults
		return page.Invalid(view, d)
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/profile", "picture-saved")
}

// RemovePicture removes the picture of the user that the form names, and leads back.
func RemovePicture(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.RemovePicture, api.RemovePicture{UserID: q.PostForm.Get("user")}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(q.Next(q.PostForm.Get("next")), "picture-removed")
}

// Picture answers with the picture of a user of the organisation. Its address has other bytes never.
func Picture(q *page.Request) (page.Result, error) {
	p, err := page.Call(q, q.Tracker.GetPicture, api.GetPicture{Name: q.PathValue("picture")})
	return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "image/jpeg")
		w.Header().Set("Content-Length", strconv.Itoa(len(p.JPEG)))
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		w.Header().Del("Vary")
		_, err := w.Write(p.JPEG)
		return err
	}}, err
}

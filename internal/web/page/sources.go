package page

import "bugslice/api"

// SourceVersion identifies what the form of a source shows by its content.
func SourceVersion(s api.Source) string { return ContentVersion(s.Name, s.ETag()) }

// ChangeSource changes the source of the path when it has the version of the form, and returns it as it was. Without a version it
// is changed as it is. precondition_failed means that somebody else has changed it since.
func ChangeSource(q *Request, change func(etag string) error) (stored api.Source, err error) {
	stored, err = Call(q, q.Tracker.GetSource, api.GetSource{SourceID: q.PathValue("sourceId")})
	if err != nil {
		return stored, err
	}
	if sent := q.PostForm.Get("version"); sent != "" && sent != SourceVersion(stored) {
		return stored, api.NewProblem(api.CodePrecondition, "Somebody else has changed this source.")
	}
	return stored, change(stored.ETag())
}

// SourceTag returns the element that a page of a source contains: the script of this instance with the public key.
func (q *Request) SourceTag(s api.Source) string { return q.RecorderTag(s.Key) }

package page

// OtherAccount is who is signed in where a page is for somebody else, and the page, which opens after signing out.
type OtherAccount struct{ Name, Email, Path string }

// SignedIn returns who is signed in, for a page that is for somebody else; nil when nobody is.
func (q *Request) SignedIn() *OtherAccount {
	if q.Session == nil {
		return nil
	}
	return &OtherAccount{Name: q.Session.Profile.Name, Email: q.Session.Profile.Email, Path: q.URL.Path}
}

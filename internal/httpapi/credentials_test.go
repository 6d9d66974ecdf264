package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"bugslice/api"
)

// FuzzTokenInQuery: a token in a query is refused and repeated nowhere.
func FuzzTokenInQuery(f *testing.F) {
	for _, seed := range []string{"", "limit=25", "access_token=a", "q=svc_pat_a",
		"svc_wst_a=1", "q=%73vc_pat_a", "cursor=&%zz=%", "a;b=c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		u := &url.URL{RawQuery: query}
		err := rejectTokenInQuery(&http.Request{URL: u})
		has := false
		for name, values := range u.Query() {
			has = has || isToken(name) || name == "access_token" || slices.ContainsFunc(values, isToken)
		}
		if has != (err != nil) {
			t.Errorf("%q: %v", query, err)
		}
		var p *api.Problem
		if errors.As(err, &p) && isToken(p.Errors[0].Parameter) {
			t.Errorf("%q: the refusal repeats the token: %v", query, err)
		}
	})
}

package tracker_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
)

// TestSearchesFoldLetters: the list of reports, and the filters of evidence, find texts by what people type for them.
// Evidence is found by any part of a text.
func TestSearchesFoldLetters(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		for text, searched := range map[string][]string{
			"로그인이 실패했습니다": {"로그인", "실패"}, "Łódź żółw": {"lodz", "ŁÓDŹ", "zolw"}, "Großstraße": {"grossstrasse"},
			"København": {"kobenhavn"},
			"ពាក្យសម្ងាត់មិនត្រឹមត្រូវ": {"សម្ងាត់"}, "ລະບົບບໍ່ເຮັດວຽກ": {"ລະບົບ"},
			"စကားဝှက်မမှန်ပါ": {"မမှန်"}, "ＦＵＬＬ　ﬁle": {"full", "file"},
			"محـــمّد": {"محمد"}, "шалом שָׁלוֹם": {"שלום"}, "soft\u00adhyphen": {"softhyphen"},
			"ısırgan": {"isirgan"}, "Þingvellir Ærø": {"thingvellir", "aero"},
		} {
			s := w.report(t, id.New(id.Slice), api.SliceFields{Summary: text}, text)
			for _, q := range searched {
				found, err := w.ListSlices(t.Context(), w.owner,
					valid(api.ListSlices{SliceFilters: api.SliceFilters{Q: q}, Paging: ten}))
				must(t, err)
				assert.Equal(t, q, convertIDs(found.Data), []string{s.ID})
				lines, err := w.ListConsole(t.Context(), w.owner,
					valid(api.ListConsole{SliceID: s.ID, Q: q, Paging: ten}))
				must(t, err)
				actions, err := w.ListActions(t.Context(), w.owner,
					valid(api.ListActions{SliceID: s.ID, Q: q, Paging: ten}))
				must(t, err)
				requests, err := w.ListNetwork(t.Context(), w.owner,
					valid(api.ListNetwork{SliceID: s.ID, URL: q, Paging: ten}))
				must(t, err)
				assert.Equal(t, q+" in evidence", [3]int{len(lines.Data), len(actions.Data), len(requests.Data)},
					[3]int{1, 1, 1})
			}
			none, err := w.ListConsole(t.Context(), w.owner,
				valid(api.ListConsole{SliceID: s.ID, Q: "nowhere", Paging: ten}))
			must(t, err)
			assert.Equal(t, "lines without the text", len(none.Data), 0)
		}
	})
}

func convertIDs(all []api.Slice) (ids []string) {
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	return ids
}

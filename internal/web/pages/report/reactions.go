package report

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// React adds a reaction of the reader to a comment, or takes it back.
func React(q *page.Request) (page.Result, error) {
	kind, remove := q.PostForm.Get("add"), false
	if kind == "" {
		kind, remove = q.PostForm.Get("remove"), true
	}
	v, err := input.Check(api.SetReaction{CommentID: q.PathValue("commentId"),
		Body: api.ReactionSetting{Kind: api.ReactionKind(kind), Remove: remove}})
	if err == nil {
		_, err = q.Tracker.SetReaction(q.Context(), q.Session.Caller, v)
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect(address(q)+"#"+q.PathValue("commentId"), "")
}

// reaction is a kind of reaction to a comment, with the names of those who have reacted beside the reader.
type reaction struct {
	api.Reaction
	Number int
	Names  []string
	More   int64 // how many further ones there are
}

// ReactionKinds returns every kind of reaction to a comment.
func (d *data) ReactionKinds(c api.Comment) (all []reaction) {
	for i, kind := range api.ReactionKind("").Values() {
		r := reaction{Reaction: api.Reaction{Kind: api.ReactionKind(kind)}, Number: i}
		for _, n := range c.Reactions {
			if n.Kind == r.Kind {
				r.Reaction, r.Names = n, slices.Clone(d.Reacted[c.ID][n.Kind])
			}
		}
		r.More = r.Count
		if r.Own {
			r.More--
			if own := slices.Index(r.Names, d.MyName); own >= 0 {
				r.Names = slices.Delete(r.Names, own, own+1)
			}
		}
		r.More = max(0, r.More-int64(len(r.Names)))
		all = append(all, r)
	}
	return all
}

// Reactions returns the reactions that a comment has.
func (d *data) Reactions(c api.Comment) []reaction {
	return slices.DeleteFunc(d.ReactionKinds(c), func(r reaction) bool { return r.Count == 0 })
}

// ReactPath returns the address to which a reaction to a comment is sent.
func (d *data) ReactPath(c api.Comment) string {
	return "/" + d.Reference + "/comments/" + c.ID + "/reactions" + string(d.Here())
}

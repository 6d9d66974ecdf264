package command

import "github.com/spf13/cobra"

func newSlice(s *session) *cobra.Command {
	g := s.group("slice", "File, find, read and resolve bug reports",
		newSliceList(s), newSliceView(s), newSliceCreate(s), newSliceEdit(s), newSliceComment(s), newSliceReact(s), newSliceAttach(s),
		newSliceDownload(s), newSliceResolve(s), newSliceClose(s), newSliceReopen(s), newSliceAssign(s),
		newSliceDuplicate(s),
		newSliceDelete(s), newSliceRestore(s), newSliceOpen(s), newSliceStart(s), newSliceStatus(s))
	g.Aliases = []string{"report", "issue"}
	g.Long = "File, find, read and resolve bug reports. A report is named by its reference, such as WEB-161. " +
		"Commands for one report " +
		"take the reference from the name of the git branch when there is none."
	return g
}

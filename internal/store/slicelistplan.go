package store

// planOf returns the plan of a list without words of one workspace, or of several in the order of the index of the only filter. When too
// few of the first slices have all filters, the list looks for those that its filters select by their indexes.
func (q Queries) planOf(f *SliceFilter) (plan listPlan, err error) {
	if len(f.Workspaces) > 1 {
		plan.scans = f.onlyFilter()
		return plan, nil
	}
	plan, all, err := q.planFilters(f)
	if err != nil || plan.candidates != nil || len(all) == 0 || plan.scans != nil && len(all) == 1 {
		return plan, err
	}
	rows, complete, err := q.firstInOrder(*f, plan)
	if err != nil || complete {
		return listPlan{candidates: rowCandidates(rows)}, err
	}
	ids, ok, err := q.intersection(f, all)
	if ok {
		plan.candidates = idCandidates(ids)
	}
	return plan, err
}

// planFilters returns the plan of a list of one workspace by what each filter selects, and the filters that have an index.
func (q Queries) planFilters(f *SliceFilter) (plan listPlan, all []indexedFilter, err error) {
	if len(f.DuplicatesOf) > 0 {
		return listPlan{candidates: f.duplicateCandidates()}, nil, nil
	}
	all = append(f.indexedFilters(), f.timeFilters()...)
	if plan.scans = f.onlyFilter(); plan.scans != nil && len(all) == 1 {
		return plan, all, nil
	}
	if f.Sort != SortByID && (f.FromID != "" || f.BeforeID != "") {
		all = append(all, anySlice)
	}
	if len(all) == 0 {
		return plan, nil, nil
	}
	limit := f.limit().sorted
	if f.Sort == SortByID {
		limit = f.limit().compared
	}
	best, selected, err := q.mostSelective(f, all, limit+1)
	switch {
	case err != nil:
	case selected <= int64(limit):
		plan = listPlan{candidates: f.candidates(best, limit+1)}
	case f.Sort == SortByID && best.ordersByID():
		plan.scans = &best
	case f.Sort == SortByPriority && (len(f.Priorities) > 0 || f.FromID != "" || f.BeforeID != ""):
		plan.scans = f.prioritiesInOrder()
	}
	return plan, all, err
}

// onlyFilter returns the filter of a list by id that has a single indexed one, nil for another list or a search.
func (f *SliceFilter) onlyFilter() *indexedFilter {
	all := f.indexedFilters()
	if len(all) != 1 || f.Sort != SortByID || len(f.Words) > 0 {
		return nil
	}
	return &all[0]
}

// firstInOrder returns the first f.Limit rows of a list, with words or without, among the first slices in its order. complete is false when
// further slices may have all filters.
func (q Queries) firstInOrder(f SliceFilter, plan listPlan) (rows []int64, complete bool, err error) {
	first, most := f.limit().first, f.limit().inOrder
	begin := q.walkOf(f, plan, first, q.db.engine.walkedMatch)
	rows, err = q.found(begin)
	if isPromising := len(rows) < f.Limit && 10*len(rows) >= f.Limit; err == nil && isPromising {
		further := first * f.Limit / len(rows) * 3 / 2
		return q.walk(q.walkOf(f, plan, min(further, most), q.db.engine.walkedMatch))
	}
	if err == nil {
		complete, err = q.isComplete(begin, rows)
	}
	return rows, complete, err
}

package tracker

import "bugslice/internal/access"

// What front ends know of rights.
type (
	Caller     = access.Caller
	Principal  = access.Principal
	Request    = access.Request
	Key        = access.Key
	CallerType = access.CallerType
)

const (
	UserCaller     = access.UserCaller
	ShareCaller    = access.ShareCaller
	ServiceCaller  = access.ServiceCaller
	OperatorCaller = access.OperatorCaller
	SystemCaller   = access.SystemCaller
)

var (
	ErrProofNeeded = access.ErrProofNeeded
	RefusedKeyID   = access.RefusedKeyID
	Seal           = access.Seal
	Visitor        = access.Visitor
)

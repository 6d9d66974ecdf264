package api

// The ids of the operations on the caller's own account.
const (
	OpListSessions     = "listSessions"
	OpEndSession       = "endSession"
	OpEndOtherSessions = "endOtherSessions"
	OpProvePassword    = "provePassword"
	OpChangePassword   = "changePassword"
	OpUpdateProfile    = "updateProfile"
)

// The ids of the operations on the people of an organisation.
const (
	OpListPeople       = "listPeople"
	OpInvite           = "inviteUser"
	OpRevokeInvitation = "revokeInvitation"
	OpPutMember        = "putMember"
	OpRemoveMember     = "removeMember"
	OpChangeUserRole   = "changeUserRole"
	OpDisableUser      = "disableUser"
	OpEnableUser       = "enableUser"
	OpRemoveUser       = "removeUser"
	OpCreateResetLink  = "createResetLink"
	OpEraseUser        = "eraseUser"
	OpExportWorkspace  = "exportWorkspace"
	OpScheduleDeletion = "scheduleWorkspaceDeletion"
	OpCancelDeletion   = "cancelWorkspaceDeletion"
)

// The ids of the operations on the audit log, which has the addresses and the sessions of other people.
const (
	OpListAuditLog   = "listAuditLog"
	OpExportAuditLog = "exportAuditLog"
)

// AccountOperations are the operations of a session on the account of its user, on the people of the organisation, on workspaces
// as a whole, and on the audit log. Pages offer them. They have no path, because no key may carry them out. Those that give rights, or take
// data out, need a proof of the password, and so do such operations of the API.
var AccountOperations = []Operation{
	{ID: OpListSessions, Effect: Reads, Account: true},
	{ID: OpEndSession, Effect: Ending, Account: true},
	{ID: OpEndOtherSessions, Effect: Ending, Account: true},
	{ID: OpProvePassword, Effect: Ending, Account: true},
	{ID: OpChangePassword, Effect: Lasting, Account: true},
	{ID: OpUpdateProfile, Effect: Lasting, Account: true},

	{ID: OpListPeople, Effect: Reads, Account: true},
	{ID: OpInvite, Effect: Lasting, Account: true, Proof: true, Secret: true},
	{ID: OpRevokeInvitation, Effect: Lasting, Account: true},
	{ID: OpPutMember, Effect: Lasting, Account: true, Proof: true},
	{ID: OpRemoveMember, Effect: Lasting, Account: true},
	{ID: OpChangeUserRole, Effect: Lasting, Account: true, Proof: true},
	{ID: OpDisableUser, Effect: Lasting, Account: true},
	{ID: OpEnableUser, Effect: Lasting, Account: true, Proof: true},
	{ID: OpRemoveUser, Effect: Lasting, Account: true},
	{ID: OpCreateResetLink, Effect: Lasting, Account: true, Proof: true, Secret: true},
	{ID: OpEraseUser, Effect: Lasting, Account: true, Proof: true},
	{ID: OpExportWorkspace, Effect: Lasting, Account: true, Proof: true},
	{ID: OpScheduleDeletion, Effect: Lasting, Account: true, Proof: true},
	{ID: OpCancelDeletion, Effect: Lasting, Account: true},

	{ID: OpListAuditLog, Effect: Reads, Account: true},
	{ID: OpExportAuditLog, Effect: Content, Account: true, Proof: true},
}

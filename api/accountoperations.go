package api

// The ids of the operations on the caller's own account.
const (
	OpListSessions     = "listSessions"
	OpEndSession       = "endSession"
	OpEndOtherSessions = "endOtherSessions"
	OpProve            = "prove"
	OpAskProof         = "askProof"
	OpChangePassword   = "changePassword"
	OpUpdateProfile    = "updateProfile"
	OpSetPicture       = "setPicture"

	OpGetMailSettings    = "getMailSettings"
	OpUpdateMailSettings = "updateMailSettings"
	OpResumeMail         = "resumeMail"
	OpSendTestMail       = "sendTestMail"
	OpGetMailState       = "getMailState"
	OpRetryMail          = "retryMail"
	OpChangeEmail        = "changeEmail"
	OpMailLink           = "mailLink"
)

// The ids of the operations on the factors by which users prove who they are, beside the password.
const (
	OpListFactors          = "listFactors"
	OpBeginAuthenticator   = "beginAuthenticator"
	OpConfirmAuthenticator = "confirmAuthenticator"
	OpRemoveAuthenticator  = "removeAuthenticator"
	OpBeginPasskey         = "beginPasskey"
	OpAddPasskey           = "addPasskey"
	OpRenamePasskey        = "renamePasskey"
	OpRemovePasskey        = "removePasskey"
	OpReplaceRecoveryCodes = "replaceRecoveryCodes"
	OpRemovePassword       = "removePassword"
	OpRemoveFactors        = "removeFactors"
)

// The ids of the operations on the people of an organisation.
const (
	OpListPeople         = "listPeople"
	OpGetPerson          = "getPerson"
	OpGetPicture         = "getPicture"
	OpRemovePicture      = "removePicture"
	OpInvite             = "inviteUser"
	OpRevokeInvitation   = "revokeInvitation"
	OpPutMember          = "putMember"
	OpRemoveMember       = "removeMember"
	OpChangeUserRole     = "changeUserRole"
	OpDisableUser        = "disableUser"
	OpEnableUser         = "enableUser"
	OpRemoveUser         = "removeUser"
	OpCreateResetLink    = "createResetLink"
	OpCountErasedRecords = "countErasedRecords"
	OpEraseUser          = "eraseUser"
	OpGetExportProgress  = "getExportProgress"
	OpCancelExport       = "cancelExport"
	OpGetUsage           = "getWorkspaceUsage"
	OpExportWorkspace    = "exportWorkspace"
	OpScheduleDeletion   = "scheduleWorkspaceDeletion"
	OpCancelDeletion     = "cancelWorkspaceDeletion"
)

// The ids of the operations on the OpenID provider of an organisation.
const (
	OpGetProvider     = "getProvider"
	OpGetOwnProvider  = "getOwnProvider"
	OpUpdateProvider  = "updateProvider"
	OpRemoveProvider  = "removeProvider"
	OpCheckProvider   = "checkProvider"
	OpLinkIdentity    = "linkIdentity"
	OpUnlinkIdentity  = "unlinkIdentity"
	OpProveAtProvider = "proveAtProvider"
)

// The ids of the operations on the policies of an organisation.
const (
	OpGetPolicies     = "getPolicies"
	OpPreviewPolicies = "previewPolicies"
	OpUpdatePolicies  = "updatePolicies"
	OpGetKeyPolicy    = "getKeyPolicy"
)

// The ids of the operations on the audit log, which has the addresses and the sessions of other people.
const (
	OpListAuditLog   = "listAuditLog"
	OpExportAuditLog = "exportAuditLog"
)

// AccountOperations are the operations of a session on the account of its user, on the people of the organisation, on
// workspaces as a whole, and on the audit log. Pages offer them. They have no path, because no key may carry them out.
// Those that give rights, or take data out, need a proof of who the user is, and so do such operations of the API.
var AccountOperations = []Operation{
	{ID: OpListSessions, In: ListSessions{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpEndSession, In: EndSession{}, Effect: Ending, Callers: SessionsOnly},
	{ID: OpEndOtherSessions, In: EndOtherSessions{}, Effect: Ending, Callers: SessionsOnly},
	{ID: OpProve, In: Prove{}, Effect: Ending, Callers: SessionsOnly},
	{ID: OpAskProof, In: AskProof{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpChangePassword, In: ChangePassword{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpUpdateProfile, In: UpdateProfile{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpSetPicture, In: SetPicture{}, Effect: Lasting, Callers: SessionsOnly},

	{ID: OpGetMailSettings, In: GetMailSettings{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpUpdateMailSettings, In: UpdateMailSettings{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpResumeMail, In: ResumeMail{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpSendTestMail, In: SendTestMail{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpGetMailState, In: GetMailState{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpRetryMail, In: RetryMail{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpChangeEmail, In: ChangeEmail{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpMailLink, In: MailLink{}, Effect: Lasting, Callers: SessionsOnly},

	{ID: OpListFactors, In: ListFactors{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpBeginAuthenticator, In: BeginAuthenticator{}, Effect: Lasting, Callers: SessionsOnly, Proof: true,
		Secret: true},
	{ID: OpConfirmAuthenticator, In: ConfirmAuthenticator{}, Effect: Lasting, Callers: SessionsOnly, Proof: true,
		Secret: true},
	{ID: OpRemoveAuthenticator, In: RemoveAuthenticator{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpBeginPasskey, In: BeginPasskey{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpAddPasskey, In: AddPasskey{}, Effect: Lasting, Callers: SessionsOnly, Proof: true, Secret: true},
	{ID: OpRenamePasskey, In: RenamePasskey{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpRemovePasskey, In: RemovePasskey{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpReplaceRecoveryCodes, In: ReplaceRecoveryCodes{}, Effect: Lasting, Callers: SessionsOnly, Proof: true,
		Secret: true},
	{ID: OpRemovePassword, In: RemovePassword{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},

	{ID: OpRemoveFactors, In: RemoveFactors{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},

	{ID: OpListPeople, In: ListPeople{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpGetPerson, In: GetPerson{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpGetPicture, In: GetPicture{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpRemovePicture, In: RemovePicture{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpInvite, In: InviteUser{}, Effect: Lasting, Callers: SessionsOnly, Proof: true, Secret: true},
	{ID: OpRevokeInvitation, In: RevokeInvitation{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpPutMember, In: PutMember{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpRemoveMember, In: RemoveMember{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpChangeUserRole, In: ChangeUserRole{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpDisableUser, In: DisableUser{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpEnableUser, In: EnableUser{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpRemoveUser, In: RemoveUser{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpCreateResetLink, In: CreateResetLink{}, Effect: Lasting, Callers: SessionsOnly, Proof: true, Secret: true},
	{ID: OpCountErasedRecords, In: CountErasedRecords{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpEraseUser, In: EraseUser{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpExportWorkspace, In: ExportWorkspace{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpGetExportProgress, In: GetExportProgress{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpCancelExport, In: CancelExport{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpGetUsage, In: GetUsage{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpScheduleDeletion, In: ScheduleDeletion{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpCancelDeletion, In: CancelDeletion{}, Effect: Lasting, Callers: SessionsOnly},

	{ID: OpGetProvider, In: GetProvider{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpGetOwnProvider, In: GetOwnProvider{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpUpdateProvider, In: UpdateProvider{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpRemoveProvider, In: RemoveProvider{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpCheckProvider, In: CheckProvider{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpLinkIdentity, In: LinkIdentity{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpUnlinkIdentity, In: UnlinkIdentity{}, Effect: Lasting, Callers: SessionsOnly},
	{ID: OpProveAtProvider, In: ProveAtProvider{}, Effect: Ending, Callers: SessionsOnly},

	{ID: OpGetPolicies, In: GetPolicies{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpPreviewPolicies, In: PreviewPolicies{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpUpdatePolicies, In: UpdatePolicies{}, Effect: Lasting, Callers: SessionsOnly, Proof: true},
	{ID: OpGetKeyPolicy, In: GetKeyPolicy{}, Effect: Reads, Callers: SessionsOnly},

	{ID: OpListAuditLog, In: ListAuditLog{}, Effect: Reads, Callers: SessionsOnly},
	{ID: OpExportAuditLog, In: ExportAuditLog{}, Effect: Content, Callers: SessionsOnly, Proof: true},
}

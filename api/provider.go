package api

// GroupRule gives a role to the users whose provider says that they are in a group.
type GroupRule struct {
	Group       string `json:"group" minLength:"1" maxLength:"255"` // * for everybody
	WorkspaceID string `json:"workspaceId"`                         // empty for the organisation
	Role        Role   `json:"role"`
}

// ProviderFields are what an organisation tells of its OpenID provider.
type ProviderFields struct {
	Name         string      `json:"name"`   // on the button to sign in
	Issuer       string      `json:"issuer"` // the address that the provider's document names
	ClientID     string      `json:"clientId"`
	ClientSecret string      `json:"clientSecret"` // empty to keep the former one
	Domains      []string    `json:"domains"`      // of verified e-mail addresses whose owners need no invitation
	GroupsClaim  string      `json:"groupsClaim"`  // empty for none
	Rules        []GroupRule `json:"rules"`
	PasswordsOff bool        `json:"passwordsOff"` // whether the organisation signs in at the provider alone
}

// Provider is the OpenID provider of an organisation. Its secret is never returned.
type Provider struct {
	ProviderFields
	Configured      bool   `json:"configured"` // whether there is one; the addresses are known without
	HasSecret       bool   `json:"hasSecret"`
	RedirectURL     string `json:"redirectUrl"`
	BackChannelURL  string `json:"backChannelUrl"`
	FrontChannelURL string `json:"frontChannelUrl"`
	TriedAt         *Time  `json:"triedAt"` // when somebody who manages people signed in by these settings; nil since they changed
	Version         int64  `json:"version"`
	Linked          bool   `json:"linked"`      // whether the caller's account is linked
	Users           int64  `json:"users"`       // that are not disabled
	LinkedUsers     int64  `json:"linkedUsers"` // of them, those whose account is linked
	Sessions        int64  `json:"sessions"`    // that would end without passwords
	SessionUsers    int64  `json:"sessionUsers"`
}

// GetProvider returns the OpenID provider of the organisation.
type GetProvider struct{ Returns[Provider] }

// UpdateProvider stores the OpenID provider of the organisation.
type UpdateProvider struct {
	Returns[Provider]
	IfMatch string `header:"If-Match"`
	Body    ProviderFields
}

// RemoveProvider removes the OpenID provider of the organisation: its sessions end, and passwords work again.
type RemoveProvider struct{ Returns[Nothing] }

// CheckProvider asks the OpenID provider of the organisation for its document and its keys.
type CheckProvider struct{ Returns[ProviderReport] }

// ProviderReport is what the document of a provider says.
type ProviderReport struct {
	Problem        string `json:"problem" untrusted:"true"` // a sentence with the provider's words; empty when it can be used
	NoRefresh      bool   `json:"noRefresh"`
	BackChannel    bool   `json:"backChannel"`
	FrontChannel   bool   `json:"frontChannel"`
	EndsSessions   bool   `json:"endsSessions"`
	ClaimsUnlisted bool   `json:"claimsUnlisted"`
}

// LinkIdentity links the account of the user with who the user has just been at the provider.
type LinkIdentity struct {
	Returns[Nothing]
	Body ProviderConfirmation
}

// ProveAtProvider records that the user has just signed in at the provider anew, and rotates the session.
type ProveAtProvider struct {
	Returns[NewSession]
	Body ProviderConfirmation
}

// ProviderConfirmation is what the service has sealed when a browser returned from a provider.
type ProviderConfirmation struct {
	Sealed string `json:"sealed"`
	Device string `json:"device"` // as in PasswordProof
}

// UnlinkIdentity ends the link between the account of a user and the provider.
type UnlinkIdentity struct {
	Returns[Nothing]
	UserID string `path:"userId" id:"usr"`
}

// GetOwnProvider returns the OpenID provider of the organisation as each of its users sees it.
type GetOwnProvider struct{ Returns[OwnProvider] }

// OwnProvider is the OpenID provider of the organisation of a user.
type OwnProvider struct {
	Name         string `json:"name"`   // empty for none
	Linked       bool   `json:"linked"` // whether the account is linked
	Email        string `json:"email"`  // at the provider, when it was linked
	PasswordsOff bool   `json:"passwordsOff"`
}

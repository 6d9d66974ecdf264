package api

// KeyMakers are those who may make personal access tokens.
type KeyMakers string

// The makers of personal access tokens.
const (
	EverybodyMakes KeyMakers = "everybody"
	AdminsMake     KeyMakers = "admins" // owners and admins of the organisation
	NobodyMakes    KeyMakers = "nobody"
)

// Values returns the makers.
func (KeyMakers) Values() []string {
	return []string{string(EverybodyMakes), string(AdminsMake), string(NobodyMakes)}
}

// PolicyFields are what an organisation requires of its sessions, keys and invitations. The zero value requires nothing.
type PolicyFields struct {
	SessionHours     int64 `json:"sessionHours"`     // since the sign-in, after which a session ends; 0 for no limit
	SessionIdleHours int64 `json:"sessionIdleHours"` // since its last use; 0 for no limit

	PersonalKeyDays   int64     `json:"personalKeyDays"` // since its creation, after which a PAT expires; 0 for no limit
	ServiceKeyDays    int64     `json:"serviceKeyDays"`  // of a WST; 0 for no limit
	PersonalKeyMakers KeyMakers `json:"personalKeyMakers"`
	PersonalKeyScopes []Scope   `json:"personalKeyScopes"` // that PATs may have; none for all
	KeyNetworks       []string  `json:"keyNetworks"`       // from which keys are used; none for all
	FilingAnywhere    bool      `json:"filingAnywhere"`    // keys that file only are used from all networks

	InvitationDomains []string `json:"invitationDomains"` // of the addresses of invitations, *.name for those below; none for all

	SecondFactor bool `json:"secondFactor"` // whether sessions need a second factor
}

// GetPolicies returns the policies of the organisation.
type GetPolicies struct{ Returns[Policies] }

// Policies are the policies of an organisation.
type Policies struct {
	PolicyFields
	Version       int64 `json:"version"`
	Users         int64 `json:"users"`         // who are not disabled
	WithoutFactor int64 `json:"withoutFactor"` // of them, those without a second factor
}

// GetKeyPolicy returns which keys the user may make.
type GetKeyPolicy struct{ Returns[KeyPolicy] }

// KeyPolicy says which keys a user may make by the policies of the organisation.
type KeyPolicy struct {
	Personal     bool    `json:"personal"`     // whether the user makes PATs
	Scopes       []Scope `json:"scopes"`       // that PATs may have
	PersonalDays int64   `json:"personalDays"` // until a PAT expires; 0 for no limit
	ServiceDays  int64   `json:"serviceDays"`  // until a WST expires; 0 for no limit
	Networks     int     `json:"networks"`     // from which keys are used; 0 for all
}

// PreviewPolicies returns what policies would end if they were saved now. It changes nothing.
type PreviewPolicies struct {
	Returns[PolicyPreview]
	Body PolicyFields
}

// UpdatePolicies changes the policies of the organisation. It returns what they have ended.
type UpdatePolicies struct {
	Returns[PolicyPreview]
	IfMatch string `header:"If-Match"`
	Body    PolicyFields
}

// PolicyPreview is what policies end beyond those that are in force. Each list has the first of its records.
type PolicyPreview struct {
	Policies PolicyFields `json:"policies"` // as they are stored
	Version  int64        `json:"version"`  // of the policies that are in force

	Sessions    PolicySessions           `json:"sessions"`
	EndedKeys   PolicyList[PolicyKey]    `json:"endedKeys"`   // at once
	EndingKeys  PolicyList[PolicyKey]    `json:"endingKeys"`  // later, and earlier than without these policies
	LosingKeys  PolicyList[PolicyKey]    `json:"losingKeys"`  // scopes
	DistantKeys PolicyList[PolicyKey]    `json:"distantKeys"` // that were used last from other networks
	Invitations PolicyList[Invitee]      `json:"invitations"`
	People      PolicyList[PolicyPerson] `json:"people"`      // without a second factor
	OtherMakers int64                    `json:"otherMakers"` // people with a PAT who could make none any more

	RestoredSessions int64 `json:"restoredSessions"` // that the policies in force have ended
	RestoredKeys     int64 `json:"restoredKeys"`
}

// PolicyList is the first records of a list, with the number of all.
type PolicyList[T any] struct {
	Count int64 `json:"count"`
	First []T   `json:"first"`
}

// More returns the number of records that the list leaves out.
func (l PolicyList[T]) More() int64 { return l.Count - int64(len(l.First)) }

// PolicySessions are sessions that end, by the people who have them.
type PolicySessions struct {
	Count  int64                    `json:"count"`
	Own    bool                     `json:"own"` // whether that of the request is one of them
	People PolicyList[PolicyPerson] `json:"people"`
}

// PolicyPerson is a person whom policies concern.
type PolicyPerson struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Sessions int64  `json:"sessions"` // that end
}

// PolicyKey is a key that policies concern.
type PolicyKey struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Owner      string  `json:"owner"` // the name of the user of a PAT, or of the workspace of a WST
	Type       KeyType `json:"type"`
	EndsAt     *Time   `json:"endsAt"`
	EndedAt    *Time   `json:"endedAt"`  // when it would end without these policies; null for never
	Webhooks   int64   `json:"webhooks"` // that stop when it ends
	LastUsedAt *Time   `json:"lastUsedAt"`
	Address    string  `json:"address"` // of the last use; empty when it is not known
	Scopes     []Scope `json:"scopes"`  // that the key loses
}

// Invitee is an invited person.
type Invitee struct {
	ID        string `json:"id"`
	Email     string `json:"email"`
	InvitedBy string `json:"invitedBy"`
}

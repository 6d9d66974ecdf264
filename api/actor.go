package api

// OrganizationRef names an organisation.
type OrganizationRef struct {
	ID   string `json:"id" example:"org_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name string `json:"name" example:"Northwind" untrusted:"true"`
}

// Reporter is the user, service or guest that created a record.
type Reporter struct {
	// user for a PAT, service for a WST, guest for a report from outside of the organisation.
	Type string `json:"type" enum:"user,service,guest" example:"user"`
	// The id of the user, or of the key for a service; null for a guest.
	ID *string `json:"id" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The name at that time; it does not change later.
	Name string `json:"name" example:"Mara Lindqvist" untrusted:"true"`
}

// Via is the API key with which something was written on behalf of its author.
type Via struct {
	// The id of the key; null for a key of another instance.
	KeyID *string `json:"keyId" example:"key_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The name of the key at that time. A key that was made for a program has the name of the program.
	Name string `json:"name" example:"Claude" untrusted:"true"`
}

// KeyMaker records who created a record of the workspace's configuration, and with which key.
type KeyMaker struct {
	// The user who created it; null when a service or the operator did.
	UserID *string `json:"userId"`
	// The key of the request that created it; null when it was created in the web application or on the command line.
	KeyID *string `json:"keyId"`
}

// Actor is the user or the system that caused an event.
type Actor struct {
	// guest: a visitor, by a source. operator: the command line of the server. system: the service itself.
	Type string `json:"type" grows:"true" enum:"user,service,guest,operator,system" example:"user"`
	// The id of the user, of the key for a service, or of the source for a guest; null for the operator and the system.
	ID *string `json:"id"`
	// The key of the request; null without one.
	KeyID *string `json:"keyId"`
}

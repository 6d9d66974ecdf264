// Package factortest has a passkey in software, for tests.
package factortest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
)

// Passkey answers the questions of WebAuthn as a browser with an authenticator does. Its fields may be changed to answer
// wrongly.
type Passkey struct {
	ID       []byte
	UserID   string // of the account that it was made for
	Origin   string // of the page, such as https://bugs.example.com
	Host     string // the id of the relying party
	Unlocked bool   // whether its user unlocks it
	Counter  uint32 // of the last answer

	key *ecdsa.PrivateKey
}

// New returns a passkey that is used at an address, and unlocked.
func New(host string) *Passkey {
	p := &Passkey{ID: make([]byte, 16), Origin: "https://" + host, Host: host, Unlocked: true}
	_, _ = rand.Read(p.ID)
	p.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return p
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// question is the part of the options that an answer depends on.
type question struct {
	Challenge string
	User      struct{ ID string }
}

// Create answers the question for a new passkey.
func (p *Passkey) Create(options string) string {
	var q question
	_ = json.Unmarshal([]byte(options), &q)
	handle, _ := base64.RawURLEncoding.DecodeString(q.User.ID)
	p.UserID = string(handle)
	attested := append(make([]byte, 16), byte(len(p.ID)>>8), byte(len(p.ID)))
	attested = append(append(attested, p.ID...), p.publicKey()...)
	data := append(p.data(0x40), attested...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), byte(len(data)>>8), byte(len(data)))
	return p.answer(map[string]any{"clientDataJSON": encoded(p.clientData("webauthn.create", q.Challenge)),
		"attestationObject": encoded(append(object, data...)), "transports": []string{"internal"}})
}

// Answer answers a question for a passkey.
func (p *Passkey) Answer(options string) string {
	var q question
	_ = json.Unmarshal([]byte(options), &q)
	p.Counter++
	data, client := p.data(0), p.clientData("webauthn.get", q.Challenge)
	of := sha256.Sum256(client)
	signed := sha256.Sum256(append(append([]byte{}, data...), of[:]...))
	signature, _ := ecdsa.SignASN1(rand.Reader, p.key, signed[:])
	return p.answer(map[string]any{"clientDataJSON": encoded(client), "authenticatorData": encoded(data),
		"signature": encoded(signature), "userHandle": encoded([]byte(p.UserID))})
}

func (p *Passkey) answer(response map[string]any) string {
	text, _ := json.Marshal(map[string]any{"id": encoded(p.ID), "rawId": encoded(p.ID), "type": "public-key",
		"response": response, "clientExtensionResults": map[string]any{}, "authenticatorAttachment": "platform"})
	return string(text)
}

// data returns the data of the authenticator with further flags.
func (p *Passkey) data(flags byte) []byte {
	flags |= 0x01 // the user is present
	if p.Unlocked {
		flags |= 0x04
	}
	host := sha256.Sum256([]byte(p.Host))
	return binary.BigEndian.AppendUint32(append(host[:], flags), p.Counter)
}

func (p *Passkey) clientData(kind, challenge string) []byte {
	text, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": p.Origin,
		"crossOrigin": false})
	return text
}

// publicKey returns the public key as COSE has it.
func (p *Passkey) publicKey() []byte {
	point, _ := p.key.PublicKey.Bytes()
	key := append([]byte("\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"), point[1:33]...)
	return append(append(key, "\x22\x58\x20"...), point[33:]...)
}

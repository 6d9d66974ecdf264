// Package mail makes mails and gives them to the mail server of the operator, by SMTP.
//
//	settings, err := mail.Parse("smtp://user@mail.example.com:587", "Bugslice <bugs@example.com>", "", password)
//	result := mail.New(settings).Send(ctx, message, commit)
//
// A Letter is what a mail says: plain sentences, quotes and links. It becomes text and HTML of the same content, without
// pictures, scripts and anything that is loaded from elsewhere. Texts of people lose line breaks and control characters
// where they stand in a header, so that they add none.
//
// Send says how far an attempt came. Before a mail is complete it calls commit, by which the caller notes that the mail may
// arrive from now on. A mail of the same ID is the same message, by its Message-ID, however often it is sent.
package mail

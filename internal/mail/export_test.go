package mail

// RequiringTLS returns a server on this machine of which STARTTLS is required as of one elsewhere.
func RequiringTLS(s *Server) *Server {
	s.security = startTLS
	return s
}

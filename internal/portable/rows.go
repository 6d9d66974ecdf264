package portable

// The rows of an export, a type for each table. Their tags name the columns and the conditions under which a row can be
// read. The limits of the API are checked when the members are stored. TestRowsHaveEveryColumn holds
// these types against the columns that an export writes.

type workspaceRow struct {
	ID           string  `json:"id"`
	Key          string  `json:"key" default:""`
	Name         string  `json:"name" default:""`
	Description  *string `json:"description"`
	TimeZone     string  `json:"time_zone" default:""`
	MetadataKeys string  `json:"metadata_keys" default:""`
	Redaction    string  `json:"redaction" default:""`
	Templates    string  `json:"report_templates" default:""`
	LabelColors  string  `json:"label_colors" default:""`
	MailContent  string  `json:"mail_content" default:"full"`
	KeepMetadata int64   `json:"keep_file_metadata" default:"0" minimum:"0" maximum:"1"`
	Version      int64   `json:"version" default:"1" minimum:"1" maximum:"1000000000000"`
	LastNumber   int64   `json:"last_number" default:"0" minimum:"0" maximum:"1000000000000"`
	CreatedAt    int64   `json:"created_at" default:"0" minimum:"0" maximum:"253402300799999"`
	UpdatedAt    int64   `json:"updated_at" default:"0" minimum:"0" maximum:"253402300799999"`
}

type userRow struct {
	ID    string `json:"id"`
	Name  string `json:"name" default:""`
	Email string `json:"email"`
}

type spaceRow struct {
	ID          string  `json:"id" id:"spc"`
	WorkspaceID string  `json:"workspace_id"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Version     int64   `json:"version" default:"1" minimum:"1" maximum:"1000000000000"`
	CreatedAt   int64   `json:"created_at" minimum:"0" maximum:"253402300799999"`
	UpdatedAt   int64   `json:"updated_at" minimum:"0" maximum:"253402300799999"`
}

type viewRow struct {
	ID          string `json:"id" id:"viw"`
	WorkspaceID string `json:"workspace_id"`
	Name        string `json:"name"`
	Query       string `json:"query"`
	Version     int64  `json:"version" default:"1" minimum:"1" maximum:"1000000000000"`
	CreatedAt   int64  `json:"created_at" minimum:"0" maximum:"253402300799999"`
	UpdatedAt   int64  `json:"updated_at" minimum:"0" maximum:"253402300799999"`
}

type sliceRow struct {
	ID              string  `json:"id" id:"slc"`
	WorkspaceID     string  `json:"workspace_id"`
	Number          int64   `json:"number" minimum:"0" maximum:"1000000000000"`
	SpaceID         *string `json:"space_id"`
	Summary         string  `json:"summary"`
	Description     *string `json:"description"`
	Status          string  `json:"status"`
	Resolution      *string `json:"resolution"`
	FixedInRelease  *string `json:"fixed_in_release"`
	Priority        *string `json:"priority"`
	Severity        *string `json:"severity"`
	Labels          string  `json:"labels"`
	ReporterType    string  `json:"reporter_type"`
	ReporterID      *string `json:"reporter_id"`
	ReporterName    string  `json:"reporter_name"`
	Via             string  `json:"via" default:""`
	Visitor         string  `json:"visitor" default:""`
	AssigneeID      *string `json:"assignee_id"`
	SourceURL       *string `json:"source_url"`
	Environment     string  `json:"environment"`
	Metadata        string  `json:"metadata"`
	ExternalID      *string `json:"external_id"`
	DuplicateOfID   *string `json:"duplicate_of_id"`
	AttachmentCount int64   `json:"attachment_count" default:"0" minimum:"0" maximum:"1000000000000"`
	CommentCount    int64   `json:"comment_count" default:"0" minimum:"0" maximum:"1000000000000"`
	Version         int64   `json:"version" default:"1" minimum:"0" maximum:"1000000000000"`
	CreatedAt       int64   `json:"created_at" minimum:"0" maximum:"253402300799999"`
	UpdatedAt       int64   `json:"updated_at" minimum:"0" maximum:"253402300799999"`
	ResolvedAt      *int64  `json:"resolved_at" minimum:"0" maximum:"253402300799999"`
	DeletedAt       *int64  `json:"deleted_at" minimum:"0" maximum:"253402300799999"`
	Fingerprint     *string `json:"fingerprint" maxLength:"200"`
	OccurrenceCount int64   `json:"occurrence_count" default:"1" minimum:"0" maximum:"1000000000000"`
	LastSeenAt      int64   `json:"last_seen_at" default:"0" minimum:"0" maximum:"253402300799999"`
	Symptoms        string  `json:"symptoms" default:""`
	Redaction       string  `json:"redaction" default:""`
	LastOccurrence  string  `json:"last_occurrence" default:""`
	Releases        string  `json:"releases" default:""`
	Removed         string  `json:"removed" default:""`

	EvidenceConsole        int64 `json:"evidence_console" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceConsoleErrors  int64 `json:"evidence_console_errors" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceNetwork        int64 `json:"evidence_network" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceFailedRequests int64 `json:"evidence_failed_requests" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceActions        int64 `json:"evidence_actions" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceReplays        int64 `json:"evidence_replays" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceScreenshots    int64 `json:"evidence_screenshots" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceVideos         int64 `json:"evidence_videos" default:"0" minimum:"0" maximum:"1000000000000"`
	EvidenceUnreviewed     int64 `json:"evidence_unreviewed" default:"0" minimum:"0" maximum:"1000000000000"`
}

type occurrenceRow struct {
	SliceID      string  `json:"slice_id"`
	Number       int64   `json:"number" minimum:"1" maximum:"1000000000000"`
	ReporterType string  `json:"reporter_type"`
	ReporterID   *string `json:"reporter_id"`
	ReporterName string  `json:"reporter_name"`
	Via          string  `json:"via" default:""`
	Environment  string  `json:"environment"`
	ExternalID   *string `json:"external_id"`
	Metadata     string  `json:"metadata"`
	CreatedAt    int64   `json:"created_at" minimum:"0" maximum:"253402300799999"`
}

type commentRow struct {
	ID         string  `json:"id" id:"cmt"`
	SliceID    string  `json:"slice_id"`
	Body       string  `json:"body"`
	AuthorType string  `json:"author_type"`
	AuthorID   *string `json:"author_id"`
	AuthorName string  `json:"author_name"`
	Via        string  `json:"via" default:""`
	CreatedAt  int64   `json:"created_at" minimum:"0" maximum:"253402300799999"`
	UpdatedAt  int64   `json:"updated_at" minimum:"0" maximum:"253402300799999"`

	VisibleToReporter int64 `json:"visible_to_reporter" default:"0" minimum:"0" maximum:"1"`
	// The page on which a reporter has written the comment. No export has pages.
	ReporterPage *string `json:"reporter_page"`
}

type reactionRow struct {
	SliceID   string `json:"slice_id"`
	CommentID string `json:"comment_id" id:"cmt"`
	Kind      string `json:"kind"`
	UserID    string `json:"user_id"`
	CreatedAt int64  `json:"created_at" minimum:"0" maximum:"253402300799999"`
}

type attachmentRow struct {
	ID          string  `json:"id" id:"att"`
	SliceID     string  `json:"slice_id"`
	WorkspaceID string  `json:"workspace_id"`
	Kind        string  `json:"kind"`
	Name        string  `json:"name"`
	ContentType string  `json:"content_type"`
	Size        int64   `json:"size" minimum:"0" maximum:"1000000000000"`
	SHA256      string  `json:"sha256"`
	Width       *int64  `json:"width" minimum:"0" maximum:"1000000000000"`
	Height      *int64  `json:"height" minimum:"0" maximum:"1000000000000"`
	Blob        string  `json:"blob"`
	Packed      int64   `json:"packed" default:"0" minimum:"0" maximum:"1"`
	Stored      int64   `json:"stored" default:"0" minimum:"0" maximum:"1000000000000"`
	Thumbnail   *string `json:"thumbnail"`
	Entries     *int64  `json:"entries" minimum:"0" maximum:"1000000000000"`
	CreatorType string  `json:"creator_type"`
	CreatorID   *string `json:"creator_id"`
	CreatorName string  `json:"creator_name"`
	Occurrence  int64   `json:"occurrence" default:"1" minimum:"1" maximum:"1000000000000"`
	Faults      int64   `json:"faults" default:"0" minimum:"0" maximum:"1000000000000"`
	Metadata    string  `json:"metadata" default:"\"unknown\""`
	Reviewed    string  `json:"reviewed" default:""`
	Symptoms    string  `json:"symptoms" default:""`
	OnlyInTexts int64   `json:"only_in_texts" default:"0" minimum:"0" maximum:"1"`
	CreatedAt   int64   `json:"created_at" minimum:"0" maximum:"253402300799999"`
}

type eventRow struct {
	ID          string  `json:"id" id:"evt"`
	OrgID       string  `json:"org_id"`
	WorkspaceID *string `json:"workspace_id"`
	Sequence    *int64  `json:"sequence" minimum:"0" maximum:"1000000000000"`
	Type        string  `json:"type"`
	ActorType   string  `json:"actor_type"`
	ActorID     *string `json:"actor_id"`
	ActorKeyID  *string `json:"actor_key_id"`
	SubjectKind string  `json:"subject_kind"`
	SubjectID   string  `json:"subject_id"`
	Data        string  `json:"data"`
	CreatedAt   int64   `json:"created_at" minimum:"0" maximum:"253402300799999"`

	RequestID     *string `json:"request_id"` // exports of before the columns were named may hold these two
	ClientAddress *string `json:"client_address"`
}

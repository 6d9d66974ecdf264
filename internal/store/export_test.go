package store

// KeyEventsQuery is the statement of KeyEvents.
const KeyEventsQuery = keyEvents

package store

// KeyEventsQuery is the statement of KeyEvents.
const KeyEventsQuery = keyEvents

// DumpedTables are the tables of a dump.
var DumpedTables = dumpedTables

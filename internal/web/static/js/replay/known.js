// What an event of a recording contains, which the server knows.
export const known = JSON.parse(document.body.dataset.events);
export const types = known.Types, sources = known.Sources;

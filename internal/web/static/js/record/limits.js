// The limits of a recording.

export const maxSeconds = 5 * 60;
const most = 2_500_000; // bits a second, which show the text of a page

/**
 * bitsPerSecond returns the quality with which the longest recording has at most nine tenths of a number of bytes.
 * @param {number} bytes
 */
export const bitsPerSecond = (bytes) => Math.max(100_000, Math.min(most, Math.floor(bytes * 8 * 0.9 / maxSeconds)));

/**
 * timeOf returns seconds as minutes and seconds.
 * @param {number} seconds
 */
export const timeOf = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;

/**
 * nameOf returns the name of a recording of a media type.
 * @param {string} type
 */
export const nameOf = (type) => `recording.${type.startsWith("video/mp4") ? "mp4" : "webm"}`;

/**
 * megabytes returns a number of bytes for people.
 * @param {number} bytes
 */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

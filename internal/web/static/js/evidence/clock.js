/**
 * clock returns a time in hours, when there are any, minutes and seconds.
 * @param {number} ms
 */
export function clock(ms) {
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1000].map((unit) => Math.floor(ms / unit) % (unit === 3_600_000 ? Infinity : 60));
  const two = (n) => String(n).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

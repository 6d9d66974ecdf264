const units = ["B", "kB", "MB", "GB"];

/**
 * sizeOf returns a number of bytes for people.
 * @param {number} bytes
 */
export function sizeOf(bytes) {
  let n = bytes, unit = 0;
  for (; n >= 1000 && unit < units.length - 1; unit++) n /= 1000;
  return `${n < 10 && unit ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}

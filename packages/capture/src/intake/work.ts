// Solves a puzzle of the instance: a number with which the SHA-256 of "salt.number" begins with enough zero bits. It works in the idle time
// of the page, without a worker, which strict policies forbid. A loop of its own is faster than SubtleCrypto, which takes a message at a
// time: see the README.
export interface Puzzle { salt: string; bits: number }

const slice = 16; // milliseconds at most, so that the page answers

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
const fraction = (root: number) => (root - Math.floor(root)) * 2 ** 32 | 0;
const rounds = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const begin = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const words = new Int32Array(64);

// digest returns the first 32 bits of the SHA-256 of a text of at most 55 letters.
export function digest(text: string): number {
  words.fill(0, 0, 16);
  const length = text.length;
  for (let n = 0; n < length; n++) words[n >> 2]! |= text.charCodeAt(n) << 24 - n % 4 * 8;
  words[length >> 2]! |= 0x80 << 24 - length % 4 * 8;
  words[15] = length * 8;
  for (let n = 16; n < 64; n++) {
    const x = words[n - 15]!, y = words[n - 2]!;
    words[n] = words[n - 16]! + words[n - 7]! + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) +
      ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10) | 0;
  }
  let a = begin[0]!, b = begin[1]!, c = begin[2]!, d = begin[3]!, e = begin[4]!, f = begin[5]!, g = begin[6]!, h = begin[7]!;
  for (let n = 0; n < 64; n++) {
    const one = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + rounds[n]! + words[n]! | 0;
    const two = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
    h = g; g = f; f = e; e = d + one | 0; d = c; c = b; b = a; a = one + two | 0;
  }
  return a + begin[0]! >>> 0;
}

const idle = () => new Promise<void>((done) => {
  if (document.hidden || !("requestIdleCallback" in window)) setTimeout(done);
  else requestIdleCallback(() => done(), { timeout: 50 });
});

/** Returns the answer to a puzzle of at most 32 bits. */
export async function solve({ salt, bits }: Puzzle): Promise<string> {
  for (let n = 0; ;) {
    for (const end = performance.now() + slice; performance.now() < end;) {
      for (const stop = n + 200; n < stop; n++) if (Math.clz32(digest(`${salt}.${n}`)) >= bits) return String(n);
    }
    await idle();
  }
}

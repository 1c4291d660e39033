/**
 * SHA-256 in plain code: the browser's own exists only on pages that came over HTTPS or from this computer, and it would need the
 * whole file in memory.
 */

/** Rounds of the hash. */
const ROUNDS = 64;
const BLOCK_BYTES = 64;
/** Bytes of the end of the last block that hold the length. */
const LENGTH_BYTES = 8;

/** The first bits behind the point of a number, as an unsigned integer of 32 bits. */
const fraction = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0;

const firstPrimes = (count: number): readonly number[] => {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes;
};

/** The constants of the standard: fractions of the cube roots, and for the start of the square roots, of the first primes. */
const CONSTANTS = Int32Array.from(firstPrimes(ROUNDS), (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));

const rotated = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

const at = (words: Int32Array, index: number): number => words[index] ?? 0;

/** A hash that takes its bytes piece by piece. */
class Sha256 {
  readonly #state = Int32Array.from(START);
  readonly #words = new Int32Array(ROUNDS);
  #rest = new Uint8Array(0);
  #length = 0;

  push(bytes: Uint8Array): void {
    this.#length += bytes.length;
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const whole = all.length - (all.length % BLOCK_BYTES);
    const view = new DataView(all.buffer);
    for (let start = 0; start < whole; start += BLOCK_BYTES) this.#block(view, start);
    this.#rest = all.slice(whole);
  }

  /** 64 lower-case hex digits of all bytes so far. Nothing can be pushed any more. */
  end(): string {
    const length = this.#length;
    const used = this.#rest.length + 1 + LENGTH_BYTES;
    const last = new Uint8Array(1 + LENGTH_BYTES + ((BLOCK_BYTES - (used % BLOCK_BYTES)) % BLOCK_BYTES));
    last[0] = 0x80;
    new DataView(last.buffer).setBigUint64(last.length - LENGTH_BYTES, BigInt(length) * 8n);
    this.push(last);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #block(bytes: DataView, start: number): void {
    const words = this.#words;
    for (let index = 0; index < 16; index++) words[index] = bytes.getInt32(start + index * 4);
    for (let index = 16; index < ROUNDS; index++) {
      const [far, near] = [at(words, index - 15), at(words, index - 2)];
      const small = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
      const large = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
      words[index] = (at(words, index - 16) + small + at(words, index - 7) + large) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = this.#state;
    for (let index = 0; index < ROUNDS; index++) {
      const mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const first = (h + mixed + ((e & f) ^ (~e & g)) + at(CONSTANTS, index) + at(words, index)) | 0;
      const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries())
      this.#state[index] = (at(this.#state, index) + word) | 0;
  }
}

/** SHA-256 of a file as 64 lower-case hex digits, read piece by piece. */
export const sha256 = async (file: Blob): Promise<string> => {
  const hash = new Sha256();
  const reader = file.stream().getReader();
  for (;;) {
    const piece = await reader.read();
    if (piece.done) return hash.end();
    hash.push(piece.value);
  }
};

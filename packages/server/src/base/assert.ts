/** Stops the current unit of work when the program itself is wrong; never used for input, which is refused with a Fault. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

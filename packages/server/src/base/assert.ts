/** Stops the current unit of work when the program itself is wrong; never used for input (style.md, Errors). */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Stops the current unit of work when the program itself is wrong; never used for input (style.md, Errors). */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Default branch of a closed union; does not compile when a member is missing. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable value: ${String(value)}`);
};

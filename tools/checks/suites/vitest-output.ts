import { stripVTControlCharacters } from 'node:util';

/** Reasons that are named, and characters of what each says. */
const NAMED = 10;
const REASON_CHARS = 800;

/** What vitest says of a floor: "ERROR: Coverage for lines (89%) does not meet ...", or "ERROR: Uncovered lines (3) exceed ...". */
const BELOW_FLOOR = /^ERROR: (?:Coverage for|Uncovered) .*$/gm;
/** Above all errors outside the tests, above each of them, and below the last. */
const ERRORS = /^⎯+ Unhandled Errors ⎯+$/m;
const ERROR = /^⎯+ (\S.*) ⎯+$/m;
const END_OF_ERRORS = /^⎯+$/m;

/**
 * Why a run of vitest failed although none of its tests did, from what it printed: floors of coverage that were not reached, and
 * errors outside the tests with the beginning of what is said of them. Where it names neither, the end of its output.
 */
export function readReasons(output: string): readonly string[] {
  const text = stripVTControlCharacters(output);
  const reasons = [...(text.match(BELOW_FLOOR) ?? []), ...errorsOutsideTests(text)];
  if (reasons.length === 0) return [`the output ends with: ${text.trim().slice(-REASON_CHARS)}`];
  return reasons.slice(0, NAMED).map((reason) => reason.slice(0, REASON_CHARS));
}

function errorsOutsideTests(text: string): readonly string[] {
  const [, below = ''] = text.split(ERRORS);
  const [errors = ''] = below.split(END_OF_ERRORS);
  const [, ...parts] = errors.split(ERROR);
  // Title and text of each error by turns.
  return parts.flatMap((title, index) => (index % 2 === 0 ? [`${title}: ${(parts[index + 1] ?? '').trim()}`] : []));
}

/** The candidate that differs least from the word, if it is close enough to be a typing error. */
export const nearestName = (word: string, candidates: readonly string[]): string | undefined => {
  const short = word.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let least = Math.min(short.length, Math.max(2, Math.floor(short.length / 3)) + 1);
  for (const candidate of candidates) {
    const distance = editDistance(short, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
};

/** `, did you mean x`, or nothing. */
export const adviceFor = (word: string, candidates: readonly string[]): string => {
  const near = nearestName(word, candidates);
  return near === undefined ? '' : `, did you mean ${near}`;
};

/** Insertions, deletions and replacements between two words. */
const editDistance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...left].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...right].entries()) {
      const changed = Number(row[j]) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, Number(row[j + 1]) + 1, Number(next[j]) + 1));
    }
    row = next;
  }
  return Number(row.at(-1));
};

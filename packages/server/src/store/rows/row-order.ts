import type { LabelRequirement } from '../contracts/index.ts';

/** Sorts behind every id, byte by byte. */
export const LAST_ID = '\u{10ffff}';

/** The requirement a scan of the label table can be driven by: equality with one value. */
export const drivingLabel = (
  requirements: readonly LabelRequirement[],
): { readonly key: string; readonly value: string } | undefined => {
  for (const requirement of requirements) {
    const [value] = requirement.op === 'in' && requirement.values.length === 1 ? requirement.values : [];
    if (value !== undefined) return { key: requirement.key, value };
  }
  return undefined;
};

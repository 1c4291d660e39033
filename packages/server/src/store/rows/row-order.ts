import type { LabelRequirement } from '../contracts/index.ts';

/** Sorts behind every id, byte by byte. */
export const LAST_ID = '\u{10ffff}';

/** A requirement that a scan of the label table can be driven by, and what is then left to look at. */
export interface DrivingLabel {
  readonly key: string;
  readonly value: string;
  readonly rest: readonly LabelRequirement[];
}

/** Values of one requirement for each of which a scan of its own pays. */
const SCANS_MAX = 256;

/** As `drivingLabel`, or the few values of one requirement that are scanned one by one; [] where neither is there. */
export const drivingLabels = (requirements: readonly LabelRequirement[]): readonly DrivingLabel[] => {
  const single = drivingLabel(requirements);
  if (single !== undefined) return [single];
  for (const requirement of requirements) {
    if (requirement.op !== 'in' || requirement.values.length > SCANS_MAX) continue;
    const { key } = requirement;
    const rest = requirements.filter((each) => each !== requirement);
    return [...new Set(requirement.values)].map((value) => ({ key, value, rest }));
  }
  return [];
};

/** The first requirement of equality with one value. */
export const drivingLabel = (requirements: readonly LabelRequirement[]): DrivingLabel | undefined => {
  for (const requirement of requirements) {
    const [value] = requirement.op === 'in' && requirement.values.length === 1 ? requirement.values : [];
    if (value === undefined) continue;
    return { key: requirement.key, value, rest: requirements.filter((each) => each !== requirement) };
  }
  return undefined;
};

/** Values of one name over the moments of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** null where nothing was measured. */
  readonly values: readonly (number | null)[];
}

/** Numbers on an axis: at most three digits and a letter, such as `950`, `1.2k`, `35k` or `2M`. */
export const shortNumber = (value: number): string => {
  const size = Math.abs(value);
  const step = STEPS.find(({ from }) => size >= from);
  if (step === undefined) return String(Math.round(value * 100) / 100);
  const scaled = value / step.from;
  return `${Math.abs(scaled) < 10 ? Math.round(scaled * 10) / 10 : Math.round(scaled)}${step.letter}`;
};

const STEPS = [
  { from: 1e12, letter: 'T' },
  { from: 1e9, letter: 'G' },
  { from: 1e6, letter: 'M' },
  { from: 1e3, letter: 'k' },
] as const;

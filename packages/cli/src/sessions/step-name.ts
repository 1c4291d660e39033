/** Names a call of a turn. */
export interface StepName {
  /** Number of the model call, from 1. */
  readonly step: number;
  /** Number of a compaction among those before the call, from 1; 0 for the call itself. */
  readonly compaction: number;
}

/** As tables show it and commands take it: `2` for a call, `2c1` for the first compaction before it. */
export const nameOfStep = ({ step, compaction }: StepName): string =>
  compaction === 0 ? String(step) : `${step}c${compaction}`;

/** Reads `nameOfStep` back; undefined for another text. */
export const stepNamed = (text: string): StepName | undefined => {
  const [, step, compaction = '0'] = /^([1-9]\d*)(?:c([1-9]\d*))?$/.exec(text) ?? [];
  return step === undefined ? undefined : { step: Number(step), compaction: Number(compaction) };
};

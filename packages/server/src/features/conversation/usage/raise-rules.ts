import type { BudgetQuestion } from '../../../runtime/contract.ts';
import type { CompiledLimit } from './limit-rules.ts';

const PERCENTS: readonly number[] = [10, 50, 100];
const OPTION = /^raise_([0-9]+)$/;
const STOP = { id: 'stop', name: 'Stop', allow: false, remember: false } as const;

/** What one of the offered raises adds to a limit: at least 1, whatever its max. */
const raiseOf = (max: number, percent: number): number => Math.max(1, Math.ceil((max * percent) / 100));

/** The question that a refusal by this limit asks. */
export const budgetQuestion = (limit: CompiledLimit, identity: string, used: number): BudgetQuestion => {
  const { metric, policy, window, max, counter, windowMicros, policyUid } = limit;
  return {
    prompt: `${metric} of policy ${policy} is used up: ${used} of ${max} within ${window}. Raise it for ${identity}?`,
    input: { metric, policy, policyUid, window, windowMicros, max, used, identity, counter },
    options: [
      ...PERCENTS.map((percent) => ({
        id: `raise_${percent}`,
        name: `Raise by ${percent} % (${raiseOf(max, percent)})`,
        allow: true,
        remember: false,
      })),
      STOP,
    ],
  };
};

/** What an answer adds, and to what. */
export interface Raise {
  readonly counter: string;
  readonly identity: string;
  readonly amount: number;
  readonly windowMicros: number;
  /** `namespace/name`. */
  readonly policy: string;
}

/** The raise that an answered question stands for; undefined for any other answer. */
export const raiseAnswered = (input: unknown, optionId: string): Raise | undefined => {
  const percent = Number(OPTION.exec(optionId)?.[1] ?? 0);
  if (!PERCENTS.includes(percent)) return undefined;
  const { counter, identity, max, windowMicros, policy } = input as Raise & { readonly max: number };
  return { counter, identity, policy, windowMicros, amount: raiseOf(max, percent) };
};

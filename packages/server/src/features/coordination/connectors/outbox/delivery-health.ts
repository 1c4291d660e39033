import type { Verdict } from './answer-rules.ts';

/** Whether a service takes deliveries, as a condition of its class says it. */
export interface Health {
  readonly status: 'True' | 'False';
  readonly reason: 'Delivering' | 'Unauthorized' | 'Unavailable';
  readonly message: string;
}

/** Attempts that must fail in a row before the condition says so. */
const FAILURES = 3;
/** Classes that are remembered; a forgotten one is counted from zero again. */
const CLASSES_MAX = 10_000;

/** Counts failures of each class in this process. A refused message is a healthy answer. */
export class DeliveryHealth {
  readonly #failures = new Map<string, number>();

  /** What the condition is to say after an attempt; undefined while it stays as it is. `shown` is the reason that it has now. */
  after(classUid: string, verdict: Verdict, shown: string): Health | undefined {
    const failures = verdict.do === 'retry' ? (this.#failures.get(classUid) ?? 0) + 1 : 0;
    if (this.#failures.size >= CLASSES_MAX) this.#failures.clear();
    this.#failures.set(classUid, failures);
    const health = healthOf(verdict, failures);
    return health?.reason === shown ? undefined : health;
  }
}

const healthOf = (verdict: Verdict, failures: number): Health | undefined => {
  if (verdict.do !== 'retry') return { status: 'True', reason: 'Delivering', message: '' };
  const message = verdict.error;
  if (verdict.isUnauthorized) return { status: 'False', reason: 'Unauthorized', message };
  return failures < FAILURES ? undefined : { status: 'False', reason: 'Unavailable', message };
};

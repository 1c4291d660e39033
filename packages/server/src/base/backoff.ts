import type { Random } from './random.ts';

export interface BackoffRule {
  readonly firstMs: number;
  readonly factor: number;
  readonly capMs: number;
  /** Random share of the wait, 0 to 1. */
  readonly jitter: number;
}

/** Milliseconds to wait after failure number `attempt`, counted from 1. */
export const backoffMs = (rule: BackoffRule, attempt: number, random: Random): number => {
  const exponent = Math.min(Math.max(0, attempt - 1), 64);
  const whole = Math.min(rule.capMs, rule.firstMs * rule.factor ** exponent);
  return Math.round(whole * (1 - rule.jitter) + whole * rule.jitter * random.next());
};

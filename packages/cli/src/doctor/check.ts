/** One line of `svc doctor`. */
export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; empty if all is well. */
  readonly remedy: string;
}

export const ok = (name: string, detail: string): Check => ({ name, result: 'ok', detail, remedy: '' });
export const warn = (name: string, detail: string, remedy: string): Check => ({ name, result: 'warn', detail, remedy });
export const fail = (name: string, detail: string, remedy: string): Check => ({ name, result: 'fail', detail, remedy });

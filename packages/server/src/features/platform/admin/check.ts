/** One line of `svc doctor`: what was checked, the result, and what to do unless it is well. */
export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** '' for ok. */
  readonly remedy: string;
}

export const ok = (name: string, detail: string): Check => ({ name, result: 'ok', detail, remedy: '' });

export const warn = (name: string, detail: string, remedy: string): Check => ({ name, result: 'warn', detail, remedy });

export const fail = (name: string, detail: string, remedy: string): Check => ({ name, result: 'fail', detail, remedy });

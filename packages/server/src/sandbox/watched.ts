import type { Clock } from '../base/index.ts';
import type { SandboxEnd } from './contract.ts';

/** Asked again and again while a command runs: why it has to end, undefined while it may continue. */
export interface Watch {
  readonly everyMs: number;
  readonly check: () => Promise<SandboxEnd | undefined>;
}

/** Asks until the answer is called, or until the command has to end. */
export const watched = (
  { watch, clock }: { readonly watch?: Watch | undefined; readonly clock: Pick<Clock, 'after'> },
  end: (why: SandboxEnd) => void,
): (() => void) => {
  if (watch === undefined) return () => undefined;
  let isOver = false;
  let cancel = (): void => undefined;
  const arm = (): void => {
    cancel = clock.after(watch.everyMs, () => {
      watch.check().then(
        (why) => {
          if (why !== undefined) end(why);
          else if (!isOver) arm();
        },
        // What cannot be watched must not continue.
        () => end('stopped'),
      );
    });
  };
  arm();
  return () => {
    isOver = true;
    cancel();
  };
};

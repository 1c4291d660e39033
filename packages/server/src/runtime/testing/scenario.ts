import { isFault } from '../../base/index.ts';
import type { Machine } from './machine.ts';

/** A request may be refused with a Fault, which promises nothing; any other error is a defect. */
const request = (machine: Machine, work: Promise<unknown>): void => {
  work.catch((error: unknown) => {
    if (!isFault(error)) machine.record.note(`request failed: ${String(error)}`);
  });
};

/** Two steps: parallel reads and a write, then a question. */
const STEPS =
  '!tool look {"n":1}\n!tool peek {"n":2}\n!tool put {"n":3}\n!say half way\n!tool guarded {"n":4}\n!say all done';

/** Two steps with parallel reads, a write, a question; a steer; a queued turn; an interrupt. Every send may be lost. */
export const drive = async (machine: Machine, session: string): Promise<void> => {
  const sent = new Set<string>();
  const post = (name: string, text: string, whenBusy: 'QUEUE' | 'STEER' | 'INTERRUPT'): void => {
    if (sent.has(name)) return;
    sent.add(name);
    request(machine, machine.send(session, text, { whenBusy }));
  };
  post('first', STEPS, 'QUEUE');
  await machine.quiet();
  post('steer', 'and one more thing', 'STEER');
  post('queued', 'next please', 'QUEUE');
  await machine.quiet();
};

/** What a person does while time passes: answers, and interrupts once a question was answered. */
export const person = (machine: Machine, session: string) => {
  let interrupted = false;
  return async (): Promise<void> => {
    for (const question of await machine.questions()) {
      if (machine.process.gate.dead) return;
      request(machine, machine.answer(question, true));
    }
    await machine.quiet();
    if (interrupted) return;
    interrupted = true;
    request(
      machine,
      machine.send(session, 'stop that\n!tool put {"n":9}\n!say interrupted', { whenBusy: 'INTERRUPT' }),
    );
  };
};

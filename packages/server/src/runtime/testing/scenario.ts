import { isFault } from '../../base/index.ts';
import { parseBody } from '../contract.ts';
import type { Machine } from './machine.ts';

/** A request may be refused with a Fault, which promises nothing; any other error is a defect. */
const request = (machine: Machine, work: Promise<unknown>): void => {
  work.catch((error: unknown) => {
    if (!isFault(error)) machine.record.note(`request failed: ${String(error)}`);
  });
};

/** Three steps: parallel reads and a write, a question, then data from a person and an event from outside. */
const STEPS =
  '!tool look {"n":1}\n!tool peek {"n":2}\n!tool put {"n":3}\n!say half way\n!tool guarded {"n":4}\n!tool inquire {}\n!tool expect {"name":"rain"}\n!say all done';

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

/** A question, the data asked for, the event: then nothing is waited for any more. */
const ROUNDS_BEFORE_INTERRUPT = 3;

/** What happens while time passes: a person answers, the awaited event comes, and once that is done a message interrupts. */
export const person = (machine: Machine, session: string) => {
  let interrupted = false;
  let rounds = 0;
  return async (): Promise<void> => {
    for (const question of await machine.questions()) {
      if (machine.process.gate.dead) return;
      request(machine, machine.answer(question, true));
    }
    await machine.quiet();
    for (const turn of await machine.openTurns()) {
      if (machine.process.gate.dead) return;
      const isWaiting = Object.keys(parseBody(turn).pauses ?? {}).length > 0;
      if (isWaiting) request(machine, machine.happen('rain', turn.id));
    }
    await machine.quiet();
    rounds += 1;
    if (interrupted || rounds < ROUNDS_BEFORE_INTERRUPT) return;
    interrupted = true;
    request(
      machine,
      machine.send(session, 'stop that\n!tool put {"n":9}\n!say interrupted', { whenBusy: 'INTERRUPT' }),
    );
  };
};

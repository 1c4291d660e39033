import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { openSession, type SessionOptions } from './open-session.ts';

/** `svc session stop ID`: stops all turns, or one with --turn. */
export const stop = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(host, name, options);
  const stopped = await session.stop(options.turn);
  host.stdout.write(stopped.length === 0 ? 'nothing was running\n' : `stopped ${stopped.join(' ')}\n`);
};

/** `svc session clear ID`: deletes its messages and keeps the session. */
export const clear = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(host, name, options);
  await session.clear({ stop: options.stop === true });
  host.stdout.write(`session/${session.id} cleared\n`);
};

/** `svc session compact ID`: asks for a summary of the conversation so far, which the next turn writes. */
export const compact = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(host, name, options);
  await session.compact();
  host.stdout.write(`session/${session.id} is compacted by its next turn\n`);
};

/** `svc session fork ID`: a new session with the same messages, or those up to one. */
export const fork = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(host, name, options);
  const forked = await session.fork(options.through);
  host.stdout.write(`session/${forked.id} created\n`);
};

/** `svc session permit ID REQUEST allow|deny`. */
export const permit = async (host: Host, args: readonly string[], options: SessionOptions): Promise<void> => {
  const [name = '', request = '', decision = ''] = args;
  if (decision !== 'allow' && decision !== 'deny') {
    throw new CommandFailure(`${decision} is not a decision`, { hint: 'allow or deny' });
  }
  const { session } = await openSession(host, name, options);
  const { option: optionId, comment } = options;
  await session.answerPermission(request, {
    allow: decision === 'allow',
    ...(optionId === undefined ? {} : { optionId }),
    ...(comment === undefined ? {} : { comment }),
  });
  host.stdout.write(`${decision === 'allow' ? 'allowed' : 'denied'}\n`);
};

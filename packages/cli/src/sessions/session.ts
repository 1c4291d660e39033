import { CommandFailure } from '../failure.ts';
import type { World } from '../world.ts';
import { openSession, type SessionOptions } from './open-session.ts';

/** `svc session stop ID`: stops all turns, or one with --turn. */
export const stop = async (world: World, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(world, name, options);
  const stopped = await session.stop(options.turn);
  world.stdout.write(stopped.length === 0 ? 'nothing was running\n' : `stopped ${stopped.join(' ')}\n`);
};

/** `svc session clear ID`: deletes its messages and keeps the session. */
export const clear = async (world: World, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(world, name, options);
  await session.clear({ stop: options.stop === true });
  world.stdout.write(`session/${session.id} cleared\n`);
};

/** `svc session fork ID`: a new session with the same messages, or those up to one. */
export const fork = async (world: World, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(world, name, options);
  const forked = await session.fork(options.through);
  world.stdout.write(`session/${forked.id} created\n`);
};

/** `svc session permit ID REQUEST allow|deny`. */
export const permit = async (world: World, args: readonly string[], options: SessionOptions): Promise<void> => {
  const [name = '', request = '', decision = ''] = args;
  if (decision !== 'allow' && decision !== 'deny') {
    throw new CommandFailure(`${decision} is not a decision`, { hint: 'allow or deny' });
  }
  const { session } = await openSession(world, name, options);
  const { option: optionId, comment } = options;
  await session.answerPermission(request, {
    allow: decision === 'allow',
    ...(optionId === undefined ? {} : { optionId }),
    ...(comment === undefined ? {} : { comment }),
  });
  world.stdout.write(`${decision === 'allow' ? 'allowed' : 'denied'}\n`);
};

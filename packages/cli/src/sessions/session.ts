import { resolve } from 'node:path';
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

/** What a fork runs with in place of what its agent says; undefined for nothing. */
const overridesOf = (host: Host, options: SessionOptions) => {
  const { model, temperature, systemPromptFile } = options;
  const overrides = {
    ...(model === undefined ? {} : modelOf(model)),
    ...(temperature === undefined ? {} : { temperature: numberOf(temperature) }),
    ...(systemPromptFile === undefined ? {} : { systemPrompt: promptIn(host, systemPromptFile) }),
  };
  return Object.keys(overrides).length === 0 ? undefined : overrides;
};

const promptIn = (host: Host, path: string): string => {
  const text = host.files.readText(resolve(host.cwd, path));
  if (text === undefined) throw new CommandFailure(`there is no file ${path}`);
  return text;
};

/** `provider/model`; names of models may hold slashes, names of providers none. */
const modelOf = (given: string) => {
  const at = given.indexOf('/');
  if (at < 1 || at === given.length - 1)
    throw new CommandFailure(`${given} is not a model`, { hint: '--model PROVIDER/MODEL, such as demo/echo' });
  return { provider: given.slice(0, at), model: given.slice(at + 1) };
};

const numberOf = (given: string): number => {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isNaN(value)) throw new CommandFailure(`${given} is not a temperature`, { hint: 'a number from 0 to 2' });
  return value;
};

/** `svc session fork ID`: a new session with the same messages, or those up to one, perhaps with another model or prompt. */
export const fork = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const overrides = overridesOf(host, options);
  const { session } = await openSession(host, name, options);
  const forked = await session.fork(options.through, overrides === undefined ? {} : { overrides });
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

import { toJson } from '@bufbuild/protobuf';
import { TurnState } from '@svc/api/data';
import { SendMessageResponseSchema } from '@svc/api/gateway';
import { durationMs, isDuration, timeoutMs } from '../connection.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { harmless } from '../terminal/index.ts';
import { openSession, type SessionOptions } from './open-session.ts';

export interface SendOptions extends SessionOptions {
  readonly wait?: string | boolean;
  readonly whenBusy?: string;
  readonly labels?: string;
}

const whenBusyWords = ['queue', 'steer', 'interrupt', 'reject'] as const;
const WAIT_SECONDS = 300;

/** `svc send SESSION TEXT`: with --wait prints the reply on standard output, else the ids of what was accepted. */
export const send = async (host: Host, args: readonly string[], options: SendOptions): Promise<void> => {
  const [name = '', given] = args;
  if (given === undefined && typeof options.wait === 'string' && !isDuration(options.wait))
    throw new CommandFailure(`--wait took "${options.wait}" for a duration`, {
      hint: `write the text first: svc send ${name} "${options.wait}" --wait`,
    });
  const text = given ?? (host.stdin.isTerminal ? '' : (await host.stdin.readAll()).trim());
  if (text === '')
    throw new CommandFailure('there is nothing to send', { hint: 'svc send SESSION "text", or pipe the text in' });
  const whenBusy = whenBusyWords.find((word) => word === (options.whenBusy ?? 'queue'));
  if (whenBusy === undefined)
    throw new CommandFailure(`--when-busy ${options.whenBusy} is unknown`, { hint: whenBusyWords.join(', ') });
  const waitSeconds = waitOf(options);
  const { session } = await openSession(host, name, options);
  const sent = await session.send(text, { whenBusy, ...(waitSeconds === undefined ? {} : { waitSeconds }) });
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') {
    await printValue(host, toJson(SendMessageResponseSchema, sent, { alwaysEmitImplicit: true }), form);
  } else if (waitSeconds === undefined) host.stdout.write(`message ${sent.messageId}\nturn    ${sent.turnId}\n`);
  else if (sent.reply !== '') host.stdout.write(`${harmless(sent.reply).trimEnd()}\n`);
  if (sent.error !== '') throw new CommandFailure(sent.error);
  const isOver = sent.turnState === TurnState.COMPLETED || sent.turnState === TurnState.STOPPED;
  if (waitSeconds !== undefined && !isOver) {
    throw new CommandFailure(`still running after ${waitSeconds} s`, {
      exitCode: exitCodes.timeout,
      hint: `svc session watch ${session.id}`,
    });
  }
};

/** `--wait`, `--wait 30` or --timeout, as whole seconds from 1 to 300. */
const waitOf = (options: SendOptions): number | undefined => {
  if (options.wait === undefined || options.wait === false) return undefined;
  const given = typeof options.wait === 'string' ? durationMs('--wait', options.wait) : timeoutMs(options);
  return given === undefined ? WAIT_SECONDS : Math.min(WAIT_SECONDS, Math.max(1, Math.ceil(given / 1_000)));
};

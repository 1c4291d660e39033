import { isSvcError, type Session } from '@svc/client';
import { connect, type GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { findSession } from '../kinds/index.ts';
import { styleFor } from '../terminal/index.ts';
import { attachmentOf } from './attachments.ts';
import { type ChatPlace, recallChat, rememberChat } from './chat-memory.ts';
import { Conversation, Leave } from './conversation.ts';
import { talkOnce } from './one-turn.ts';
import { ReplyRenderer } from './reply-renderer.ts';

export interface ChatOptions extends GlobalOptions {
  readonly session?: string;
  readonly new?: boolean;
  readonly message?: string;
  readonly file?: readonly string[];
  readonly showReasoning?: boolean;
}

/** Agent of `svc chat` without a name; `svc up` creates it. */
const DEFAULT_AGENT = 'demo';

/** `svc chat [AGENT]`: a conversation at a terminal; with -m or from a pipe, a single turn. */
export const chat = async (host: Host, agent: string | undefined, options: ChatOptions): Promise<void> => {
  const isPiped = !host.stdin.isTerminal;
  const opened = await openContext(host, options);
  const context = {
    ...opened,
    client: await connect(host, opened.target, { ...options, isPatient: options.message === undefined && !isPiped }),
  };
  if (options.message === undefined && !isPiped) return talk(context, agent, options);
  const piped = isPiped && options.message === undefined ? await host.stdin.readAll() : '';
  const text = (options.message ?? piped).trim();
  if (text === '')
    throw new CommandFailure('there is nothing to send', { hint: 'svc chat -m "hello", or pipe the text in' });
  const session = await oneTurnSession(context, agent, options);
  const isLive = host.stdout.isTerminal;
  const write = (shown: string): void => host.stdout.write(shown);
  const style = styleFor(host.stdout, host.environment, options.color);
  const columns = host.stdout.columns;
  // Without a terminal there are no colours or updates; the text of the reply is written at the end.
  const renderer = new ReplyRenderer({
    write: isLive ? write : () => undefined,
    style,
    showReasoning: options.showReasoning === true,
    columns,
  });
  const terminal = isLive && host.stdin.isTerminal ? await host.openTerminal() : undefined;
  const release = host.onInterrupt(() => void session.stop().catch(() => undefined));
  try {
    const attachments = (options.file ?? []).map((path) => attachmentOf(host, path));
    const { client, note } = context;
    await talkOnce({ client, session, terminal, renderer, write, note, style, columns }, { text, attachments, isLive });
  } finally {
    release();
    terminal?.close();
  }
};

/** A new session unless one is named: a script must not continue yesterday's conversation. */
const oneTurnSession = async (
  context: CommandContext,
  agent: string | undefined,
  options: ChatOptions,
): Promise<Session> => {
  if (options.session !== undefined) return named(context, agent, options.session);
  return context.client.createSession({ ns: context.target.namespace, agent: agent ?? DEFAULT_AGENT });
};

const named = async (context: CommandContext, agent: string | undefined, name: string): Promise<Session> => {
  const key = await findSession({ ...context.scope, agent }, name);
  return context.client.session(key);
};

const talk = async (context: CommandContext, agent: string | undefined, options: ChatOptions): Promise<void> => {
  const { host, client, target, note, noteStyle } = context;
  const { session, isContinued } = await talkSession(context, agent, options);
  const place: ChatPlace = { server: target.server, namespace: session.key.ns, agent: session.key.agent };
  rememberChat(host, place, session.id);
  note(
    `${noteStyle.bold(place.agent)} in ${place.namespace}, conversation ${session.id}${isContinued ? ' (continued; /new starts afresh)' : ''}`,
  );
  note(noteStyle.dim('/help lists commands, Ctrl-C stops an answer, Ctrl-D leaves'));
  const terminal = await host.openTerminal();
  const style = styleFor(host.stdout, host.environment, options.color);
  const parts = { host, client, place, terminal, style, note, showReasoning: options.showReasoning === true };
  try {
    await new Conversation(parts, session).run();
  } catch (error) {
    if (error instanceof Leave)
      throw new CommandFailure('left while an answer was being stopped', { exitCode: exitCodes.interrupted });
    throw error;
  } finally {
    terminal.close();
  }
};

/** The named session, else the last one with this agent if it still exists, else a new one. */
const talkSession = async (
  context: CommandContext,
  agent: string | undefined,
  options: ChatOptions,
): Promise<{ readonly session: Session; readonly isContinued: boolean }> => {
  const { host, client, target } = context;
  if (options.session !== undefined)
    return { session: await named(context, agent, options.session), isContinued: true };
  const key = { ns: target.namespace, agent: agent ?? DEFAULT_AGENT };
  const last =
    options.new === true ? undefined : recallChat(host, { server: target.server, namespace: key.ns, agent: key.agent });
  if (last !== undefined) {
    const session = client.session({ ...key, sessionId: last });
    if (await exists(session)) return { session, isContinued: true };
  }
  return { session: await client.createSession(key), isContinued: false };
};

const exists = async (session: Session): Promise<boolean> => {
  try {
    await session.get(-1);
    return true;
  } catch (error) {
    if (isSvcError(error) && error.code === 'NOT_FOUND') return false;
    throw error;
  }
};

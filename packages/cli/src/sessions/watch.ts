import { toJson } from '@bufbuild/protobuf';
import { type SessionMessage, SessionMessagePartType, SessionMessageSchema } from '@svc/api/data';
import { SessionMessagePartEventSchema } from '@svc/api/events';
import { type ConnectionState, type Session, textOf, viewOfMessages } from '@svc/client';
import { ReplyRenderer } from '../chat/index.ts';
import type { CommandContext } from '../context.ts';
import type { Host } from '../host.ts';
import { followWithin, lostText } from '../live-stream.ts';
import { outputForm, printList, printValue } from '../output.ts';
import { harmless, localTime, styleFor } from '../terminal/index.ts';
import { openSession, type SessionOptions } from './open-session.ts';

const MESSAGES_SHOWN = 50;

/** `svc session messages ID`: the newest messages, in order of time. */
export const messages = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const { session } = await openSession(host, name, options);
  const wanted =
    options.limit === undefined ? MESSAGES_SHOWN : Math.max(1, Number.parseInt(options.limit, 10) || MESSAGES_SHOWN);
  const found = await newestMessages(session, wanted);
  const form = outputForm(options.output);
  if (form.form === 'table' || form.form === 'wide') return printMessages(host, found, options);
  const objects = found.map((message) => toJson(SessionMessageSchema, message, { alwaysEmitImplicit: true }));
  return printList(host, { items: objects }, form);
};

const newestMessages = async (session: Session, wanted: number): Promise<readonly SessionMessage[]> => {
  let found: SessionMessage[] = [];
  let beforeMessageId: string | undefined;
  while (found.length < wanted) {
    const pageSize = Math.min(200, wanted - found.length);
    const page = await session.messages(beforeMessageId === undefined ? { pageSize } : { pageSize, beforeMessageId });
    found = [...page.items.flatMap((item) => item.message ?? []), ...found];
    beforeMessageId = page.nextBeforeMessageId;
    if (!page.hasMore || beforeMessageId === undefined) break;
  }
  return found;
};

const printMessages = (host: Host, found: readonly SessionMessage[], options: SessionOptions): void => {
  const style = styleFor(host.stdout, host.environment, options.color);
  for (const shown of viewOfMessages(found).messages) {
    const message = found.find((candidate) => candidate.id === shown.id);
    const time = localTime(Number(message?.createdAt ?? 0) / 1_000);
    const tools = shown.parts
      .filter((part) => part.name !== '' && part.partType === SessionMessagePartType.TOOL_CALL)
      .map((part) => part.name);
    const used = tools.length === 0 ? '' : `  (${tools.join(', ')})`;
    host.stdout.write(`${style.bold(shown.role)} ${style.dim(`${time}  ${shown.id}${used}`)}\n`);
    host.stdout.write(`${harmless(textOf(shown)).trimEnd()}\n\n`);
  }
};

/** `svc session stream ID`: events as JSON lines, until the requested end or Ctrl-C. */
export const stream = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const { context, session } = await openSession(host, name, options);
  const { after, untilDone, turn: turnId } = options;
  const onConnection = lostNotes(context);
  const open = (signal: AbortSignal) => session.stream({ after, untilDone, turnId, signal, onConnection });
  for await (const event of followWithin(context, open))
    await printValue(host, toJson(SessionMessagePartEventSchema, event, { alwaysEmitImplicit: true }), {
      form: 'jsonl',
    });
};

/** `svc session watch ID`: events of a session, shown as in a chat, until Ctrl-C. */
export const watch = async (host: Host, name: string, options: SessionOptions): Promise<void> => {
  const { context, session } = await openSession(host, name, options);
  const renderer = new ReplyRenderer({
    write: (text) => host.stdout.write(text),
    style: styleFor(host.stdout, host.environment, options.color),
    showReasoning: options.showReasoning === true,
    columns: host.stdout.columns,
  });
  const { after = '', untilDone } = options;
  const onConnection = lostNotes(context);
  const onSnapshot = (): void =>
    context.note('some events are too old to show; `svc session messages` has the messages');
  const open = (signal: AbortSignal) => session.stream({ after, untilDone, signal, onConnection, onSnapshot });
  try {
    for await (const event of followWithin(context, open)) renderer.show(event);
  } finally {
    renderer.breakLine();
  }
};

/** Reports on standard error when the stream is interrupted and when it continues. */
const lostNotes = (context: CommandContext) => {
  let isLost = false;
  return (state: ConnectionState): void => {
    if (state.state === 'lost' && !isLost) context.note(lostText(state.error));
    if (state.state === 'open' && isLost) context.note('connected again');
    isLost = state.state === 'lost';
  };
};

import { type MessageInitShape, toJson } from '@bufbuild/protobuf';
import { type LogLine, LogLineSchema, type StreamLogsRequestSchema } from '@svc/api/gateway';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { liveEvents } from '../live-stream.ts';
import { outputForm } from '../output.ts';
import { harmless, localTime, type Style, styleFor } from '../terminal/index.ts';
import type { LogOptions } from './logs.ts';
import { sinceMicros } from './since.ts';

/** The largest number that the server takes. */
const TAIL_MAX = 2_147_483_647;

/** The newest lines of the server's log; with -f also what it writes, until Ctrl-C. A lost connection is continued. */
export const printLogs = async (host: Host, options: LogOptions): Promise<void> => {
  const { form } = outputForm(options.output);
  const isJson = form === 'json' || form === 'jsonl';
  if (!isJson && form !== 'table' && form !== 'wide')
    throw new CommandFailure(`log lines have no form ${form}`, { hint: 'table or jsonl' });
  const tail = tailOf(options.tail);
  const since = sinceMicros(host, options.since);
  const context = await openContext(host, options);
  const style = styleFor(host.stdout, host.environment, options.color);
  const { level = '', contains = '', follow = false } = options;
  const filter = { level, contains, keptOnly: !follow };
  let request: MessageInitShape<typeof StreamLogsRequestSchema> = { ...filter, since, tail };
  const source = {
    canResume: () => true,
    open: (signal: AbortSignal, onOpen: () => void) =>
      context.client.admin.streamLogs(request, {
        signal,
        onOpen: () => {
          onOpen();
          // A stream of new lines only that breaks before its first one is continued from when it was opened.
          if (request.tail === 0) request = { ...filter, since: BigInt(host.nowMs()) * 1_000n };
        },
      }),
  };
  for await (const line of liveEvents(context, source)) {
    request = { ...filter, after: line.id };
    host.stdout.write(isJson ? `${JSON.stringify(toJson(LogLineSchema, line))}\n` : lineText(line, style));
  }
};

/** Of `--tail`; undefined when not given. Throws CommandFailure for what is not a number of lines. */
const tailOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= TAIL_MAX) return count;
  throw new CommandFailure(`--tail ${text} is not a number of lines`, { hint: '0 for new lines only, or more' });
};

const lineText = ({ timestamp, level, message, fieldsJson }: LogLine, style: Style): string => {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(fieldsJson);
  const facts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = [level.padEnd(5), message, ...facts].join(' ');
  return `${style.dim(localTime(Number(timestamp) / 1_000))} ${harmless(text)}\n`;
};

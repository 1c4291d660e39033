import { toJson } from '@bufbuild/protobuf';
import { type LogLine, LogLineSchema } from '@svc/api/gateway';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { liveEvents } from '../live-stream.ts';
import { outputForm } from '../output.ts';
import { harmless, localTime, type Style, styleFor } from '../terminal/index.ts';
import type { LogOptions } from './logs.ts';

/** The newest lines of the server's log and what it writes, until Ctrl-C; a lost connection is continued. */
export const followLogs = async (host: Host, options: LogOptions): Promise<void> => {
  const { form } = outputForm(options.output);
  const isJson = form === 'json' || form === 'jsonl';
  if (!isJson && form !== 'table' && form !== 'wide')
    throw new CommandFailure(`log lines have no form ${form}`, { hint: 'table or jsonl' });
  const context = await openContext(host, options);
  const style = styleFor(host.stdout, host.environment, options.color);
  const { level = '', contains = '', history = true } = options;
  let after = history ? '' : 'live';
  const source = {
    canResume: () => true,
    open: (signal: AbortSignal, onOpen: () => void) =>
      context.client.admin.streamLogs({ level, contains, after }, { signal, onOpen }),
  };
  for await (const line of liveEvents(context, source)) {
    after = line.id;
    host.stdout.write(isJson ? `${JSON.stringify(toJson(LogLineSchema, line))}\n` : lineText(line, style));
  }
};

const lineText = ({ timestamp, level, message, fieldsJson }: LogLine, style: Style): string => {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(fieldsJson);
  const facts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = [level.padEnd(5), message, ...facts].join(' ');
  return `${style.dim(localTime(Number(timestamp) / 1_000))} ${harmless(text)}\n`;
};

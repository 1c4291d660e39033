import type { JsonObject } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import { type ResourceChangedEvent, ResourceChangedEventSchema, ResourceChangeType } from '@svc/api/events';
import { isSvcError } from '@svc/client/error';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { kindOf } from '../kinds/index.ts';
import { type LiveSource, liveEvents } from '../live-stream.ts';
import { outputForm } from '../output.ts';
import { harmless, localTime } from '../terminal/index.ts';
import type { EventOptions } from './events.ts';
import { sinceMicros } from './since.ts';

/** Changes of resources that the server still has, oldest first; with -f also new ones, until Ctrl-C. */
export const showChanges = async (host: Host, options: EventOptions): Promise<void> => {
  const isJson = isJsonLines(options.output);
  const since = sinceMicros(host, options.since);
  const context = await openContext(host, options);
  const ns = options.allNamespaces === true ? '-' : context.target.namespace;
  const kinds = (options.kind ?? []).map((word) => kindOf(word).name);
  const request = { ns, kinds, recursive: options.recursive === true };
  const end = options.follow === true ? undefined : await newestVersion(context, ns);
  if (end === 0n) return;
  const print = (event: ResourceChangedEvent): void =>
    host.stdout.write(isJson ? `${JSON.stringify(jsonOf(event))}\n` : lineOf(event));
  for await (const event of liveEvents(context, changes(context, request))) {
    const version = BigInt(event.resourceVersion === '' ? 0 : event.resourceVersion);
    const isBookmark = event.changeType === ResourceChangeType.BOOKMARK;
    if (!isBookmark && (end === undefined || version <= end) && event.timestamp >= since) print(event);
    if (end !== undefined && version >= end) return;
  }
};

/**
 * Asks the server to signal when everything up to the start of the watch has been sent: the newest version may belong to a change that
 * is not shown. A server without this preference signals it with the first bookmark of a quiet period.
 */
const HEADERS = { prefer: 'svc-bookmark' } as const;

/** Events come one at a time: as lines, or as lines of JSON. */
const isJsonLines = (output: string | undefined): boolean => {
  const { form } = outputForm(output);
  if (['table', 'wide'].includes(form)) return false;
  if (['json', 'jsonl'].includes(form)) return true;
  throw new CommandFailure(`events have no form ${form}`, { hint: 'table or jsonl' });
};

interface WatchRequest {
  readonly ns: string;
  readonly kinds: string[];
  readonly recursive: boolean;
}

/** The version up to which everything has been sent; a namespace without resources has no changes to wait for. */
const newestVersion = async ({ client }: CommandContext, ns: string): Promise<bigint> => {
  const { resourceVersion } = await client.resources.listResources({ ns, pageSize: 1, metadataOnly: true });
  return BigInt(resourceVersion === '' ? 0 : resourceVersion);
};

/** Every change that is kept, beginning with the oldest. */
const changes = ({ client, note }: CommandContext, request: WatchRequest): LiveSource<ResourceChangedEvent> => {
  let resourceVersion = '0';
  const follow = async function* (signal: AbortSignal, onOpen: () => void): AsyncGenerator<ResourceChangedEvent> {
    const call = { signal, onOpen, headers: HEADERS };
    for await (const event of client.resources.watchResources({ ...request, resourceVersion }, call)) {
      resourceVersion = event.resourceVersion;
      yield event;
    }
  };
  return {
    canResume: () => true,
    async *open(signal, onOpen) {
      try {
        yield* follow(signal, onOpen);
      } catch (error) {
        const oldest = Number(isSvcError(error) ? (error.metadata['oldest'] ?? Number.NaN) : Number.NaN);
        if (!isSvcError(error) || error.reason !== 'VERSION_EXPIRED' || !Number.isSafeInteger(oldest)) throw error;
        note('older changes are no longer kept');
        resourceVersion = String(oldest - 1);
        yield* follow(signal, onOpen);
      }
    },
  };
};

const WORDS: Readonly<Partial<Record<ResourceChangeType, string>>> = {
  [ResourceChangeType.CREATED]: 'created',
  [ResourceChangeType.UPDATED]: 'updated',
  [ResourceChangeType.DELETED]: 'deleted',
};

/** Fixed widths that fit most values, because lines come one at a time. */
const WIDTHS = { kind: 19, word: 7 } as const;

const lineOf = (event: ResourceChangedEvent): string => {
  const { namespace, resourceKind, name, changeType, changedSections, timestamp } = event;
  const sections =
    changeType === ResourceChangeType.UPDATED && changedSections.length > 0 ? `  (${changedSections.join(', ')})` : '';
  const subject = namespace === '' ? name : `${namespace}/${name}`;
  const time = localTime(Number(timestamp) / 1_000);
  const word = (WORDS[changeType] ?? '').padEnd(WIDTHS.word);
  return `${time}  ${word}  ${resourceKind.padEnd(WIDTHS.kind)}  ${harmless(subject)}${sections}\n`;
};

const jsonOf = (event: ResourceChangedEvent): JsonObject => {
  const { resource: _, ...facts } = toJson(ResourceChangedEventSchema, event, {
    alwaysEmitImplicit: true,
  }) as JsonObject;
  return facts;
};

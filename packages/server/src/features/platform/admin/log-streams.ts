import { create } from '@bufbuild/protobuf';
import { type LogLine, LogLineSchema, type StreamLogsRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { type Ids, invalidField, type LogEntry, type WrittenLines } from '../../../base/index.ts';
import type { StreamSink } from '../../../operations/index.ts';
import { FormingSink, Hub, Member, type Numbered, Reader, RecentFeed } from '../../../streams/index.ts';

/** What is kept for those who look after something happened. */
const KEPT = { events: 1_000, bytes: 2 * 1024 * 1024 };
/** In rising order. */
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

interface LogStreamsDeps {
  readonly lines: WrittenLines;
  readonly ids: Pick<Ids, 'next'>;
  /** What may wait for a slow reader. */
  readonly limits: { readonly events: number; readonly bytes: number };
}

/** A line with its facts as JSON text, written once for all readers. */
interface KeptLine extends Omit<LogEntry, 'fields'> {
  readonly fieldsJson: string;
}

type NumberedLine = Numbered<KeptLine>;

const sizeOf = ({ message, fieldsJson }: KeptLine): number => message.length + fieldsJson.length;

/** StreamLogs: the newest lines of this process, then what it writes. They are in memory only, like the terminal they go to. */
export class LogStreams {
  readonly #deps: LogStreamsDeps;
  readonly #hub = new Hub<NumberedLine, Member<NumberedLine>, RecentFeed<KeptLine>>(
    new RecentFeed({ ...KEPT, sizeOf }),
  );

  constructor(deps: LogStreamsDeps) {
    this.#deps = deps;
    this.#hub.feed.restart(deps.ids.next());
    deps.lines.subscribe(({ fields, ...line }) =>
      this.#hub.receive(this.#hub.feed.add({ ...line, fieldsJson: JSON.stringify(fields) })),
    );
  }

  /** Throws FIELD_INVALID for a level that is none, or a negative number of lines. */
  async stream(request: StreamLogsRequest, call: CallContext, sink: StreamSink<LogLine>): Promise<void> {
    const isWanted = filterOf(request);
    const place = await this.#placeOf(request, isWanted);
    const reader = new Reader(new FormingSink<NumberedLine, LogLine>(sink, formOf), this.#deps.limits);
    const member = new FilteredMember(reader, this.#hub, { isWanted, isOver: request.keptOnly });
    reader.expect(1);
    this.#hub.add(member);
    reader.adopt(member);
    await reader.run(call.signal, async () => {
      sink.open();
      member.follow.start(place, false);
    });
  }

  /** Behind which line a stream begins: everything wanted of what is kept comes after it. */
  async #placeOf(request: StreamLogsRequest, isWanted: (line: KeptLine) => boolean): Promise<number> {
    const { after, tail, since } = request;
    if (tail !== undefined && tail < 0) throw invalidField('tail', 'must not be negative');
    const { feed } = this.#hub;
    if (after === 'live' || tail === 0) return feed.newest;
    const place = feed.placeOf(after) ?? feed.start;
    const { items } = await feed.fill(place);
    const isRecent = ({ atMs }: KeptLine): boolean => BigInt(atMs) * 1_000n >= since;
    const wanted = items.filter(({ event }) => isRecent(event) && isWanted(event));
    const first = wanted[tail === undefined ? 0 : Math.max(0, wanted.length - tail)];
    return first === undefined ? feed.newest : first.sequence - 1;
  }
}

interface MemberRules {
  readonly isWanted: (line: KeptLine) => boolean;
  /** True: nothing follows what was kept at the start. */
  readonly isOver: boolean;
}

class FilteredMember extends Member<NumberedLine> {
  readonly #rules: MemberRules;

  constructor(reader: Reader<NumberedLine>, hub: Hub<NumberedLine, Member<NumberedLine>>, rules: MemberRules) {
    super(reader, hub);
    this.#rules = rules;
  }

  override deliver(numbered: NumberedLine): void {
    if (this.#rules.isWanted(numbered.event)) super.deliver(numbered);
  }

  /** The kept lines were sent. */
  joined(): void {
    if (this.#rules.isOver) this.finish();
  }
}

const filterOf = ({ level, contains }: StreamLogsRequest): ((line: KeptLine) => boolean) => {
  const least = level === '' ? 0 : (LEVELS as readonly string[]).indexOf(level);
  if (least === -1) throw invalidField('level', `must be one of ${LEVELS.join(', ')}`);
  const wanted = contains.toLowerCase();
  const isNamed = ({ message, fieldsJson }: KeptLine): boolean =>
    `${message}\n${fieldsJson}`.toLowerCase().includes(wanted);
  return (line) => LEVELS.indexOf(line.level) >= least && (wanted === '' || isNamed(line));
};

const formOf = ({ event }: NumberedLine, id: string): LogLine =>
  create(LogLineSchema, {
    id,
    timestamp: BigInt(event.atMs) * 1_000n,
    level: event.level,
    message: event.message,
    fieldsJson: event.fieldsJson,
  });

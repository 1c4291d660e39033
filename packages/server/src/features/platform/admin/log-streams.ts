import { create } from '@bufbuild/protobuf';
import { type LogLine, LogLineSchema, type StreamLogsRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { type Ids, invalidField, type LogEntry, type WrittenLines } from '../../../base/index.ts';
import type { StreamSink } from '../../../operations/index.ts';
import { FormingSink, Hub, Member, type Numbered, Reader, RecentFeed } from '../../../streams/index.ts';

/** Lines kept for those who look after something happened. */
const KEPT_LINES = 1_000;
/** In rising order. */
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

interface LogStreamsDeps {
  readonly lines: WrittenLines;
  readonly ids: Pick<Ids, 'next'>;
  /** What may wait for a slow reader. */
  readonly limits: { readonly events: number; readonly bytes: number };
}

type NumberedLine = Numbered<LogEntry>;

/** StreamLogs: the newest lines of this process, then what it writes. They are in memory only, like the terminal they go to. */
export class LogStreams {
  readonly #deps: LogStreamsDeps;
  readonly #hub = new Hub<NumberedLine, Member<NumberedLine>, RecentFeed<LogEntry>>(new RecentFeed(KEPT_LINES));

  constructor(deps: LogStreamsDeps) {
    this.#deps = deps;
    this.#hub.feed.restart(deps.ids.next());
    deps.lines.subscribe((line) => this.#hub.receive(this.#hub.feed.add(line)));
  }

  /** Throws FIELD_INVALID for a level that is none. */
  async stream(request: StreamLogsRequest, call: CallContext, sink: StreamSink<LogLine>): Promise<void> {
    const isWanted = filterOf(request);
    const { feed } = this.#hub;
    const place = request.after === 'live' ? feed.newest : (feed.placeOf(request.after) ?? feed.start);
    const reader = new Reader(new FormingSink<NumberedLine, LogLine>(sink, formOf), this.#deps.limits);
    const member = new FilteredMember(reader, this.#hub, isWanted);
    reader.expect(1);
    this.#hub.add(member);
    reader.adopt(member);
    await reader.run(call.signal, async () => {
      sink.open();
      member.follow.start(place, false);
    });
  }
}

class FilteredMember extends Member<NumberedLine> {
  readonly #isWanted: (line: LogEntry) => boolean;

  constructor(
    reader: Reader<NumberedLine>,
    hub: Hub<NumberedLine, Member<NumberedLine>>,
    isWanted: (line: LogEntry) => boolean,
  ) {
    super(reader, hub);
    this.#isWanted = isWanted;
  }

  override deliver(numbered: NumberedLine): void {
    if (this.#isWanted(numbered.event)) super.deliver(numbered);
  }
}

const filterOf = ({ level, contains }: StreamLogsRequest): ((line: LogEntry) => boolean) => {
  const least = level === '' ? 0 : (LEVELS as readonly string[]).indexOf(level);
  if (least === -1) throw invalidField('level', `must be one of ${LEVELS.join(', ')}`);
  const wanted = contains.toLowerCase();
  const isNamed = ({ message, fields }: LogEntry): boolean =>
    message.toLowerCase().includes(wanted) || JSON.stringify(fields).toLowerCase().includes(wanted);
  return (line) => LEVELS.indexOf(line.level) >= least && (wanted === '' || isNamed(line));
};

const formOf = ({ event }: NumberedLine, id: string): LogLine =>
  create(LogLineSchema, {
    id,
    timestamp: BigInt(event.atMs) * 1_000n,
    level: event.level,
    message: event.message,
    fieldsJson: JSON.stringify(event.fields),
  });

import type { WorkflowRunEvent } from '@svc/api/data';
import type { StreamRunEventsRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, invalidField } from '../../../../base/index.ts';
import type { StreamSink } from '../../../../operations/index.ts';
import type { Bus, Store, WorkflowRunRow } from '../../../../store/contracts/index.ts';
import {
  CursorLine,
  Cursors,
  type Feed,
  type FeedSlice,
  FormingSink,
  Hub,
  Hubs,
  Member,
  Reader,
} from '../../../../streams/index.ts';
import { eventOf, isRunOver, type RunEvent, runOf, runSubject, TERMINAL_EVENTS } from '../record/index.ts';
import { findRun } from './run-access.ts';
import { runEventForm } from './run-form.ts';

/** Events read at once. */
const PAGE = 200;

/** The events of one run as a feed: numbered from 1 without holes. */
class RunFeed implements Feed<RunEvent> {
  readonly #runId: string;
  readonly #line: CursorLine;
  readonly #store: Pick<Store, 'direct'>;

  constructor(runId: string, line: CursorLine, store: Pick<Store, 'direct'>) {
    this.#runId = runId;
    this.#line = line;
    this.#store = store;
  }

  position(event: RunEvent): number {
    return event.sequence;
  }

  cursor(sequence: number): string {
    return this.#line.at(sequence);
  }

  size(event: RunEvent): number {
    return (event.message?.length ?? 0) + JSON.stringify(event.payload ?? {}).length;
  }

  continues(event: RunEvent, after: number): boolean {
    return event.sequence === after + 1;
  }

  settles(): boolean {
    return true;
  }

  async fill(after: number): Promise<FeedSlice<RunEvent>> {
    const runId = this.#runId;
    const page = { limit: PAGE, after: { sequence: after } };
    const rows = await this.#store.direct.workflowEvents.page('ofRun', { runId }, page);
    const items = rows.map(eventOf);
    return { items, position: items.at(-1)?.sequence ?? after, settled: true, isPartial: rows.length === PAGE };
  }
}

interface RunStreamsDeps {
  readonly store: Pick<Store, 'direct' | 'epoch'>;
  readonly bus: Pick<Bus, 'subscribe' | 'onGap'>;
  readonly limits: { readonly bufferEvents: number; readonly bufferBytes: number };
}

/** StreamRunEvents: what happened in a run after an event, then what happens, up to its end. */
export class RunStreams {
  readonly #deps: RunStreamsDeps;
  readonly #cursors: Cursors;
  readonly #hubs: Hubs<RunEvent, Hub<RunEvent>>;

  constructor(deps: RunStreamsDeps) {
    this.#deps = deps;
    this.#cursors = new Cursors(deps.store.epoch);
    this.#hubs = new Hubs(deps.bus);
  }

  /** Subscribes first and reads then, so that nothing falls between. */
  async stream(request: StreamRunEventsRequest, call: CallContext, sink: StreamSink<WorkflowRunEvent>): Promise<void> {
    const { direct } = this.#deps.store;
    const row = await findRun(direct, request);
    if (call.signal.aborted) return;
    const after = this.#start(request.after, row);
    const line = new CursorLine(this.#cursors.prefix(row.id));
    const hub = this.#hubs.open(row.id, runSubject(row.id), () => new Hub(new RunFeed(row.id, line, this.#deps.store)));
    const { bufferEvents: events, bufferBytes: bytes } = this.#deps.limits;
    const formed = new FormingSink<RunEvent, WorkflowRunEvent>(sink, (event, cursor) =>
      runEventForm(row, event, cursor),
    );
    const reader = new Reader(formed, { events, bytes });
    const member = new UntilEnd(reader, hub);
    reader.expect(1);
    hub.add(member);
    reader.adopt(member);
    await reader.run(call.signal, async () => {
      // Again: the run may have ended before the subscription, and its last event may be one that the client has.
      const now = await findRun(direct, request);
      if (reader.ended) return;
      sink.open();
      if (isRunOver(now) && after >= runOf(now).events) member.finish();
      else member.follow.start(after, false);
    });
  }

  /** `""` and `"0"`: from the first event; `"live"`: what comes; an event's id: what follows it. */
  #start(after: string, row: WorkflowRunRow): number {
    const { events } = runOf(row);
    if (after === '' || after === '0') return 0;
    if (after === 'live') return events;
    const parts = this.#cursors.read(after, row.id, 1);
    if (parts === undefined) throw invalidField('after', 'is not the id of an event of this run');
    const [sequence = 0] = parts.numbers;
    if (parts.isForeign || sequence > events)
      throw new Fault('OUT_OF_RANGE', 'CURSOR_EXPIRED', 'the event is not of this store: follow from "0" instead');
    return sequence;
  }
}

/** Follows a run up to its last event. */
class UntilEnd extends Member<RunEvent> {
  override deliver(event: RunEvent): void {
    super.deliver(event);
    if (TERMINAL_EVENTS.has(event.type)) this.finish();
  }
}

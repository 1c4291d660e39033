import type { TrailEntry } from '@svc/api/data';
import { addresses } from '../../app/address.tsx';
import type { Tone } from '../../ui/badge.tsx';
import type { IconName } from '../../ui/icon.tsx';

/** One line of the story. */
export interface Chapter {
  readonly entry: TrailEntry;
  /** How many causes of the trail are above it. */
  readonly depth: number;
  /** Milliseconds since the trail began. */
  readonly sinceMs: number;
  /** Milliseconds that it took; undefined while it is open, and where it has no end. */
  readonly tookMs: number | undefined;
}

const MICROS_PER_MS = 1_000;

/** The entries with each effect below its cause, causes and effects by time. */
export const storyOf = (entries: readonly TrailEntry[]): readonly Chapter[] => {
  const ids = new Set(entries.map(({ id }) => id));
  const [begin = 0n] = entries.map(({ at }) => at).sort((one, other) => (one < other ? -1 : 1));
  const causes = Map.groupBy(entries, ({ id, causedBy }) => (ids.has(causedBy) && causedBy !== id ? causedBy : ''));
  const told = new Set<TrailEntry>();
  const tell = (entry: TrailEntry, depth: number): readonly Chapter[] => {
    if (told.has(entry)) return [];
    told.add(entry);
    const { at, endedAt, id } = entry;
    const chapter = {
      entry,
      depth,
      sinceMs: Number(at - begin) / MICROS_PER_MS,
      tookMs: endedAt === undefined ? undefined : Number(endedAt - at) / MICROS_PER_MS,
    };
    return [chapter, ...(causes.get(id) ?? []).flatMap((effect) => tell(effect, depth + 1))];
  };
  // Entries that cause each other have no beginning: they come at their place in time.
  return [...(causes.get('') ?? []), ...entries].flatMap((entry) => tell(entry, 0));
};

const BAD = /^(failed|rejected|dead|expired|error|unknown)$/i;
const GOOD = /^(completed|delivered|accepted|answered|succeeded|fired)$/i;
const BUSY = /^(queued|running|waiting|pending|held|suspended|blocked|waiting_children|needs_review)$/i;

/** How a state of any kind of entry looks. */
export const toneOfState = (state: string): Tone => {
  if (BAD.test(state)) return 'bad';
  if (GOOD.test(state)) return 'good';
  return BUSY.test(state) ? 'busy' : 'calm';
};

/** Name and drawing of each kind of entry. */
export const ENTRY_KINDS: Readonly<Record<string, { readonly name: string; readonly icon: IconName }>> = {
  connector_event: { name: 'Message from a platform', icon: 'plug' },
  session_message: { name: 'Message', icon: 'chat' },
  channel_message: { name: 'Message in a channel', icon: 'channel' },
  turn: { name: 'Turn', icon: 'agent' },
  model_call: { name: 'Model call', icon: 'spark' },
  tool_call: { name: 'Tool call', icon: 'tools' },
  request: { name: 'Question to people', icon: 'inbox' },
  compaction: { name: 'Summary of older messages', icon: 'layers' },
  task: { name: 'Task', icon: 'task' },
  schedule_firing: { name: 'Schedule', icon: 'clock' },
  workflow_run: { name: 'Workflow run', icon: 'flow' },
  run_step: { name: 'Step of the run', icon: 'flow' },
  delivery: { name: 'Reply to the platform', icon: 'send' },
};

const runOf = (id: string): string => id.split('/')[0] ?? id;

/** Where the thing of an entry is in the page; undefined for parts that have no place of their own. */
export const placeOf = ({ kind, ns, agent, sessionId, name, id }: TrailEntry): string | undefined => {
  if (kind === 'channel_message') return addresses.channel(ns, name);
  if (kind === 'task') return addresses.task(ns, id);
  if (kind === 'schedule_firing') return addresses.schedule(ns, name || (id.split('@')[0] ?? ''));
  if (kind === 'workflow_run') return addresses.run(ns, name, runOf(id));
  if (kind === 'delivery') return addresses.deliveries(ns);
  if (kind === 'connector_event') return addresses.connectors(ns);
  return agent !== '' && sessionId !== '' ? addresses.session(ns, agent, sessionId) : undefined;
};

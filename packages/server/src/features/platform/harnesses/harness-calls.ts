import type { ToolUpdate } from '../../../protocols/acp/contract.ts';
import type { HarnessListener } from '../../../runtime/contract.ts';
import type { PolicyKey } from './harness-rules.ts';

/** Tool calls of one prompt. */
const CALLS_MAX = 1_000;

interface KnownCall {
  name: string;
  kind: string;
  input: unknown;
  state: 'announced' | 'began' | 'ended';
  /** What a person or the policy allowed for it. */
  readonly allowed: Set<PolicyKey>;
}

/** The tool calls of a prompt as the harness tells them, and which of them may do what. */
export class HarnessCalls {
  readonly #sink: Pick<HarnessListener, 'callBegan' | 'callEnded'>;
  readonly #refuse: () => void;
  readonly #known = new Map<string, KnownCall>();

  /** `refuse` is called when a call may not run. */
  constructor(sink: Pick<HarnessListener, 'callBegan' | 'callEnded'>, refuse: () => void) {
    this.#sink = sink;
    this.#refuse = refuse;
  }

  /** Takes in what was said about a call; it begins when it is more than announced. */
  async note(update: ToolUpdate): Promise<void> {
    const call = this.#merged(update);
    const { callId, status = 'pending', output = '' } = update;
    const isOver = status === 'completed' || status === 'failed';
    if (call.state === 'announced' && (status !== 'pending' || update.input !== undefined)) {
      call.state = 'began';
      const { name, input } = call;
      if (!(await this.#sink.callBegan({ callId, name, input }))) return this.#refuse();
    }
    if (call.state !== 'began' || !isOver) return;
    call.state = 'ended';
    await this.#sink.callEnded({ callId, name: call.name, output, isError: status === 'failed' });
  }

  /** Ends what the harness left open. */
  async endAll(): Promise<void> {
    for (const [callId, call] of this.#known) {
      if (call.state !== 'began') continue;
      call.state = 'ended';
      const output = 'the agent did not say how this ended';
      await this.#sink.callEnded({ callId, name: call.name, output, isError: true });
    }
  }

  /** Name and kind of a call that is known. */
  about(callId: string): Pick<KnownCall, 'name' | 'kind' | 'input'> {
    return this.#known.get(callId) ?? { name: 'tool', kind: 'other', input: {} };
  }

  /** The newest call under way that means this tool: harnesses put the name of the server before it. '' without one. */
  announced(tool: string): string {
    const found = [...this.#known].findLast(
      ([, { name, state }]) => state === 'began' && name.split(/__|[^A-Za-z0-9_-]+/).at(-1) === tool,
    );
    return found?.[0] ?? '';
  }

  allow(callId: string, key: PolicyKey): void {
    this.#known.get(callId)?.allowed.add(key);
  }

  /** Whether a call that is under way was allowed this: the harness then need not be asked about each request of it. */
  covers(key: PolicyKey): boolean {
    return [...this.#known.values()].some(({ state, allowed }) => state !== 'ended' && allowed.has(key));
  }

  #merged({ callId, name, title, toolKind, input }: ToolUpdate): KnownCall {
    const known = this.#known.get(callId);
    if (known === undefined) {
      if (this.#known.size >= CALLS_MAX) throw new TooManyCalls();
      const made: KnownCall = {
        name: name ?? title ?? 'tool',
        kind: toolKind ?? 'other',
        input: input ?? {},
        state: 'announced',
        allowed: new Set(),
      };
      this.#known.set(callId, made);
      return made;
    }
    if (known.state === 'announced') {
      known.name = name ?? title ?? known.name;
      known.input = input ?? known.input;
    }
    known.kind = toolKind ?? known.kind;
    return known;
  }
}

/** A harness began more calls in one prompt than are kept. */
export class TooManyCalls extends Error {
  constructor() {
    super(`the harness began more than ${CALLS_MAX} tool calls`);
  }
}

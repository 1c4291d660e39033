import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ModelRegistry, ModelRequest } from '../../models/contract.ts';
import type { Store, TurnRow } from '../../store/contracts/index.ts';
import type { ObjectAccess, RebuiltRequest, StepFacts } from '../contract.ts';
import { createHistoryReader } from '../history/index.ts';
import { createStepInspector } from '../inspection/index.ts';

interface Seen {
  readonly request: ModelRequest;
  readonly sha256: string;
}

/** Where turns ran, as far as their requests are rebuilt from it. */
interface SeenPlace {
  readonly store: Store;
  readonly models: ModelRegistry;
  readonly objects: Pick<ObjectAccess, 'read'>;
  readonly sessions: readonly string[];
}

/** A step of a turn, and its request as it is rebuilt. */
interface ListedStep {
  readonly turn: TurnRow;
  readonly facts: StepFacts;
  readonly request: RebuiltRequest | undefined;
}

const MOST_TURNS = 500;

/**
 * Every request that models were sent in a test, by what their driver was handed, compared with what is rebuilt of every recorded
 * step from the store alone.
 */
export class SeenRequests {
  readonly #seen: Seen[] = [];
  /** Model calls that were compared, and those of them that wrote summaries. */
  compared = 0;
  comparedSummaries = 0;

  /** The same models, whose requests are remembered. */
  watch(models: ModelRegistry): ModelRegistry {
    const stream: ModelRegistry['stream'] = (request, sink, signal) => {
      const onSent = (body: string): void => {
        this.#seen.push({ request, sha256: hash('sha256', body, 'base64url') });
        request.onSent?.(body);
      };
      return models.stream({ ...request, onSent }, sink, signal);
    };
    return new Proxy(models, {
      get: (target, name) => {
        if (name === 'stream') return stream;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** Steps whose request is not rebuilt as it left; empty = all are. */
  async problems(place: SeenPlace): Promise<string[]> {
    const problems: string[] = [];
    for (const sessionId of place.sessions) {
      const turns = await place.store.read((tx) => tx.log.turns(sessionId, { limit: MOST_TURNS }));
      for (const turn of turns) problems.push(...(await this.#turnProblems(place, turn)));
    }
    return problems;
  }

  async #turnProblems({ store, models, objects }: SeenPlace, turn: TurnRow): Promise<string[]> {
    const history = createHistoryReader();
    const readObject: ObjectAccess['read'] = (namespace, object) => objects.read(namespace, object);
    const inspector = createStepInspector({ store, models, history, readObject });
    const problems: string[] = [];
    for (const facts of await inspector.list(turn)) {
      const request = (await inspector.rebuild(turn, facts))?.request;
      const { step, summary } = facts;
      const name =
        summary === 0 ? `step ${step} of ${turn.id}` : `summary ${summary} before step ${step} of ${turn.id}`;
      if (facts.record === undefined) problems.push(`${name} (${turn.state}) has no record`);
      else problems.push(...this.#stepProblems(name, { turn, facts, request }));
    }
    return problems;
  }

  #stepProblems(name: string, { turn, facts, request }: ListedStep): readonly string[] {
    if (request === undefined || request.state === 'unavailable')
      return [`request of ${name}: ${request?.reason ?? 'no such step'}`];
    // What a harness was sent went to no model.
    if (facts.kind === 'harness') return request.state === 'exact' ? [] : [`prompt of ${name} is ${request.state}`];
    this.compared += 1;
    if (facts.kind === 'compaction') this.comparedSummaries += 1;
    const { sha256 } = facts.record ?? {};
    const sent = this.#seen.find((each) => each.request.turnId === turn.id && each.sha256 === sha256)?.request;
    if (sent === undefined) return [`request of ${name} was sent to no model`];
    const isSame =
      request.state === 'exact' &&
      isDeepStrictEqual(request.prompt.messages, sent.messages) &&
      isDeepStrictEqual(request.prompt.tools, sent.tools);
    if (isSame) return [];
    const [rebuilt, was] = [request.prompt.messages, sent.messages].map((messages) => JSON.stringify(messages));
    return [`request of ${name} is rebuilt as ${rebuilt} and was ${was}`];
  }
}

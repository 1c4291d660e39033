import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ModelRegistry, ModelRequest } from '../../models/contract.ts';
import type { Store, TurnRow } from '../../store/contracts/index.ts';
import type { ObjectAccess } from '../contract.ts';
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

const MOST_TURNS = 500;

/**
 * Every request that models were sent in a test, by what their driver was handed, compared with what is rebuilt of every recorded
 * step from the store alone.
 */
export class SeenRequests {
  readonly #seen: Seen[] = [];
  /** Steps that were compared. */
  compared = 0;

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
    for (const { step, record } of await inspector.list(turn)) {
      if (record === undefined) {
        problems.push(`step ${step} of ${turn.id} (${turn.state}) has no record`);
        continue;
      }
      const request = (await inspector.rebuild(turn, step))?.request;
      const sent = this.#seen.find((each) => each.request.turnId === turn.id && each.sha256 === record.sha256)?.request;
      this.compared += 1;
      if (request === undefined || request.state === 'unavailable')
        problems.push(`request of step ${step} of ${turn.id}: ${request?.reason ?? 'no such step'}`);
      else if (sent === undefined) problems.push(`request of step ${step} of ${turn.id} was sent to no model`);
      else if (
        request.state !== 'exact' ||
        !isDeepStrictEqual(request.prompt.messages, sent.messages) ||
        !isDeepStrictEqual(request.prompt.tools, sent.tools)
      )
        problems.push(
          `request of step ${step} of ${turn.id} is rebuilt as ${JSON.stringify(request.prompt.messages)} and was ${JSON.stringify(sent.messages)}`,
        );
    }
    return problems;
  }
}

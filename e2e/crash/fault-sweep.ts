import process from 'node:process';
import { RestCaller, type SessionKey, SessionReader } from '../calls/index.ts';
import { MockModel } from '../mock-model/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';
import { createToolAgent, expectAskedOnce, expectSeenWhole, expectWholeOnce, toolMessage } from './tool-turn.ts';

/** Passings of one point in one start, and in one turn; a sweep that needs more never ends. */
const MAX_PASSINGS = 40;
/** How often a plan may be met before the message of its turn is sent. */
const MAX_ATTEMPTS = 10;

/**
 * How a start, and the turn behind it, fared with a kill planned at one passing of a point. `killed at rest`: before its message was sent,
 * for the engine also looks for work when there is none.
 */
type Fate = 'killed at start' | 'killed at rest' | 'killed in turn' | 'survived';

interface Played {
  readonly title: string;
  readonly clients: 'attached' | 'none';
  /** Makes sure that a process without a plan is there for the checks. */
  readonly calm: (isKilled: boolean) => Promise<void>;
}

const seed = process.env['SVC_TEST_SEED'] ?? '1';
/** A sweep tries half of its cases on PostgreSQL; each one with SVC_TEST_SEED=all, and on SQLite. */
export const isSampled = process.env['SVC_E2E_STORE'] === 'postgres' && seed !== 'all';

/** 0 or 1, as SVC_TEST_SEED says. */
const drawn = seed === 'random' ? Math.floor(Math.random() * 2) : Number(seed) % 2;

const sampledPassings = (): { readonly first: number; readonly step: number } =>
  isSampled ? { first: 1 + drawn, step: 2 } : { first: 1, step: 1 };

/** All points of a sweep, or every second one where sweeps are sampled. */
export const sampledPoints = (points: readonly string[]): readonly string[] =>
  isSampled ? points.filter((_, index) => index % 2 === drawn) : points;

/** Server, model and agent of a sweep; every turn has its own session. */
export class FaultSweep implements AsyncDisposable {
  readonly #model: MockModel;
  readonly #server: ServerProcess;
  readonly #rest: RestCaller;

  private constructor(model: MockModel, server: ServerProcess) {
    this.#model = model;
    this.#server = server;
    this.#rest = new RestCaller(server.url);
  }

  /** `ofStore`: its points are those of the store. */
  static async start({ ofStore = false } = {}): Promise<FaultSweep> {
    const model = await MockModel.start();
    const server = await ServerProcess.start({ environment: model.environment, armsStore: ofStore });
    const sweep = new FaultSweep(model, server);
    await createToolAgent(sweep.#rest);
    return sweep;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.#model[Symbol.asyncDispose]();
  }

  /**
   * Kills the process at the first, second, ... passing of the point until a turn outlives it; after each kill the process
   * is started again and everything is checked. Answers how many kills hit a turn. `sweepsStart`: before that, in the same way at
   * the passings of a start, until one outlives its plan.
   */
  async run(point: string, clients: 'attached' | 'none', { sweepsStart = false } = {}): Promise<number> {
    const { first, step } = sweepsStart ? sampledPassings() : { first: 1, step: 1 };
    let kills = sweepsStart ? await this.#sweepStart(point, clients) : 0;
    for (let passing = first; passing <= MAX_PASSINGS; passing += step) {
      if (!(await this.#killsTurn(`${point}:${passing}`, clients))) return kills;
      kills += 1;
    }
    throw new Error(`${point} was passed more than ${MAX_PASSINGS} times in a turn`);
  }

  /** How many kills hit a turn, at most one: the plan that a start outlives is met by the turn behind it. */
  async #sweepStart(point: string, clients: 'attached' | 'none'): Promise<number> {
    const { first, step } = sampledPassings();
    for (let passing = first; passing <= MAX_PASSINGS; passing += step) {
      const fate = await this.#startAndTurn(`${point}:${passing}`, clients);
      if (fate !== 'killed at start') return fate === 'killed in turn' ? 1 : 0;
    }
    throw new Error(`${point} was passed more than ${MAX_PASSINGS} times at a start`);
  }

  async #startAndTurn(plan: string, clients: 'attached' | 'none'): Promise<Fate> {
    const session = await this.#rest.createSession('worker');
    await this.#server.kill();
    const started = await this.#server.restartOnce({ SVC_FAULT_POINT: plan }).then(
      () => true,
      () => false,
    );
    if (!started) await this.#server.restart();
    const fate = await this.#play(session, {
      title: `start ${plan} ${clients}`,
      clients,
      calm: async (isGone) => {
        // A process that outlived its plan still waits for the point, which idle work may pass at any time: it must not meet the checks.
        if (started && !isGone) await this.#server.kill();
        if (started) await this.#server.restart();
      },
    });
    return started ? fate : 'killed at start';
  }

  /** Tries the plan with one turn after the other until it does not kill the process at rest. True when it killed it in the turn. */
  async #killsTurn(plan: string, clients: 'attached' | 'none'): Promise<boolean> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const fate = await this.#turn(plan, clients, attempt);
      if (fate !== 'killed at rest') return fate === 'killed in turn';
    }
    throw new Error(`${plan} was met before the message was sent, ${MAX_ATTEMPTS} times in a row`);
  }

  /** One process meets plan after plan until it is killed, and counts from when it gets one. */
  async #turn(plan: string, clients: 'attached' | 'none', attempt: number): Promise<Fate> {
    const session = await this.#rest.createSession('worker');
    if (!(await this.#server.arm(plan))) throw new Error(`the server ended before it met ${plan}\n${this.#server.log}`);
    return this.#play(session, {
      title: `${plan} ${clients} ${attempt}`,
      clients,
      calm: async (isGone) => {
        // Idle work may have passed the point since.
        if (isGone || !(await this.#server.arm(''))) await this.#server.restart();
      },
    });
  }

  async #play(session: SessionKey, { title, clients, calm }: Played): Promise<Fate> {
    const readers = clients === 'none' ? [] : [true, false].map((keepsCursor) => this.#reader(session, keepsCursor));
    const gone = this.#server.ended().then(() => 'gone' as const);
    const before = await Promise.race([gone, Promise.all(readers.map((reader) => reader.start()))]);
    const sent = await this.#send(session, title);
    const first = await Promise.race([gone, sent ? this.#untilIdle(session).catch(() => gone) : gone]);
    const isKilled = first === 'gone' || (await this.#isGone());
    if (isKilled) await gone;
    await calm(isKilled);
    if (isKilled && !sent) await this.#send(session, title);
    await this.#untilIdle(session);
    await Promise.all(readers.map((reader) => reader.ended()));
    await expectWholeOnce(this.#rest, session, title);
    expectAskedOnce(this.#model, title);
    for (const reader of readers) await expectSeenWhole(this.#rest, session, reader);
    if (!isKilled) return 'survived';
    return before === 'gone' ? 'killed at rest' : 'killed in turn';
  }

  #reader(session: SessionKey, keepsCursor: boolean): SessionReader {
    return new SessionReader(this.#rest, session, { keepsCursor });
  }

  /** False when the process went away during the call: what happened then is not known, so the key is used again. */
  async #send(session: SessionKey, title: string): Promise<boolean> {
    return this.#rest.send(session, toolMessage(title), { key: title.replaceAll(' ', '-') }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof TypeError) return false;
        throw error;
      },
    );
  }

  async #untilIdle(session: SessionKey): Promise<'idle'> {
    return until('the session is idle', async () =>
      (await this.#rest.state(session)) === 'IDLE' ? 'idle' : undefined,
    );
  }

  /** A process that killed itself on its last event may still be on its way out. */
  async #isGone(): Promise<boolean> {
    return fetch(`${this.#server.url}/healthz`).then(
      async (answer) => {
        await answer.text();
        return false;
      },
      () => true,
    );
  }
}

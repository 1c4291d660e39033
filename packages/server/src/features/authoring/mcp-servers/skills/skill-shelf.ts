import type { Clock } from '../../../../base/index.ts';
import type { McpConnection, McpSkill } from '../../../../protocols/mcp/contract.ts';

/** What a shelf uses of the slot of its server. */
export interface SkillSlot {
  use<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T>;
}

/** How long a list is used without asking. */
const FRESH_MS = 300_000;
/** How long the former list, or a former text, is used when the next cannot be had. */
const STALE_MS = 900_000;
/** How long a server that failed is left alone. */
const BREAKER_MS = 30_000;
/** Longest wait of a turn for one list or one text. */
const WAIT_MS = 5_000;
/** Texts that are kept; more cannot be active in one session. */
const TEXTS_MAX = 50;

interface KnownText {
  readonly digest: string;
  readonly text: string;
  readonly atMs: number;
}

/**
 * The skills of one server as one slot reaches it: the list, and the texts that somebody activated. A text is read when it is needed first,
 * and again when its digest changed. A server that fails costs a turn 5 s, once in 30 s.
 */
export class SkillShelf {
  readonly #slot: SkillSlot;
  readonly #clock: Clock;
  #known: { readonly skills: readonly McpSkill[]; readonly atMs: number } | undefined;
  #refreshing: Promise<readonly McpSkill[]> | undefined;
  #isChanged = false;
  #retryAtMs = 0;
  readonly #texts = new Map<string, KnownText>();
  readonly #failedTexts = new Map<string, { readonly digest: string; readonly untilMs: number }>();

  constructor(slot: SkillSlot, clock: Clock) {
    this.#slot = slot;
    this.#clock = clock;
  }

  /** What is known of them by now; [] where nothing can be had. */
  async list(): Promise<readonly McpSkill[]> {
    if (this.#known !== undefined && !this.#isChanged && this.#age(this.#known) < FRESH_MS) return this.#known.skills;
    if (this.#now >= this.#retryAtMs) {
      const skills = await this.#within(this.#refresh());
      if (skills !== undefined) return skills;
      this.#retryAtMs = Math.max(this.#retryAtMs, this.#now + BREAKER_MS);
    }
    return this.#known !== undefined && this.#age(this.#known) < STALE_MS ? this.#known.skills : [];
  }

  /** The instructions as the server has them; undefined where they cannot be had, or differ from what the list says of them. */
  async text(skill: McpSkill): Promise<string | undefined> {
    const { uri, digest } = skill;
    const known = this.#texts.get(uri);
    const isFresh = known?.digest === digest && (digest !== '' || this.#age(known) < FRESH_MS);
    if (known !== undefined && isFresh) return known.text;
    const failed = this.#failedTexts.get(uri);
    if (failed?.digest !== digest || this.#now >= failed.untilMs) {
      const text = await this.#within(this.#ask((connection, signal) => connection.skillText(skill, signal)));
      if (text !== undefined) return this.#keep(uri, { digest, text, atMs: this.#now });
      keepNewest(this.#failedTexts, uri, { digest, untilMs: this.#now + BREAKER_MS });
      // The server may have another text by now than when it was listed.
      this.#isChanged = true;
    }
    return known !== undefined && this.#age(known) < STALE_MS ? known.text : undefined;
  }

  get #now(): number {
    return this.#clock.monotonicMs();
  }

  #age({ atMs }: { readonly atMs: number }): number {
    return this.#now - atMs;
  }

  #keep(uri: string, known: KnownText): string {
    this.#failedTexts.delete(uri);
    keepNewest(this.#texts, uri, known);
    return known.text;
  }

  #refresh(): Promise<readonly McpSkill[]> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #read(): Promise<readonly McpSkill[]> {
    const { skills } = await this.#ask((connection, signal) => {
      connection.onSkillsChanged(this.#changed);
      this.#isChanged = false;
      return connection.skills(signal);
    });
    this.#known = { skills, atMs: this.#now };
    return skills;
  }

  /** The same function each time: a connection keeps it once. */
  readonly #changed = (): void => {
    this.#isChanged = true;
    this.#retryAtMs = 0;
  };

  /** Asks the server, which gets a cancellation after the longest wait of a turn. */
  async #ask<T>(request: (connection: McpConnection, signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const cancel = this.#clock.after(WAIT_MS, () => late.abort());
    try {
      return await this.#slot.use(late.signal, (connection) => request(connection, late.signal));
    } finally {
      cancel();
    }
  }

  /** The value, or undefined when it failed or took too long. */
  async #within<T>(work: Promise<T>): Promise<T | undefined> {
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#clock.after(WAIT_MS, () => late.resolve(undefined));
    try {
      return await Promise.race([work.catch(() => undefined), late.promise]);
    } finally {
      cancel();
    }
  }
}

/** Puts the entry last, and drops the oldest one of too many. */
const keepNewest = <T>(map: Map<string, T>, key: string, value: T): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > TEXTS_MAX && oldest !== undefined) map.delete(oldest);
};

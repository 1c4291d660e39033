import type { Clock, Log } from '../../../../base/index.ts';
import type { McpConnection, McpSkill, McpSkillFile } from '../../../../protocols/mcp/contract.ts';

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
/** Longest wait of a turn for one list, text or file. */
const WAIT_MS = 5_000;
/** Texts that are kept; more cannot be active in one session. */
const TEXTS_MAX = 50;

export interface SkillShelfDeps {
  readonly slot: SkillSlot;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Names the server in log lines. */
  readonly names: () => Readonly<Record<string, string>>;
}

interface KnownText {
  readonly digest: string;
  readonly text: string;
  readonly atMs: number;
}

/**
 * The skills of one server as one slot reaches it: the list, and the texts of skills that a session activated. A text is read when it is first needed,
 * and again when its digest changed. A server that fails costs a turn 5 s, once in 30 s.
 */
export class SkillShelf {
  readonly #deps: SkillShelfDeps;
  #known: { readonly skills: readonly McpSkill[]; readonly atMs: number } | undefined;
  #refreshing: Promise<readonly McpSkill[]> | undefined;
  #isChanged = false;
  #retryAtMs = 0;
  #refused = 0;
  readonly #texts = new Map<string, KnownText>();
  readonly #failedTexts = new Map<string, { readonly digest: string; readonly untilMs: number }>();

  constructor(deps: SkillShelfDeps) {
    this.#deps = deps;
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
      const text = await this.#within(this.#read(skill));
      if (text !== undefined) return this.#keep(uri, { digest, text, atMs: this.#now });
      keepNewest(this.#failedTexts, uri, { digest, untilMs: this.#now + BREAKER_MS });
      // The server may have another text by now than when it was listed.
      this.#isChanged = true;
    }
    return known !== undefined && this.#age(known) < STALE_MS ? known.text : undefined;
  }

  /** The bytes of a file, asked for each time; undefined where they cannot be had, or differ from what the list says of them. */
  file(skill: McpSkill, file: McpSkillFile): Promise<Uint8Array | undefined> {
    const asked = this.#ask((connection, signal) => connection.skillFile(skill, file, signal));
    const facts = { skill: skill.name, path: file.path };
    return this.#within(this.#logged(asked, 'a file of a skill of an MCP server could not be read', facts));
  }

  get #now(): number {
    return this.#deps.clock.monotonicMs();
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
    this.#refreshing ??= this.#relist().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #relist(): Promise<readonly McpSkill[]> {
    const { log, names } = this.#deps;
    const asked = this.#ask((connection, signal) => {
      connection.onSkillsChanged(this.#changed);
      this.#isChanged = false;
      return connection.skills(signal);
    });
    const { skills, refused } = await this.#logged(asked, 'the skills of an MCP server could not be listed', {});
    if (refused > 0 && refused !== this.#refused)
      log.warn('skills of an MCP server are left out: their entries break the rules', { ...names(), count: refused });
    this.#refused = refused;
    this.#known = { skills, atMs: this.#now };
    return skills;
  }

  #read(skill: McpSkill): Promise<string> {
    const asked = this.#ask((connection, signal) => connection.skillText(skill, signal));
    return this.#logged(asked, 'a skill of an MCP server could not be read', { skill: skill.name });
  }

  /** The turn continues without what fails: only the log says why. */
  async #logged<T>(asked: Promise<T>, message: string, facts: Readonly<Record<string, string>>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      const { log, names } = this.#deps;
      log.warn(message, { ...names(), ...facts, reason: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  /** The same function each time: a connection keeps it once. */
  readonly #changed = (): void => {
    this.#isChanged = true;
    this.#retryAtMs = 0;
  };

  /** Asks the server, which gets a cancellation after the longest wait of a turn. */
  async #ask<T>(request: (connection: McpConnection, signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const { clock, slot } = this.#deps;
    const cancel = clock.after(WAIT_MS, () => late.abort());
    try {
      return await slot.use(late.signal, (connection) => request(connection, late.signal));
    } finally {
      cancel();
    }
  }

  /** The value, or undefined when it failed or took too long. */
  async #within<T>(work: Promise<T>): Promise<T | undefined> {
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#deps.clock.after(WAIT_MS, () => late.resolve(undefined));
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

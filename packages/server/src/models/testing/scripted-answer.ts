/** One model answer, independent of any protocol; every wire format under test can express it. */
export interface ScriptedAnswer {
  readonly reasoning?: readonly string[];
  readonly text?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  readonly finish?: 'stop' | 'length' | 'content_filter';
  readonly usage?: ScriptedUsage;
}

interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Whole input including cached, whole output including reasoning. */
interface ScriptedUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** How one provider protocol looks on the wire. */
export interface WireProtocol {
  readonly name: string;
  /** `type` of the provider and its further configuration without address and key. */
  readonly provider: { readonly type: string; readonly api?: 'responses' | 'chat' };
  readonly model: string;
  /** Prefix of paths, part of `baseUrl`. */
  readonly basePath: string;
  /** Path that a streaming request must use. */
  readonly path: string;
  /** Header that must carry the key, with its value for the key `test-key`. */
  readonly keyHeader: readonly [string, string];
  /** Body of a streaming answer, event by event. */
  events(answer: ScriptedAnswer): readonly string[];
  /** An error reported inside a 200 body. */
  errorEvent(): string;
  /** Body of an error status. */
  errorBody(code: string): string;
  /** A refused request because the prompt is too long: status and body. */
  overflow: { readonly status: number; readonly body: string };
  temperature(body: Readonly<Record<string, unknown>>): unknown;
  toolNames(body: Readonly<Record<string, unknown>>): readonly string[];
}

/** Reads a nested member of parsed JSON; undefined when any step is missing. */
export const member = (value: unknown, ...path: readonly (string | number)[]): unknown => {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Readonly<Record<string | number, unknown>>)[key];
  }
  return current;
};

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

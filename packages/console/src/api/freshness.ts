/** One event of the live stream, as far as it tells what became stale. */
export interface Change {
  readonly topic: string;
  /** Of a resource. */
  readonly kind?: string;
  readonly ns?: string;
}

/** What an answer shows: the live stream reloads it when something of this changed. */
export interface Shows {
  /** Kinds of resources, such as `Agent`. */
  readonly kinds?: readonly string[];
  /** Topics of the live stream other than `resource`, such as `turn`. */
  readonly topics?: readonly string[];
}

/** True when an answer that shows this has to be loaded again after the change. */
export const isConcerned = ({ kinds = [], topics = [] }: Shows, { topic, kind }: Change): boolean =>
  topic === 'resource' ? kind !== undefined && kinds.includes(kind) : topics.includes(topic);

/** A text that is the same for equal requests; 64-bit integers and bytes included. */
export const keyOf = (request: unknown): string =>
  JSON.stringify(request, (_name, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    return value instanceof Uint8Array ? Array.from(value) : value;
  });

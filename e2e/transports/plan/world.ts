import { create, fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type Caller, isError, type Outcome } from '../callers/index.ts';
import type { PlannedCall } from './call-generator.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Ids of tool calls hold the tail of the turn's id. */
const callTail = /call_[0-9a-f]{12}_/g;
/** A moment inside an annotation. */
const moment = /@\d{16}\b/g;
/** Fields whose value is a moment, a counter of the whole store, or opaque by contract. */
const opaque = new Set([
  'createdAt',
  'updatedAt',
  'startedAt',
  'finishedAt',
  'lastTransitionTime',
  'timestamp',
  'deletedAt',
  'creationTimestamp',
  'deletionTimestamp',
  'lastActive',
  'decidedAt',
  'expiresAt',
  'resourceVersion',
  'cursor',
  'streamCursor',
  'sequence',
  'nextPageToken',
  'current',
]);

/**
 * One server as one transport sees it. Ids are remembered under names, so that the same plan can be carried out in every
 * world, and replaced by their order of appearance, so that outcomes can be compared.
 */
export class World {
  readonly #caller: Caller;
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async carryOut(planned: PlannedCall): Promise<Outcome> {
    const { method } = planned;
    const request = fromJson(method.input, this.#fill(planned.request) as JsonObject);
    const outcome = await this.#caller.call(method, create(method.input, request));
    if (!isError(outcome)) this.#remember(method.name, outcome.messages[0]);
    return this.#normalise(outcome as unknown as JsonValue, '') as unknown as Outcome;
  }

  #fill(value: JsonValue): JsonValue {
    if (typeof value === 'string') return value.startsWith('$') ? (this.#names.get(value) ?? 'unknown') : value;
    return mapJson(value, (item) => this.#fill(item));
  }

  #remember(operation: string, answer: JsonValue | undefined): void {
    const fields = answer as Readonly<Record<string, string>> | undefined;
    const keep = (name: string, id: string | undefined): void => {
      if (id !== undefined && !this.#names.has(name)) this.#names.set(name, id);
    };
    if (operation === 'CreateSession') keep(this.#names.has('$session') ? '$other' : '$session', fields?.['sessionId']);
    if (operation !== 'SendMessage') return;
    keep('$turn', fields?.['turnId']);
    keep('$message', fields?.['messageId']);
  }

  #normalise(value: JsonValue, key: string): JsonValue {
    if (opaque.has(key) && value !== '' && value !== '0') return `<${key}>`;
    if (typeof value === 'string')
      return value
        .replaceAll(uuid, (id) => this.#nameOf(id))
        .replaceAll(callTail, 'call_<turn>_')
        .replaceAll(moment, '@<time>');
    return mapJson(value, (item, field) => this.#normalise(item, field));
  }

  #nameOf(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const name = `<id ${this.#ids.size}>`;
    this.#ids.set(id, name);
    return name;
  }
}

const mapJson = (value: JsonValue, change: (item: JsonValue, key: string) => JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map((item) => change(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, change(item, key)]),
  );
};

/** Readable form of a plan for failure messages. */
export const describeCall = ({ method, request }: PlannedCall): string =>
  `${method.name} ${JSON.stringify(toJson(method.input, fromJson(method.input, request))).slice(0, 600)}`;

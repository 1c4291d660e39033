import { type JsonObject, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import type { Method } from '@svc/api/methods';

/** A request of the REST API. */
export interface RestTarget {
  readonly path: string;
  /** JSON text for bindings with a body. */
  readonly body?: string;
}

/** Distributes a request over path, query and body according to its REST binding. */
export const restTarget = (method: Method, message: Message): RestTarget => {
  const rest = { ...(toJson(method.input, message) as JsonObject) };
  const path = method.http.path.replace(/\{([a-z_]+)\}/g, (_whole, field: string) => {
    const name = field.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    const value = rest[name];
    delete rest[name];
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value);
    throw new TypeError(`${method.name}: ${name} must not be empty`);
  });
  if (method.http.body === '*') return { path, body: JSON.stringify(rest) };
  const query = new URLSearchParams(Object.entries(rest).flatMap(([name, value]) => queryPairs(name, value)));
  return { path: query.size === 0 ? path : `${path}?${query.toString()}` };
};

const queryPairs = (name: string, value: JsonValue | undefined): [string, string][] => {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => queryPairs(name, item));
  return [[name, String(value)]];
};

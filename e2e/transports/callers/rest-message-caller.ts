import { create, fromJson, type JsonObject, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import type { Method } from '@svc/api/methods';
import { readNdjson } from '../../calls/index.ts';
import { type CallError, type Caller, errorOf, jsonOf, type Outcome } from './outcome.ts';

interface ErrorBody {
  readonly status: string;
  readonly message: string;
  readonly details: readonly Record<string, JsonValue>[];
}

/** REST by the bindings of the descriptors: path, query or JSON body. */
export const restCaller = (baseUrl: string): Caller => ({
  name: 'rest',
  close: () => undefined,
  call: async (method, request): Promise<Outcome> => {
    const { url, body } = restRequest(method, request);
    const answer = await fetch(baseUrl + url, {
      method: method.http.verb,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    if (method.kind === 'unary' || answer.status !== 200)
      return readUnary(method, answer.status, (await answer.json()) as JsonObject);
    const messages: JsonValue[] = [];
    for await (const line of readNdjson<JsonObject>(answer)) {
      if (typeof line['error'] === 'object')
        return { messages, error: restError(line['error'] as unknown as ErrorBody) };
      messages.push(canonical(method, line));
    }
    return { messages };
  },
});

const readUnary = (method: Method, status: number, body: JsonObject): Outcome =>
  status === 200
    ? { messages: [canonical(method, body)] }
    : { messages: [], error: restError(body['error'] as unknown as ErrorBody) };

const canonical = (method: Method, body: JsonObject): JsonValue => jsonOf(method, fromJson(method.output, body));

const restError = (error: ErrorBody): CallError => errorOf(error.status, error.message, error.details);

/** Path, query and body of a request message; every field appears in exactly one of them. */
const restRequest = (method: Method, request: Message): { readonly url: string; readonly body: string | undefined } => {
  const fields = toJson(method.input, request, { useProtoFieldName: true }) as JsonObject;
  const all = toJson(method.input, create(method.input, request), {
    useProtoFieldName: true,
    alwaysEmitImplicit: true,
  }) as JsonObject;
  const bound = new Set<string>();
  const path = method.http.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    bound.add(name);
    return encodeURIComponent(String(all[name]));
  });
  const rest = Object.entries(fields).filter(([name]) => !bound.has(name));
  if (method.http.body === '*') return { url: path, body: JSON.stringify(Object.fromEntries(rest)) };
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return { url: query.size === 0 ? path : `${path}?${query}`, body: undefined };
};

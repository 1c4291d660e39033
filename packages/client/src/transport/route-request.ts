import type { ClientAnswer } from '../environment.ts';
import { type Connection, commonHeaders } from './connection.ts';
import { restError } from './error-body.ts';

/** A request of the REST API. */
export interface RouteRequest {
  /** Such as GET. */
  readonly verb: string;
  /** Including the query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The answer of one attempt, its body unread. Throws SvcError for any status other than 200, and what `fetch` throws. */
export const openRoute = async (connection: Connection, request: RouteRequest): Promise<ClientAnswer> => {
  const { verb, path, body, headers, signal } = request;
  const response = await connection.environment.fetch(`${connection.baseUrl}${path}`, {
    method: verb,
    headers: {
      ...(await commonHeaders(connection)),
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.status === 200) return response;
  const requestId = response.headers.get('x-request-id') ?? '';
  throw restError(await response.text(), { status: response.status, requestId });
};

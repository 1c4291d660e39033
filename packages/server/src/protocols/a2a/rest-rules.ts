/** How calls over REST are named, and which version of the protocol a caller speaks. Pure. */

/** Version of callers that name none. */
export const LEGACY = '0.3';

/** Versions before 1.0. */
export const isLegacy = (version: string): boolean => version === '' || version.startsWith('0.');

export interface RestRpc {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const NONE: RestRpc = { method: 'Unknown', params: {} };

const SENDS: Readonly<Record<string, string>> = {
  'message:send': 'SendMessage',
  'message:stream': 'SendStreamingMessage',
};

const OF_TASK: Readonly<Record<string, string>> = { cancel: 'CancelTask', subscribe: 'SubscribeToTask' };

const NUMBERS: ReadonlySet<string> = new Set(['historyLength', 'pageSize']);

const queryParams = (query: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...query].map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]));

const jsonOf = (body: string): Readonly<Record<string, unknown>> => {
  if (body === '') return {};
  const value = JSON.parse(body) as unknown;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
};

const OF_PUSH: Readonly<Record<string, string>> = {
  GET: 'GetTaskPushNotificationConfig',
  DELETE: 'DeleteTaskPushNotificationConfig',
};

const OF_PUSHES: Readonly<Record<string, string>> = {
  GET: 'ListTaskPushNotificationConfigs',
  POST: 'CreateTaskPushNotificationConfig',
};

/** `rest`: the task and what follows it. */
const pushCall = (call: { readonly method: string; readonly body: string }, rest: readonly string[]): RestRpc => {
  const [taskId = '', id] = rest;
  const method = (id === undefined ? OF_PUSHES : OF_PUSH)[call.method];
  if (method === undefined) return NONE;
  return { method, params: { ...jsonOf(call.body), taskId, ...(id === undefined ? {} : { id }) } };
};

/** The call of JSON-RPC that an address of REST means; the body must be JSON or empty. */
export const restCall = (call: {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}): RestRpc => {
  const { method, path, query, body } = call;
  const isGet = method === 'GET';
  const sent = SENDS[path];
  if (sent !== undefined) return isGet ? NONE : { method: sent, params: jsonOf(body) };
  if (path === 'extendedAgentCard' || path === 'card') return { method: 'GetExtendedAgentCard', params: {} };
  if (path === 'tasks') return isGet ? { method: 'ListTasks', params: queryParams(query) } : NONE;
  const push = /^tasks\/([^/:]+)\/pushNotificationConfigs(?:\/([^/]+))?$/.exec(path);
  if (push !== null) return pushCall(call, push.slice(1));
  const [, id = '', verb = ''] = /^tasks\/([^/:]+)(?::([a-z]+))?$/.exec(path) ?? [];
  if (id === '') return NONE;
  if (verb === '') return isGet ? { method: 'GetTask', params: { ...queryParams(query), id } } : NONE;
  const named = OF_TASK[verb];
  return named === undefined ? NONE : { method: named, params: { id } };
};

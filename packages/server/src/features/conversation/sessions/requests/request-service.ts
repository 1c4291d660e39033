import { create } from '@bufbuild/protobuf';
import { PermissionDecision } from '@svc/api/data';
import {
  type AnswerPermissionRequest,
  type AnswerPermissionResponse,
  AnswerPermissionResponseSchema,
  type ListPermissionRequestsRequest,
  type ListPermissionRequestsResponse,
  ListPermissionRequestsResponseSchema,
} from '@svc/api/gateway';
import type { CallContext, Caller } from '../../../../auth/contract.ts';
import {
  decodePageToken,
  encodePageToken,
  invalidField,
  isUuid,
  JSON_DEPTH,
  nestsDeeperThan,
  notFound,
  pageSize,
} from '../../../../base/index.ts';
import { requireNamespace } from '../../../../controllers/facade-contract.ts';
import { kindOf, type PermissionData, parsePermission } from '../../../../runtime/contract.ts';
import type { ReadTx } from '../../../../store/contracts/index.ts';
import { lockSession, recordWrite } from '../session-access.ts';
import type { SessionsContext } from '../sessions-deps.ts';
import { permissionMessage } from '../wire/index.ts';

/** Names every namespace, as in lists of resources. */
const ALL_NAMESPACES = '-';
const KINDS: ReadonlySet<string> = new Set(['', 'permission', 'input', 'sign_in', 'budget']);
/** Requests that one page of a filtered list reads at most; the next page begins after them. */
const READ_MAX = 2_000;
const READ_AT_ONCE = 200;

type Filter = Pick<ListPermissionRequestsRequest, 'kind' | 'agent' | 'identity'>;

/** Listing and answering what turns ask people. */
export class RequestService {
  readonly #context: SessionsContext;

  constructor(context: SessionsContext) {
    this.#context = context;
  }

  async answer(request: AnswerPermissionRequest, call: CallContext): Promise<AnswerPermissionResponse> {
    const { requestId, decision, optionId, comment, answerJson } = request;
    if (decision !== PermissionDecision.ALLOW && decision !== PermissionDecision.DENY)
      throw invalidField('decision', 'must be ALLOW or DENY');
    const value = answerValue(answerJson, this.#context.limits.messageBytes);
    const data = await this.#context.store.write(async (tx) => {
      const session = await lockSession(tx, request, this.#context);
      const asked = isUuid(requestId) ? await tx.log.permission(requestId) : undefined;
      if (asked?.sessionId !== session.id)
        throw notFound('PermissionRequest', { session_id: session.id, request_id: requestId });
      const allow = decision === PermissionDecision.ALLOW;
      const known = parsePermission(asked).options.some((option) => option.id === optionId && option.allow === allow);
      if (optionId !== '' && !known) throw invalidField('optionId', 'is not an option with this decision');
      const answer = { requestId, allow, optionId, comment, decidedBy: call.caller.identity, ...value };
      const result = await this.#context.lifecycle.answerPermission(tx, session, answer);
      await recordWrite(tx, { call, names: request, turnId: result.turnId }, this.#context);
      return result;
    });
    return create(AnswerPermissionResponseSchema, { request: permissionMessage(data) });
  }

  async list(
    request: ListPermissionRequestsRequest,
    { caller }: Pick<CallContext, 'caller'>,
  ): Promise<ListPermissionRequestsResponse> {
    const { ns, recursive, kind, agent, identity } = request;
    if (!KINDS.has(kind)) throw invalidField('kind', 'must be permission, input, sign_in or budget');
    const limit = pageSize(request.pageSize);
    const question = ['permissions', ns, recursive, kind, agent, identity];
    const [after = ''] = decodePageToken(request.pageToken, question) ?? [];
    return await this.#context.store.read(async (tx) => {
      const namespaces = ns === ALL_NAMESPACES ? 'all' : await this.#namespacesOf(tx, request, caller);
      const page = await matching(tx, { namespaces, after, limit, filter: request });
      return create(ListPermissionRequestsResponseSchema, {
        requests: page.found.map(permissionMessage),
        nextPageToken: page.next === '' ? '' : encodePageToken(question, [page.next]),
      });
    });
  }

  /** A grant on an agent covers that agent in one namespace, not those of its name below. */
  async #namespacesOf(
    tx: Pick<ReadTx, 'resources'>,
    { ns, recursive, agent }: ListPermissionRequestsRequest,
    caller: Caller,
  ): Promise<readonly string[]> {
    await requireNamespace(tx, ns);
    if (!recursive) return [ns];
    const { namespaces, authorizer } = this.#context;
    const below = await namespaces.descendants(tx, ns);
    const target = agent === '' ? {} : { agent };
    return [ns, ...below.filter((namespace) => authorizer.allows(caller, 'viewer', { namespace, ...target }))];
  }
}

/** The data of an answer; nothing where none was sent. */
const answerValue = (json: string, limitBytes: number): { readonly value?: unknown } => {
  if (json === '') return {};
  if (Buffer.byteLength(json) > limitBytes)
    throw invalidField('answerJson', `has more than ${limitBytes} bytes (limits.messageBytes)`);
  if (nestsDeeperThan(json, JSON_DEPTH)) throw invalidField('answerJson', `nests deeper than ${JSON_DEPTH}`);
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    throw invalidField('answerJson', 'is not JSON');
  }
};

const fits = (data: PermissionData, { kind, agent, identity }: Filter): boolean =>
  (kind === '' || kindOf(data) === kind) &&
  (agent === '' || data.agent === agent) &&
  (identity === '' || data.identity === identity);

/** Open requests that fit, oldest first, and where the next page begins; '' at the end. */
const matching = async (
  tx: Pick<ReadTx, 'log'>,
  wanted: {
    readonly namespaces: readonly string[] | 'all';
    readonly after: string;
    readonly limit: number;
    readonly filter: Filter;
  },
): Promise<{ readonly found: readonly PermissionData[]; readonly next: string }> => {
  const found: PermissionData[] = [];
  let after = wanted.after;
  for (let read = 0; read < READ_MAX; read += READ_AT_ONCE) {
    const rows = await tx.log.openPermissions(wanted.namespaces, after, READ_AT_ONCE + 1);
    for (const row of rows.slice(0, READ_AT_ONCE)) {
      const data = parsePermission(row);
      if (!fits(data, wanted.filter)) {
        after = row.id;
        continue;
      }
      if (found.length === wanted.limit) return { found, next: after };
      found.push(data);
      after = row.id;
    }
    if (rows.length <= READ_AT_ONCE) return { found, next: '' };
  }
  return { found, next: after };
};

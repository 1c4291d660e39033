import { create } from '@bufbuild/protobuf';
import {
  type CheckMcpServerRequest,
  type CheckMcpServerResponse,
  CheckMcpServerResponseSchema,
  type McpServerTool,
  McpServerToolSchema,
  ToolService,
} from '@svc/api/gateway';
import type { Authorizer, CallContext } from '../../../../auth/contract.ts';
import { type Clock, Fault, notFound } from '../../../../base/index.ts';
import type { AppendAudit } from '../../../../controllers/contract.ts';
import { requireNamespace } from '../../../../controllers/facade-contract.ts';
import { type Operation, operation, operator } from '../../../../operations/index.ts';
import type { McpTool } from '../../../../protocols/mcp/contract.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { modelNames } from '../../../../tools/contract.ts';
import { descriptionOf, schemaOf } from '../connections/index.ts';
import { shown } from '../known-state.ts';
import { withoutValues } from './hidden-texts.ts';
import { type ServerState, type ServerStateDeps, serverState } from './server-state.ts';

export interface CheckDeps extends ServerStateDeps {
  readonly store: Pick<Store, 'direct' | 'write'>;
  readonly authorizer: Pick<Authorizer, 'allows'>;
  readonly audit: AppendAudit;
  readonly clock: Clock;
}

type Reached = Exclude<ServerState, { readonly reason: unknown }>;

/** Characters of all tools of an answer. */
const TOOLS_MAX = 2 * 1024 * 1024;
const TITLE_MAX = 256;
const MICROS_PER_MS = 1_000;

/** CheckMcpServer. */
export const checkOperation = (deps: CheckDeps): Operation =>
  operation(ToolService.method.checkMcpServer, {
    access: operator('fields'),
    handle: (request, context) => checkServer(deps, request, context),
  });

const checkServer = async (
  deps: CheckDeps,
  request: CheckMcpServerRequest,
  context: CallContext,
): Promise<CheckMcpServerResponse> => {
  const { ns: namespace, server: name } = request;
  const { store, clock, audit } = deps;
  const identity = identityOf(deps, request, context);
  await requireNamespace(store.direct, namespace);
  const startedAt = clock.nowMicros();
  const state = await serverState(deps, { namespace, name, use: { agent: '', sessionId: '', identity } });
  if (state === undefined) throw notFound('McpServer', { ns: namespace, name });
  const answer = 'reason' in state ? { reachable: false, ...state } : await reached(name, state);
  const target = `McpServer/${namespace}/${name}`;
  const outcome = `checked-${answer.reason}`;
  await store.write((tx) => audit(tx, context, { target, namespace, resourceVersion: '', outcome }));
  const tookMs = BigInt(Math.round((clock.nowMicros() - startedAt) / MICROS_PER_MS));
  return create(CheckMcpServerResponseSchema, { ...answer, tookMs });
};

const identityOf = (
  { authorizer }: CheckDeps,
  { ns, server, identity }: CheckMcpServerRequest,
  { caller }: CallContext,
): string => {
  if (identity === '' || identity === caller.identity) return caller.identity;
  if (authorizer.allows(caller, 'admin', { namespace: ns })) return identity;
  throw new Fault('PERMISSION_DENIED', 'ROLE', 'the sign-ins of others take the role admin in the namespace', {
    metadata: { ns, server },
  });
};

const reached = async (name: string, { wanted, server, tools }: Reached) => {
  const token = await wanted.authorization?.token();
  const safe = withoutValues([...wanted.hidden, ...(token === undefined ? [] : [token])]);
  const { allowlist } = wanted;
  const listed = new Set(tools.map((tool) => tool.name));
  const allowed = tools.filter((tool) => allowlist === undefined || allowlist.includes(tool.name));
  const names = modelNames(allowed.map((tool) => ({ server: name, tool: tool.name })));
  const agentNames = new Map(allowed.map((tool, index) => [tool, names[index] ?? '']));
  return {
    reachable: true,
    reason: 'Connected',
    message: tools.length === 1 ? '1 tool' : `${tools.length} tools`,
    protocol: shown(server.protocol),
    serverName: safe(shown(server.name)),
    serverVersion: safe(shown(server.version)),
    tools: fitting(tools.map((tool) => toolMessage(tool, agentNames.get(tool), safe))),
    toolCount: tools.length,
    missingTools: (allowlist ?? []).filter((tool) => !listed.has(tool)),
  };
};

const toolMessage = (tool: McpTool, agentName: string | undefined, safe: (text: string) => string): McpServerTool => {
  const { name, title = '', isReadOnly, isDestructive, isIdempotent, isOpenWorld } = tool;
  return create(McpServerToolSchema, {
    name: safe(name.toWellFormed()),
    title: safe(title.slice(0, TITLE_MAX).toWellFormed()),
    description: safe(descriptionOf(tool)),
    inputSchemaJson: safe(JSON.stringify(schemaOf(tool))),
    allowed: agentName !== undefined,
    agentName: safe(agentName ?? ''),
    readOnly: isReadOnly,
    ...(isDestructive === undefined ? {} : { destructive: isDestructive }),
    ...(isIdempotent === undefined ? {} : { idempotent: isIdempotent }),
    ...(isOpenWorld === undefined ? {} : { openWorld: isOpenWorld }),
  });
};

/** As many as fit together, in their order. */
const fitting = (tools: readonly McpServerTool[]): McpServerTool[] => {
  let size = 0;
  const end = tools.findIndex(({ name, title, description, inputSchemaJson }) => {
    size += name.length + title.length + description.length + inputSchemaJson.length;
    return size > TOOLS_MAX;
  });
  return tools.slice(0, end === -1 ? tools.length : end);
};

import { type KindContract, type Reconciler, StoredKindFacade, statusReconcilers } from '../../controllers/index.ts';
import type { Operation } from '../../operations/index.ts';
import { defaultLabelLimits } from '../../resources/index.ts';
import { promptCheck } from '../../runtime/prompt/index.ts';
import { PlacementScope } from '../authoring/deployments/placement/index.ts';
import { agentKnowledgeOperations } from '../authoring/knowledge/agent-knowledge-operations.ts';
import { knowledgeContract } from '../authoring/knowledge/knowledge-kind.ts';
import { KnowledgeLibrary } from '../authoring/knowledge/knowledge-library.ts';
import { namespaceKnowledgeOperations } from '../authoring/knowledge/namespace-knowledge-operations.ts';
import { mcpBindingOperations } from '../authoring/mcp-servers/binding-operations.ts';
import { mcpContracts } from '../authoring/mcp-servers/mcp-kinds.ts';
import { mcpServerOperations } from '../authoring/mcp-servers/server-operations.ts';
import { NamespaceDirectory } from '../authoring/namespaces/index.ts';
import { descendantRecords } from '../authoring/namespaces/namespace-directory.ts';
import { SkillDirectory } from '../authoring/skills/skill-directory.ts';
import { skillContract } from '../authoring/skills/skill-kind.ts';
import { templateContract } from '../authoring/templates/template-kind.ts';
import { templateOperations } from '../authoring/templates/template-operations.ts';
import { openResourceWorld } from './resource-world.ts';

const RESPONSE_BYTES = 4 * 1024 * 1024;

export type AuthoringWorld = Awaited<ReturnType<typeof openAuthoringWorld>>;

/** The resource world with templates, MCP servers and bindings, knowledge and skills; reconcilers run only by `settle`. */
export const openAuthoringWorld = async (
  options: {
    readonly stdioNamespaces?: readonly string[];
    readonly contracts?: readonly KindContract[];
    readonly responseBytes?: number;
  } = {},
) => {
  const namespaces = new NamespaceDirectory();
  const placement = new PlacementScope({ namespaces });
  const contracts: KindContract[] = [];
  const descendants = async (...[resources, namespace]: Parameters<typeof descendantRecords>) =>
    (await descendantRecords(resources, namespace)).map((record) => record.key.name);
  contracts.push(
    templateContract({
      contractOf: (kind) => contracts.find((contract) => contract.kind === kind),
      promptCheck,
      labelLimits: defaultLabelLimits,
      requireScope: (tx, template, origin) => placement.requireTemplate(tx, template, origin),
    }),
    ...mcpContracts({ namespaces, descendants, stdioNamespaces: options.stdioNamespaces ?? [] }),
    knowledgeContract(),
    skillContract(),
    ...(options.contracts ?? []),
  );
  const world = await openResourceWorld({ contracts: () => contracts });
  const { store, writer, authorizer, views } = world;
  const facade = (kind: string) => new StoredKindFacade(kind, { store, writer, responseBytes: RESPONSE_BYTES });
  const visibleNamespaces = async (...[reads, namespace]: Parameters<NamespaceDirectory['find']>) => {
    const state = await namespaces.find(reads, namespace);
    return state === undefined || state.isDeleted ? [] : [namespace, ...state.ancestors];
  };
  const library = new KnowledgeLibrary({ visibleNamespaces });
  const responseBytes = options.responseBytes ?? RESPONSE_BYTES;
  (world.operations as Operation[]).push(
    ...agentKnowledgeOperations({ store, library, responseBytes, understand: async () => undefined }),
    ...namespaceKnowledgeOperations({ knowledge: facade('Knowledge'), views }),
    ...templateOperations({ templates: facade('Template'), authorizer, views }),
    ...mcpServerOperations({ servers: facade('McpServer'), authorizer, views }),
    ...mcpBindingOperations({ bindings: facade('McpServerBinding'), authorizer, views }),
  );
  const reconcilers: readonly Reconciler[] = statusReconcilers({ store, writer, seal: world.seal }, world.contracts);
  let seen = 0;

  /** Runs every reconciler over what changed since the last time, until nothing changes any more. */
  const settle = async (): Promise<void> => {
    for (;;) {
      const changes = await store.direct.resources.changes(seen, 500);
      const last = changes.at(-1);
      if (last === undefined) return;
      seen = last.version;
      for (const change of changes)
        for (const reconciler of reconcilers)
          for (const key of await reconciler.keysFor(change, store.direct.resources)) await reconciler.reconcile(key);
    }
  };
  return { ...world, settle, library, skills: new SkillDirectory({ visibleNamespaces }) };
};

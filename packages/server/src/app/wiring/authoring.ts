import { type KindContract, type NamespaceFacts, StoredKindDoor } from '../../controllers/index.ts';
import type { PlacementScope } from '../../features/authoring/deployments/index.ts';
import {
  agentKnowledgeOperations,
  KnowledgeLibrary,
  knowledgeContract,
  namespaceKnowledgeOperations,
} from '../../features/authoring/knowledge/index.ts';
import { mcpBindingOperations, mcpContracts, mcpServerOperations } from '../../features/authoring/mcp-servers/index.ts';
import type { NamespaceDirectory } from '../../features/authoring/namespaces/index.ts';
import { SkillDirectory, skillContract } from '../../features/authoring/skills/index.ts';
import { templateContract, templateOperations } from '../../features/authoring/templates/index.ts';
import type { Operation } from '../../operations/index.ts';
import { promptCheck } from '../../runtime/prompt/index.ts';
import type { ReadTx } from '../../store/contracts/index.ts';
import type { Config } from '../config/index.ts';
import { labelLimits } from './label-limits.ts';
import type { AppParts } from './operations.ts';

/** What agents are put together from: templates, MCP servers and bindings, knowledge, skills. */
export const authoringKinds = (needs: {
  readonly config: Config;
  readonly namespaces: NamespaceFacts;
  readonly contractOf: (kind: string) => KindContract | undefined;
  readonly placement: PlacementScope;
}): readonly KindContract[] => {
  const { config, namespaces, contractOf, placement } = needs;
  return [
    templateContract({
      contractOf,
      promptCheck,
      labelLimits: labelLimits(config),
      requireScope: (tx, template, origin) => placement.requireTemplate(tx, template, origin),
    }),
    ...mcpContracts({ namespaces, stdioNamespaces: config.settings['mcp.stdioNamespaces'] }),
    knowledgeContract({ maxBytes: config.settings['limits.knowledgeMax'] }),
    skillContract(),
  ];
};

/** Namespaces whose contents count for references from one: itself and its ancestors, none of a deleted one. */
const visibleNamespaces =
  (directory: NamespaceDirectory) =>
  async (reads: Pick<ReadTx, 'resources'>, namespace: string): Promise<readonly string[]> => {
    const state = await directory.find(reads, namespace);
    return state === undefined || state.isDeleted ? [] : [namespace, ...state.ancestors];
  };

/** Skills as turns see them. */
export const skillSource = (directory: NamespaceDirectory): SkillDirectory =>
  new SkillDirectory({ visibleNamespaces: visibleNamespaces(directory) });

/** Their operations; skills have none of their own. */
export const authoringOperations = ({ config, engines, resources }: AppParts): readonly Operation[] => {
  const { store } = engines;
  const { writer, authorizer, views, directory } = resources;
  const responseBytes = config.settings['limits.responseBytes'];
  const door = (kind: string): StoredKindDoor => new StoredKindDoor(kind, { store, writer, responseBytes });
  const library = new KnowledgeLibrary({ visibleNamespaces: visibleNamespaces(directory) });
  return [
    ...agentKnowledgeOperations({ store, library, responseBytes }),
    ...namespaceKnowledgeOperations({ knowledge: door('Knowledge'), views }),
    ...templateOperations({ templates: door('Template'), authorizer, views }),
    ...mcpServerOperations({ servers: door('McpServer'), authorizer, views }),
    ...mcpBindingOperations({ bindings: door('McpServerBinding'), authorizer, views }),
  ];
};

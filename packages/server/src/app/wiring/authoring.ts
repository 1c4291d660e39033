import { type KindContract, type NamespaceFacts, StoredKindDoor } from '../../controllers/index.ts';
import type { Operation } from '../../features/contract.ts';
import { mcpBindingOperations, mcpContracts, mcpServerOperations } from '../../features/mcp-servers/index.ts';
import { skillContract } from '../../features/skills/index.ts';
import { templateContract, templateOperations } from '../../features/templates/index.ts';
import { promptCheck } from '../../runtime/prompt/index.ts';
import type { Config } from '../config/index.ts';
import type { AppParts } from './operations.ts';

/** What agents are put together from: templates, MCP servers and bindings, skills. */
export const authoringKinds = (needs: {
  readonly config: Config;
  readonly namespaces: NamespaceFacts;
  readonly contractOf: (kind: string) => KindContract | undefined;
}): readonly KindContract[] => {
  const { config, namespaces, contractOf } = needs;
  return [
    templateContract({ contractOf, promptCheck }),
    ...mcpContracts({ namespaces, stdioNamespaces: config.settings['mcp.stdioNamespaces'] }),
    skillContract(),
  ];
};

/** Their operations (API-8.6, 8.7); skills have none of their own. */
export const authoringOperations = ({ config, engines, resources }: AppParts): readonly Operation[] => {
  const { store } = engines;
  const { writer, authorizer, views } = resources;
  const responseBytes = config.settings['limits.responseBytes'];
  const door = (kind: string): StoredKindDoor => new StoredKindDoor(kind, { store, writer, responseBytes });
  return [
    ...templateOperations({ templates: door('Template'), authorizer, views }),
    ...mcpServerOperations({ servers: door('McpServer'), authorizer, views }),
    ...mcpBindingOperations({ bindings: door('McpServerBinding'), authorizer, views }),
  ];
};

import type { FeatureModule } from '../../module-contract.ts';
import { agentKnowledgeOperations } from './agent-knowledge-operations.ts';
import { knowledgeContract } from './knowledge-kind.ts';
import { KnowledgeLibrary, type KnowledgeLibraryDeps } from './knowledge-library.ts';
import { type KnowledgeToolsDeps, knowledgeTools } from './knowledge-tools.ts';
import { type NamespaceKnowledgeDeps, namespaceKnowledgeOperations } from './namespace-knowledge-operations.ts';

interface KnowledgeModuleDeps extends KnowledgeToolsDeps, NamespaceKnowledgeDeps, KnowledgeLibraryDeps {
  /** In bytes. */
  readonly settings: { readonly 'limits.knowledgeMax': number; readonly 'limits.responseBytes': number };
}

/** The kind Knowledge, and what is found in it from an agent, from its tools and from a namespace. */
export const knowledgeModule = (deps: KnowledgeModuleDeps): FeatureModule => {
  const { settings } = deps;
  const library = new KnowledgeLibrary(deps);
  return {
    kinds: [knowledgeContract({ maxBytes: settings['limits.knowledgeMax'] })],
    operations: [
      ...agentKnowledgeOperations({ ...deps, library, responseBytes: settings['limits.responseBytes'] }),
      ...namespaceKnowledgeOperations(deps),
    ],
    toolSources: [knowledgeTools({ ...deps, library })],
  };
};

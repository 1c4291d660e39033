import type { FeatureModule } from '../../module-contract.ts';
import { agentKnowledgeOperations } from './agent-knowledge-operations.ts';
import { knowledgeContract } from './knowledge-kind.ts';
import { KnowledgeLibrary, type KnowledgeLibraryDeps } from './knowledge-library.ts';
import { knowledgeSearch } from './knowledge-search.ts';
import { type KnowledgeToolsDeps, knowledgeTools } from './knowledge-tools.ts';
import { type NamespaceKnowledgeDeps, namespaceKnowledgeOperations } from './namespace-knowledge-operations.ts';

interface KnowledgeModuleDeps extends KnowledgeToolsDeps, NamespaceKnowledgeDeps, KnowledgeLibraryDeps {
  /** In bytes. */
  readonly settings: { readonly 'limits.knowledgeMax': number; readonly 'limits.responseBytes': number };
}

export interface KnowledgeModule extends FeatureModule {
  readonly library: KnowledgeLibrary;
  /** Knowledge as one part of the search of agents; it is handed what opens files. */
  readonly search: ReturnType<typeof knowledgeSearch>;
}

/** The kind Knowledge, and what is found in it from an agent, from its tools and from a namespace. */
export const knowledgeModule = (deps: KnowledgeModuleDeps): KnowledgeModule => {
  const { settings } = deps;
  const library = new KnowledgeLibrary(deps);
  return {
    kinds: [knowledgeContract({ maxBytes: settings['limits.knowledgeMax'] })],
    operations: [
      ...agentKnowledgeOperations({ ...deps, library, responseBytes: settings['limits.responseBytes'] }),
      ...namespaceKnowledgeOperations(deps),
    ],
    library,
    search: knowledgeSearch({ ...deps, library }),
    toolSources: [knowledgeTools({ ...deps, library })],
  };
};

import { together } from '../../../base/index.ts';
import { jsonResult, numberOf, PART_ARGUMENTS, shownTime } from '../../../tools/authority-contract.ts';
import {
  type ApprovalMode,
  errorResult,
  type Tool,
  type ToolCapability,
  type ToolGrants,
  type ToolSource,
} from '../../../tools/contract.ts';
import { SEARCH_KINDS, type SearchKind, type SearchSource } from './search-contract.ts';

export interface SearchToolsDeps {
  readonly sources: readonly SearchSource[];
  /** Approval of an action, undefined where nothing grants it. */
  readonly approvalOf: (capabilities: ToolGrants['capabilities'], wanted: ToolCapability) => ApprovalMode | undefined;
}

const CAPABILITY = 'search';
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;

/** `search` and `open_result`, for the kinds that the agent may search. */
export const searchTools = (deps: SearchToolsDeps): ToolSource => ({
  name: CAPABILITY,
  toolsets: [CAPABILITY],
  names: ['search', 'open_result'],
  concerns: ({ capabilities }) => (capabilities[CAPABILITY] ?? []).length > 0,
  tools: async ({ grants }) => {
    const granted = grantedKinds(deps, grants);
    const sources = deps.sources.filter(({ kind }) => granted.has(kind));
    const strictest = strictestOf(granted);
    return strictest === undefined ? [] : [search(sources, strictest), openResult(sources)];
  },
});

const grantedKinds = (
  { approvalOf }: SearchToolsDeps,
  { capabilities }: ToolGrants,
): ReadonlyMap<SearchKind, ApprovalMode> => {
  const granted = new Map<SearchKind, ApprovalMode>();
  for (const kind of SEARCH_KINDS) {
    const approval = approvalOf(capabilities, { name: CAPABILITY, action: kind });
    if (approval === 'allow' || approval === 'ask') granted.set(kind, approval);
  }
  return granted;
};

/** The action that decides about a search: one that a person has to allow, where there is one. */
const strictestOf = (granted: ReadonlyMap<SearchKind, ApprovalMode>): SearchKind | undefined => {
  const kinds = [...granted.keys()];
  return kinds.find((kind) => granted.get(kind) === 'ask') ?? kinds[0];
};

const search = (sources: readonly SearchSource[], action: SearchKind): Tool => ({
  name: 'search',
  description:
    'Searches the files of this workspace, its knowledge, and your other conversations. Open a result with open_result.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 1024, pattern: '\\S' },
      kinds: {
        type: 'array',
        items: { type: 'string', enum: sources.map(({ kind }) => kind) },
        description: 'where to search; left out: everywhere',
      },
      limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    },
    required: ['query'],
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action },
  run: async (context, input) => {
    const query = String(input['query']);
    const limit = numberOf(input['limit'], LIMIT_DEFAULT);
    const kinds = Array.isArray(input['kinds']) && input['kinds'].length > 0 ? input['kinds'] : undefined;
    const asked = sources.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
    const lists = await together(
      ...asked.map(async (source) =>
        (await source.find(context, { query, limit })).map((found) => ({ ...found, kind: source.kind })),
      ),
    );
    const byRef = new Map(lists.flat().map((found) => [found.ref, found]));
    const best = [...byRef.values()].sort((left, right) => right.score - left.score).slice(0, limit);
    return jsonResult({
      results: best.map(({ ref, kind, title, snippet, score, updatedAt }) => ({
        ref,
        kind,
        title,
        snippet,
        score: Math.round(score * 1_000) / 1_000,
        updated_at: shownTime(updatedAt),
      })),
    });
  },
});

const openResult = (sources: readonly SearchSource[]): Tool => ({
  name: 'open_result',
  description: 'Reads what a result of search stands for. A long text comes in parts: continue at next_offset.',
  inputSchema: {
    type: 'object',
    properties: {
      ref: { type: 'string', minLength: 1, maxLength: 2048, description: 'ref of a result of search' },
      ...PART_ARGUMENTS,
    },
    required: ['ref'],
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'open_result' },
  run: async (context, { ref, ...part }) => {
    for (const source of sources) {
      const opened = await source.open(context, String(ref), part);
      if (opened !== undefined) return opened;
    }
    return errorResult('open_result', 'failed', 'there is no such result');
  },
});

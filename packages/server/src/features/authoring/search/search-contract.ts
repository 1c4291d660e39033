import type { ToolContext, ToolResult } from '../../../tools/contract.ts';

/** What can be searched; each is an action of the capability `search`. */
export const SEARCH_KINDS = ['workspace', 'sessions', 'knowledge'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** A place of the search, as models see it. */
interface SearchResult {
  /** Opens it. */
  readonly ref: string;
  readonly title: string;
  readonly snippet: string;
  /** In (0, 1]. */
  readonly score: number;
  /** Micros. */
  readonly updatedAt: number;
}

/** What one feature lets be found and opened. Both see only what the turn of the call may see. */
export interface SearchSource {
  readonly kind: SearchKind;
  /** Best first. */
  find(
    context: ToolContext,
    asked: { readonly query: string; readonly limit: number },
  ): Promise<readonly SearchResult[]>;
  /** Undefined for a ref that is not of this source, or leads to nothing that the turn may see. */
  open(context: ToolContext, ref: string, part: Readonly<Record<string, unknown>>): Promise<ToolResult | undefined>;
}

import type { JsonObject } from '@bufbuild/protobuf';
import type { PlainClient, PlainOperation } from '@svc/client/plain';
import { CommandFailure } from '../failure.ts';
import { mapsOf, textOf } from '../json-value.ts';
import type { World } from '../world.ts';

/** Where a command looks. */
export interface Scope {
  readonly call: PlainClient['call'];
  readonly namespace: string;
  /** `-l`. */
  readonly selector: string;
  /** Sessions: only those of this agent. */
  readonly agent: string | undefined;
  /** Most items of a list. */
  readonly limit: number;
  readonly world: World;
}

/** One resource as it is shown. */
export interface Item {
  readonly name: string;
  readonly namespace: string;
  /** {apiVersion, kind, metadata, spec, status} as the API words them. */
  readonly json: JsonObject;
  /** Cells under the headings of its kind. */
  readonly cells: readonly string[];
  readonly wideCells: readonly string[];
}

/** What `get`, `describe` and `delete` need to know of a kind. */
export interface Kind {
  readonly name: string;
  readonly plural: string;
  /** Other words for it, lower case. */
  readonly words: readonly string[];
  readonly isNamespaced: boolean;
  readonly headings: readonly string[];
  readonly wideHeadings: readonly string[];
  list(scope: Scope): Promise<readonly Item[]>;
  get(scope: Scope, name: string): Promise<Item>;
  /** Answers a note such as `deleted`, or what holds it back. */
  remove(scope: Scope, name: string, options: RemoveOptions): Promise<string>;
  /** A resource as the ResourceService words it (its spec below the name of its kind), as it is shown. */
  itemOf(scope: Scope, resource: JsonObject): Item;
}

/** What becomes of dependants, as the API names it. */
export type Propagation =
  | 'DELETE_PROPAGATION_BACKGROUND'
  | 'DELETE_PROPAGATION_FOREGROUND'
  | 'DELETE_PROPAGATION_ORPHAN';

/** How a resource is deleted. */
export interface RemoveOptions {
  /** Namespaces: contents at once. */
  readonly isPurge?: boolean;
  /** What becomes of dependants; background when it is left out. */
  readonly propagation?: Propagation;
  /** Strips finalizers; admins only. */
  readonly isForced?: boolean;
}

/** Refuses what only resources with dependants and finalizers know. */
export const requirePlainRemoval = (kind: string, { propagation, isForced }: RemoveOptions): void => {
  if (isForced === true || (propagation !== undefined && propagation !== 'DELETE_PROPAGATION_BACKGROUND'))
    throw new CommandFailure(`--cascade and --force are not for a ${kind}`);
};

/** Names of all that the scope selects, however many there are: what is done to them must leave none out. */
export const allNames = async (kind: Kind, scope: Scope): Promise<readonly string[]> =>
  (await kind.list({ ...scope, limit: Number.POSITIVE_INFINITY })).map(({ name }) => name);

const PAGE = 200;

/** Pages of a list until `limit` items are there. */
export const collectPages = async <T>(
  limit: number,
  page: (pageToken: string, pageSize: number) => Promise<{ readonly items: readonly T[]; readonly next: string }>,
): Promise<readonly T[]> => {
  const items: T[] = [];
  let token = '';
  do {
    const { items: more, next } = await page(token, Math.min(PAGE, limit - items.length));
    items.push(...more);
    token = next;
  } while (token !== '' && items.length < limit);
  return items;
};

/** The items of a list operation, page after page, until the scope's limit; `member` is the field of the answer with them. */
export const listItems = (
  scope: Pick<Scope, 'call' | 'limit'>,
  operation: PlainOperation,
  { member, ...request }: JsonObject & { readonly member: string },
): Promise<readonly JsonObject[]> =>
  collectPages(scope.limit, async (pageToken, pageSize) => {
    const page = await scope.call(operation, { ...request, pageToken, pageSize });
    return { items: mapsOf(page[member]), next: textOf(page['nextPageToken']) };
  });

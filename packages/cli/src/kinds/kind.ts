import type { JsonObject } from '@bufbuild/protobuf';
import type { PlainClient, PlainOperation } from '@svc/client/plain';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapsOf, textOf } from '../json-value.ts';

/** What a command selects. */
export interface Scope {
  readonly call: PlainClient['call'];
  readonly namespace: string;
  /** `-l`. */
  readonly selector: string;
  /** Only sessions of this agent. */
  readonly agent: string | undefined;
  /** Items of a list at most. */
  readonly limit: number;
  readonly host: Host;
}

/** One resource as it is shown. */
export interface Item {
  readonly name: string;
  readonly namespace: string;
  /** {apiVersion, kind, metadata, spec, status}, named as in the API. */
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
  /** Returns a note such as `deleted`, or what delays the deletion. */
  remove(scope: Scope, name: string, options: RemoveOptions): Promise<string>;
  /** A resource as the ResourceService returns it (its spec below the name of its kind), in the form in which it is shown. */
  itemOf(scope: Scope, resource: JsonObject): Item;
}

/** What happens to dependants, as the API names it. */
export type Propagation =
  | 'DELETE_PROPAGATION_BACKGROUND'
  | 'DELETE_PROPAGATION_FOREGROUND'
  | 'DELETE_PROPAGATION_ORPHAN';

/** How a resource is deleted. */
export interface RemoveOptions {
  /** Namespaces: delete contents at once. */
  readonly isPurge?: boolean;
  /** What happens to dependants; background by default. */
  readonly propagation?: Propagation;
  /** Strips finalizers; admins only. */
  readonly isForced?: boolean;
}

/** Refuses options that only apply to resources with dependants and finalizers. */
export const requirePlainRemoval = (kind: string, { propagation, isForced }: RemoveOptions): void => {
  if (isForced === true || (propagation !== undefined && propagation !== 'DELETE_PROPAGATION_BACKGROUND'))
    throw new CommandFailure(`--cascade and --force are not for a ${kind}`);
};

/** Names of everything that the scope selects, without a limit: an action on them must leave none out. */
export const allNames = async (kind: Kind, scope: Scope): Promise<readonly string[]> =>
  (await kind.list({ ...scope, limit: Number.POSITIVE_INFINITY })).map(({ name }) => name);

const PAGE = 200;

/** Reads pages of a list until there are `limit` items. */
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

/** The items of a list operation, page by page, up to the scope's limit; `member` is the field of the answer that holds them. */
export const listItems = (
  scope: Pick<Scope, 'call' | 'limit'>,
  operation: PlainOperation,
  { member, ...request }: JsonObject & { readonly member: string },
): Promise<readonly JsonObject[]> =>
  collectPages(scope.limit, async (pageToken, pageSize) => {
    const page = await scope.call(operation, { ...request, pageToken, pageSize });
    return { items: mapsOf(page[member]), next: textOf(page['nextPageToken']) };
  });

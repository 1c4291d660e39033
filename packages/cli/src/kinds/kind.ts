import type { JsonObject } from '@bufbuild/protobuf';
import { DeletePropagation } from '@svc/api/gateway';
import type { Resource } from '@svc/api/resources';
import type { Client } from '@svc/client';
import { CommandFailure } from '../failure.ts';
import type { World } from '../world.ts';

/** Where a command looks. */
export interface Scope {
  readonly client: Client;
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
  /** What a watch brings, as it is shown. */
  itemOf(scope: Scope, resource: Resource): Item;
}

/** How a resource is deleted. */
export interface RemoveOptions {
  /** Namespaces: contents at once. */
  readonly isPurge?: boolean;
  /** What becomes of dependants. */
  readonly propagation?: DeletePropagation;
  /** Strips finalizers; admins only. */
  readonly isForced?: boolean;
}

/** Refuses what only resources with dependants and finalizers know. */
export const requirePlainRemoval = (kind: string, { propagation, isForced }: RemoveOptions): void => {
  if (isForced === true || (propagation !== undefined && propagation !== DeletePropagation.BACKGROUND))
    throw new CommandFailure(`--cascade and --force are not for a ${kind}`);
};

/** Names of all that the scope selects, however many there are: what is done to them must leave none out. */
export const allNames = async (kind: Kind, scope: Scope): Promise<readonly string[]> =>
  (await kind.list({ ...scope, limit: Number.POSITIVE_INFINITY })).map(({ name }) => name);

/** Pages of a list until `limit` items are there. */
export const collectPages = async <T>(
  limit: number,
  page: (pageToken: string, pageSize: number) => Promise<{ readonly items: readonly T[]; readonly next: string }>,
): Promise<readonly T[]> => {
  const items: T[] = [];
  let token = '';
  do {
    const { items: more, next } = await page(token, Math.min(200, limit - items.length));
    items.push(...more);
    token = next;
  } while (token !== '' && items.length < limit);
  return items;
};

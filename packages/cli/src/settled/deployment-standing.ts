import type { JsonObject } from '@bufbuild/protobuf';
import { isSvcError } from '@svc/client/error';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { type Item, kindOf, type Scope } from '../kinds/index.ts';
import { type Standing, standingOf } from './standing.ts';

const SYSTEM = 'system';

/** As `standingOf`; a deployment is ready only when its status covers its current templates and namespaces. */
export const settledStanding = async (scope: Scope, json: JsonObject): Promise<Standing> => {
  const standing = standingOf(json);
  if (standing.state !== 'ready' || json['kind'] !== 'Deployment') return standing;
  const stale = (await staleTemplate(scope, json)) ?? (await staleSelection(scope, json));
  if (stale !== undefined) return { state: 'waiting', why: stale };
  const counts = mapOf(mapOf(json['status'])['replicaCounts']);
  const [desired, updated, ready] = [countOf(counts['desired']), countOf(counts['updated']), countOf(counts['ready'])];
  if (updated === desired && ready === desired) return standing;
  return { state: 'waiting', why: `${Math.min(updated, ready)} of ${desired} namespaces have the current templates` };
};

const countOf = (value: JsonObject[string] | undefined): number => Number(textOf(value) || '0');

/** What a deployment waits for when a template has changed since its status was written. */
const staleTemplate = async (scope: Scope, json: JsonObject): Promise<string | undefined> => {
  const names = templateNames(json);
  const judged = judgedVersions(json);
  const places = await lineage(scope, namespaceOf(json));
  for (const [index, name] of names.entries()) {
    const version = await templateVersion(scope, places, name);
    if (version !== undefined && version !== judged[index]) return `it has not rendered template ${name} as it is now`;
  }
  return undefined;
};

/** Resource versions of the templates in the status, in the order of the spec. */
const judgedVersions = (json: JsonObject): readonly string[] => {
  const versions = mapOf(json['status'])['templateVersions'];
  return Array.isArray(versions) ? versions.map(textOf) : [];
};

/** Own namespace, ancestors from near to far, then `system`: where a deployment finds its templates. */
const lineage = async (scope: Scope, own: string): Promise<readonly string[]> => {
  const places = [own];
  for (let at = own; at !== ''; ) {
    const parent: string = at.includes(':') ? at.slice(0, at.lastIndexOf(':')) : await parentOf(scope, at);
    if (parent !== '' && !places.includes(parent)) places.push(parent);
    else break;
    at = parent;
  }
  return [...new Set([...places, SYSTEM])];
};

const parentOf = async (scope: Scope, name: string): Promise<string> => {
  const item = await readable(() => kindOf('namespaces').get(scope, name));
  return textOf(mapOf(item?.json['spec'])['parent']);
};

/** Undefined if there is none, or none that the caller may read: what cannot be read is not waited for. */
const templateVersion = async (scope: Scope, places: readonly string[], name: string): Promise<string | undefined> => {
  for (const namespace of places) {
    const item = await readable(() => kindOf('templates').get({ ...scope, namespace }, name));
    if (item !== undefined) return textOf(mapOf(item.json['metadata'])['resourceVersion']);
  }
  return undefined;
};

/**
 * What a deployment waits for when namespaces have joined or left its selection since its status was written. The list contains what
 * the caller may read: fewer than the status counts mean a change only to a caller who sees all that can be selected.
 */
const staleSelection = async (scope: Scope, json: JsonObject): Promise<string | undefined> => {
  const all = await readable(() =>
    kindOf('namespaces').list({ ...scope, selector: '', limit: Number.POSITIVE_INFINITY }),
  );
  if (all === undefined) return undefined;
  const selected = all.filter((item) => isSelected(json, item.json)).length;
  const desired = countOf(mapOf(mapOf(json['status'])['replicaCounts'])['desired']);
  if (selected === desired || (selected < desired && !(await seesChildren(scope, selectorParent(json), all))))
    return undefined;
  return `it selects ${selected} namespaces and has counted ${desired} so far`;
};

/** Whether the caller sees every child of a namespace, given its grants; the children of `''` are the roots. */
const seesChildren = async (scope: Scope, parent: string, visible: readonly Item[]): Promise<boolean> => {
  if (parent !== '') return visible.some(({ name }) => name === parent);
  const who = await readable(() => scope.call('AuthService/WhoAmI', {}));
  return mapsOf(who?.['grants']).some((grant) => grant['namespace'] === undefined);
};

const isSelected = (json: JsonObject, namespace: JsonObject): boolean => {
  const name = textOf(mapOf(namespace['metadata'])['name']);
  const parent = parentOfName(name, namespace);
  if (mapOf(namespace['status'])['isDeleted'] === true || parent !== selectorParent(json)) return false;
  if (parent === '' && name === SYSTEM) return false;
  const labels = mapOf(mapOf(namespace['metadata'])['labels']);
  return Object.entries(mapOf(selectorOf(json)['matchLabels'])).every(([key, value]) => labels[key] === value);
};

const parentOfName = (name: string, namespace: JsonObject): string =>
  name.includes(':') ? name.slice(0, name.lastIndexOf(':')) : textOf(mapOf(namespace['spec'])['parent']);

const selectorOf = (json: JsonObject): JsonObject =>
  mapOf(mapOf(mapOf(json['spec'])['placement'])['namespaceSelector']);

/** The namespace whose children a deployment selects; '' for the roots. */
const selectorParent = (json: JsonObject): string => {
  const parent = textOf(selectorOf(json)['parent']);
  if (parent !== '') return parent;
  return namespaceOf(json) === SYSTEM ? '' : namespaceOf(json);
};

const namespaceOf = (json: JsonObject): string => textOf(mapOf(json['metadata'])['namespace']);

const templateNames = (json: JsonObject): readonly string[] => {
  const { templates } = mapOf(json['spec']);
  return Array.isArray(templates) ? templates.map((name) => textOf(name)) : [];
};

/**
 * Those of the deployments that render one of the applied templates (by name) or select one of the applied namespaces (in manifest
 * form): their replicas are part of the change.
 */
export const concernedDeployments = (
  deployments: readonly Item[],
  applied: { readonly templates: readonly string[]; readonly namespaces: readonly JsonObject[] },
): readonly Item[] =>
  deployments.filter(
    ({ json }) =>
      templateNames(json).some((name) => applied.templates.includes(name)) ||
      applied.namespaces.some((namespace) => isSelected(json, namespace)),
  );

const readable = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await read();
  } catch (error) {
    if (isSvcError(error) && (error.code === 'NOT_FOUND' || error.code === 'PERMISSION_DENIED')) return undefined;
    throw error;
  }
};

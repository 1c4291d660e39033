import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import type { TemplateSpec } from '@svc/api/resources';
import type { KindContract } from '../../../../controllers/contract.ts';
import {
  DEPLOYMENT_ROOTS,
  type ExpressionPath,
  type ExpressionScope,
  isDeploymentPath,
  isPrompt,
  LATER_ROOTS,
  mapTexts,
  plainText,
  renderText,
  type TextPlace,
} from '../../../../resources/expressions/index.ts';
import {
  canonicalJson,
  findKind,
  holdsValue,
  isJsonMap,
  type JsonData,
  type JsonMap,
  type KindRow,
  leafName,
  parentInSpec,
  parseJsonMap,
  recordKey,
  specNormaliser,
  withoutPrivate,
} from '../../../../resources/index.ts';
import { mapSpecTexts, shapeProblems } from '../../../../resources/manifest/index.ts';
import { leavesOf, setAt } from '../../../../resources/merge/index.ts';
import type { ResourceKey } from '../../../../store/contracts/index.ts';
import { type DeploymentLimits, KEEP, type TargetNamespace } from '../deployment-rules.ts';
import { invalidReason, type ObjectProblem, objectId, renderReason } from './object-problems.ts';

type Texts = Readonly<Record<string, string>>;

/** What has a name and is known to expressions by its labels and annotations. */
interface NamedTexts {
  readonly name: string;
  readonly labels: Texts;
  readonly annotations: Texts;
}

/** A template with its values opened. */
export interface RenderedTemplate extends NamedTexts {
  /** False when a value of it could not be opened. */
  readonly isReadable: boolean;
  /** Who wrote its values may read them in the target namespace. */
  readonly isSeen: boolean;
  readonly spec: TemplateSpec;
}

export interface RenderPlace {
  readonly deployment: NamedTexts & { readonly namespace: string };
  readonly target: TargetNamespace;
}

/** What a template says about one object. */
export interface RenderedObject {
  readonly template: string;
  readonly id: string;
  readonly key: ResourceKey;
  readonly row: KindRow;
  /** `metadata.labels`, `metadata.annotations` and `spec` in stored form, without defaults of the kind. */
  readonly form: JsonMap;
  /** Spec of an object of the kind that says nothing. */
  readonly defaults: JsonMap;
  /** Its sensitive values may be guesses of somebody who may not read those of the target namespace. */
  readonly isUnseen: boolean;
}

export type Rendering =
  | { readonly object: RenderedObject }
  | { readonly problems: readonly ObjectProblem[]; readonly id: string };

export interface RenderDeps {
  readonly contractOf: (kind: string) => KindContract | undefined;
  readonly limits: Pick<DeploymentLimits, 'objectBytes'>;
}

/** Renders one template for one namespace. What is wrong concerns this template only. */
export const renderTemplate = (deps: RenderDeps, template: RenderedTemplate, place: RenderPlace): Rendering =>
  new TemplateRendering(deps, template, place).run();

interface Mistake {
  readonly pointer: string;
  readonly reason: string;
  readonly message: string;
}

class TemplateRendering {
  readonly #deps: RenderDeps;
  readonly #template: RenderedTemplate;
  readonly #scope: Omit<ExpressionScope, 'keepsRaw'>;
  readonly #target: TargetNamespace;
  readonly #mistakes: Mistake[] = [];

  constructor(deps: RenderDeps, template: RenderedTemplate, place: RenderPlace) {
    this.#deps = deps;
    this.#template = template;
    this.#target = place.target;
    const resolve = resolver(template, place);
    this.#scope = { owns: DEPLOYMENT_ROOTS, passes: LATER_ROOTS, resolve };
  }

  run(): Rendering {
    const { spec, name: templateName } = this.#template;
    const row = findKind(spec.kind);
    // A newer release may have stored a kind that this one lacks.
    if (row === undefined) return this.#refused(`${spec.kind}/${templateName}`, `there is no kind ${spec.kind}`);
    if (!this.#template.isReadable)
      return this.#refused(`${spec.kind}/${templateName}`, 'a value of the template cannot be decrypted');
    const metadata = this.#metadata();
    const body = this.#spec(parseJsonMap(spec.specJson) ?? {}, row);
    const shape = this.#mistakes.length > 0 ? [] : shapeProblems(row.spec, body);
    const derived = shape.length > 0 || metadata.name !== '' ? undefined : this.#derivedName(row, body);
    const name = derived ?? (metadata.name === '' ? templateName : metadata.name);
    const key = { ...recordKey(row.kind, this.#target.name, name), parent: parentInSpec(row, body) };
    const id = objectId(key);
    for (const { pointer, message } of shape) this.#invalid(`/spec${pointer}`, message);
    if (this.#mistakes.length > 0) return this.#failed(id);
    const { labels, annotations } = metadata;
    const [filled, defaults] = [this.#filled(row, key, body), this.#filled(row, key, {})];
    const plain = toJson(row.spec, fromJson(row.spec, body as JsonValue)) as JsonMap;
    const form = { metadata: { labels, annotations }, spec: ownValues(plain, filled, defaults) };
    const { objectBytes } = this.#deps.limits;
    if (Buffer.byteLength(canonicalJson(form)) <= objectBytes)
      return { object: { template: templateName, id, key, row, form, defaults, isUnseen: this.#isUnseen(row.kind) } };
    return this.#refused(id, `larger than ${objectBytes} bytes`);
  }

  /** Labels and annotations that become part of a value may be anybody's. */
  #isUnseen(kind: string): boolean {
    const { isSeen, spec } = this.#template;
    return !isSeen || holdsValue(kind, parseJsonMap(spec.specJson) ?? {}, (value) => value.includes('{{'));
  }

  #derivedName(row: KindRow, body: JsonMap): string | undefined {
    if (this.#mistakes.length > 0) return undefined;
    return this.#deps.contractOf(row.kind)?.derivedName?.(fromJson(row.spec, body as JsonValue));
  }

  #refused(id: string, message: string): Rendering {
    this.#invalid('/spec', message);
    return this.#failed(id);
  }

  #failed(id: string): Rendering {
    const { name: template } = this.#template;
    return { id, problems: this.#mistakes.map((mistake) => ({ template, id, ...mistake })) };
  }

  #invalid(pointer: string, message: string): void {
    this.#mistakes.push({ pointer, reason: invalidReason(pointer), message });
  }

  #metadata(): { readonly name: string; readonly labels: JsonMap; readonly annotations: JsonMap } {
    const { spec, annotations: own } = this.#template;
    const { name = '', labels = {}, annotations = {} } = spec.metadata ?? {};
    const kept = own[KEEP] === undefined ? {} : { [KEEP]: own[KEEP] };
    const said = { name, labels, annotations: { ...kept, ...annotations } };
    const rendered = mapTexts(said, (text, place) => this.#text(text, place, { at: '/metadata', kind: '' })) as JsonMap;
    const texts = (member: string): JsonMap => {
      const map = rendered[member];
      return isJsonMap(map) ? mapValues(map, plainText) : {};
    };
    return { name: plainText(rendered['name'] ?? ''), labels: texts('labels'), annotations: texts('annotations') };
  }

  #spec(map: JsonMap, row: KindRow): JsonMap {
    return mapSpecTexts(row.spec, map, (text, place) => this.#text(text, place, { at: '/spec', kind: row.kind }));
  }

  /** The text rendered; what fails is noted with its place. */
  #text(text: string, place: TextPlace, { at, kind }: { readonly at: string; readonly kind: string }): JsonData {
    const rendered = renderText(text, { ...this.#scope, keepsRaw: isPrompt(kind, place.path) });
    for (const { offset, message } of rendered.problems)
      this.#mistakes.push({ pointer: `${at}${place.pointer}`, reason: renderReason(text, offset), message });
    return rendered.value;
  }

  /** A spec as the kind stores it: with its defaults, and JSON texts in the one form that the write pipeline gives them. */
  #filled(row: KindRow, key: ResourceKey, map: JsonMap): JsonMap {
    const message = fromJson(row.spec, map as JsonValue);
    const filled = this.#deps.contractOf(row.kind)?.defaults?.(message, key) ?? message;
    return toJson(row.spec, specNormaliser(row.spec)(filled)) as JsonMap;
  }
}

/** What a template says, in stored form so that it compares with what is live; what only the kind adds is left out. */
const ownValues = (said: JsonMap, filled: JsonMap, defaults: JsonMap): JsonMap => {
  const [own, bare] = [leavesOf(said), leavesOf(defaults)];
  const isOwn = (pointer: string, value: JsonData): boolean => {
    const added = bare.get(pointer);
    return own.has(pointer) || added === undefined || canonicalJson(added) !== canonicalJson(value);
  };
  return [...leavesOf(filled)]
    .filter(([pointer, value]) => isOwn(pointer, value))
    .reduce<JsonMap>((map, [pointer, value]) => setAt(map, pointer, value), {});
};

const mapValues = (map: JsonMap, change: (value: JsonData) => JsonData): JsonMap =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

/** Values of the variables of a template; undefined for a name that nothing has. */
const resolver = (template: RenderedTemplate, place: RenderPlace): ((path: ExpressionPath) => JsonData | undefined) => {
  const { target, deployment } = place;
  const { name, parent, labels, annotations } = target;
  const roots: JsonMap = {
    namespace: { name, leaf: leafName(name), parent, ...texts({ labels, annotations }) },
    deployment: { name: deployment.name, namespace: deployment.namespace, ...texts(deployment) },
    template: { name: template.name, ...texts(template) },
  };
  return (path) => {
    if (!isDeploymentPath(path)) return undefined;
    const [root = '', member = '', ...key] = path;
    const found = (roots[root] as JsonMap)[member];
    if (!isJsonMap(found)) return found;
    const label = key.join('.');
    return Object.hasOwn(found, label) ? found[label] : undefined;
  };
};

const texts = (of: { readonly labels: Texts; readonly annotations: Texts }): JsonMap => ({
  labels: withoutPrivate(of.labels),
  annotations: withoutPrivate(of.annotations),
});

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { Composer, CST, Node, Scalar } from 'yaml';
import type { ManifestFinding } from './manifest-finding.ts';
import type { ManifestNode, MapMember, Position } from './manifest-node.ts';

const load = createRequire(import.meta.url);
/** The library of 72 modules, loaded with the first manifest. */
const yamlLibrary = (): typeof Yaml => load('yaml');

const DOCUMENTS_MAX = 5_000;
const DOCUMENT_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 100;
/** Nodes that aliases may add to one document. */
const ALIAS_NODES_MAX = 10_000;

export interface ReadText {
  /** Documents without a fault of syntax, at their index. */
  readonly documents: ReadonlyMap<number, ManifestNode>;
  readonly count: number;
  readonly findings: readonly ManifestFinding[];
}

/** Reads YAML 1.2 (core schema) or JSON of one or many documents; a list at the top is many. Never throws on input. */
export const readYaml = (text: string): ReadText => new TextReader(text).read();

type Composed = ReturnType<Composer['compose']> extends Generator<infer D, unknown, unknown> ? D : never;
type ComposedNode = Node | null | undefined;

class TextReader {
  readonly #text: string;
  readonly #yaml = yamlLibrary();
  readonly #lines = new this.#yaml.LineCounter();
  readonly #findings: ManifestFinding[] = [];
  readonly #documents = new Map<number, ManifestNode>();
  #count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ReadText {
    const composer = new this.#yaml.Composer({ version: '1.2', schema: 'core', uniqueKeys: false, intAsBigInt: true });
    const tokens = new this.#yaml.Parser(this.#lines.addNewLine).parse(this.#text);
    for (const document of composer.compose(this.#shallow(tokens), false, this.#text.length)) {
      if (this.#isFull(document.range[0])) break;
      this.#add(document);
    }
    return { documents: this.#documents, count: this.#count, findings: this.#findings };
  }

  /** Tokens of documents that are not nested too deeply to be composed. */
  *#shallow(tokens: Iterable<CST.Token>): Generator<CST.Token> {
    for (const token of tokens) {
      if (token.type === 'document' && depthOf(token) > DEPTH_MAX + 1) {
        this.#fault(token.offset, `nested deeper than ${DEPTH_MAX}`, 'SYNTAX');
        this.#count += 1;
      } else yield token;
    }
  }

  #isFull(offset: number): boolean {
    if (this.#count < DOCUMENTS_MAX) return false;
    this.#fault(offset, `more than ${DOCUMENTS_MAX} documents`, 'TOO_MANY_DOCUMENTS');
    return true;
  }

  #add(document: Composed): void {
    const [start, , end] = document.range;
    const { contents } = document as { readonly contents: ComposedNode };
    const isEmpty =
      contents === null || contents === undefined || (this.#yaml.isScalar(contents) && contents.value === null);
    if (isEmpty && document.errors.length === 0) return;
    if (Buffer.byteLength(this.#text.slice(start, end)) > DOCUMENT_BYTES_MAX) {
      this.#fault(start, `larger than ${DOCUMENT_BYTES_MAX} bytes`, 'TOO_LARGE');
      this.#count += 1;
      return;
    }
    for (const error of document.errors) this.#fault(error.pos[0], firstLine(error.message), 'SYNTAX');
    const before = this.#findings.length - document.errors.length;
    const node = isEmpty
      ? undefined
      : new NodeWalk((offset, fault) => this.#fault(offset, ...fault), this.#at).walk(contents);
    if (this.#findings.length > before || node === undefined) this.#count += 1;
    else this.#keep(node);
  }

  /** A list is many documents. */
  #keep(node: ManifestNode): void {
    for (const item of node.form === 'list' ? node.items : [node]) {
      if (this.#count >= DOCUMENTS_MAX) return this.#faultAt(item.at, `more than ${DOCUMENTS_MAX} documents`);
      this.#documents.set(this.#count, item);
      this.#count += 1;
    }
  }

  readonly #at = (offset: number): Position => {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };

  #fault(offset: number, description: string, reason: string): void {
    this.#findings.push({ document: this.#count, ...this.#at(offset), field: '', description, reason });
  }

  #faultAt(at: Position, description: string): void {
    this.#findings.push({ document: this.#count, ...at, field: '', description, reason: 'TOO_MANY_DOCUMENTS' });
  }
}

const firstLine = (message: string): string => message.replace(/\n[\s\S]*$/, '');

/** Nesting of a token, without recursion. */
const depthOf = (top: CST.Token): number => {
  let level: readonly unknown[] = [top];
  for (let depth = 0; ; depth++) {
    const next = level.flatMap(childTokens);
    if (next.length === 0 || depth > DEPTH_MAX + 1) return depth;
    level = next;
  }
};

const childTokens = (token: unknown): readonly unknown[] => {
  const { value, items, key } = token as { value?: unknown; items?: readonly unknown[]; key?: unknown };
  const inItems = (items ?? []).flatMap((item) => {
    const pair = item as { readonly key?: unknown; readonly value?: unknown };
    return [pair.key, pair.value];
  });
  return [value, key, ...inItems].filter((child) => typeof child === 'object' && child !== null);
};

type Fault = readonly [description: string, reason: string];

const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Turns the nodes of one document into plain ones; aliases are expanded within a limit. */
class NodeWalk {
  readonly #yaml = yamlLibrary();
  readonly #fault: (offset: number, fault: Fault) => void;
  readonly #at: (offset: number) => Position;
  readonly #anchors = new Map<string, { readonly node: ManifestNode; readonly size: number }>();
  #size = 0;
  #expanded = 0;

  constructor(fault: (offset: number, fault: Fault) => void, at: (offset: number) => Position) {
    this.#fault = fault;
    this.#at = at;
  }

  walk(node: ComposedNode, fallback = 0): ManifestNode {
    const offset = node?.range?.[0] ?? fallback;
    const at = this.#at(offset);
    if (node === null || node === undefined) return { form: 'scalar', value: null, at };
    if (this.#yaml.isAlias(node)) return this.#expand(node.source, offset);
    const before = this.#size;
    this.#size += 1;
    const { tag, anchor } = node as { readonly tag?: string; readonly anchor?: string };
    if (tag !== undefined && !PLAIN_TAGS.has(tag)) this.#fault(offset, [`tag ${tag.slice(0, 80)} is not read`, 'TAG']);
    const result = this.#content(node, { offset, at });
    if (anchor !== undefined) this.#anchors.set(anchor, { node: result, size: this.#size - before });
    return result;
  }

  #content(node: Node, place: { readonly offset: number; readonly at: Position }): ManifestNode {
    const { offset, at } = place;
    if (this.#yaml.isSeq(node))
      return { form: 'list', items: node.items.map((item) => this.walk(item as ComposedNode, offset)), at };
    if (this.#yaml.isMap(node)) return { form: 'map', members: this.#members(node.items as readonly Pair[]), at };
    return { form: 'scalar', value: scalarValue((node as Scalar).value), at };
  }

  #members(pairs: readonly Pair[]): readonly MapMember[] {
    const seen = new Set<string>();
    return pairs.flatMap((pair) => {
      const offset = Number(pair.key?.range?.[0]);
      const name = this.#memberName(pair, offset);
      if (name === undefined) return [];
      if (seen.has(name)) this.#fault(offset, [`${name.slice(0, 80)} is given twice`, 'DUPLICATE_KEY']);
      seen.add(name);
      return [{ name, node: this.walk(pair.value, offset), at: this.#at(offset) }];
    });
  }

  #memberName(pair: Pair, offset: number): string | undefined {
    const { key } = pair;
    if (this.#yaml.isScalar(key)) return typeof key.value === 'string' ? key.value : String(key.source);
    const isBraces = this.#yaml.isMap(key) && pair.value === null;
    const advice = isBraces ? '{{ reads as a map here: put the text in quotes' : 'a name must be text';
    this.#fault(offset, [advice, 'SYNTAX']);
    return undefined;
  }

  #expand(name: string, offset: number): ManifestNode {
    const found = this.#anchors.get(name);
    if (found === undefined) this.#fault(offset, [`there is no anchor ${name.slice(0, 80)} before this`, 'ALIAS']);
    this.#size += found?.size ?? 1;
    const isWithin = this.#expanded <= ALIAS_NODES_MAX;
    this.#expanded += found?.size ?? 0;
    if (isWithin && this.#expanded > ALIAS_NODES_MAX)
      this.#fault(offset, [`aliases add more than ${ALIAS_NODES_MAX} nodes`, 'ALIAS']);
    return found?.node ?? { form: 'scalar', value: null, at: this.#at(offset) };
  }
}

interface Pair {
  readonly key: ComposedNode;
  readonly value: ComposedNode;
}

const scalarValue = (value: unknown): string | number | bigint | boolean | null => {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      return null;
  }
};

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { Composer, CST, Node, Scalar } from 'yaml';
import { atOnce, type Steps } from '../../../base/index.ts';
import type { ManifestFinding } from '../manifest-finding.ts';
import type { ManifestNode, MapMember, Position } from '../manifest-node.ts';
import { readingJson } from './json-nodes.ts';
import { lexemeFault } from './lexeme-bounds.ts';

const load = createRequire(import.meta.url);
let library: typeof Yaml | undefined;
/** The library of 72 modules, loaded with the first manifest. */
const yaml = (): typeof Yaml => {
  library ??= load('yaml') as typeof Yaml;
  return library;
};

const DOCUMENTS_MAX = 5_000;
const DOCUMENT_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 100;
/** Values in the text of one document, names included; a list at the top counts as one. */
const DOCUMENT_VALUES_MAX = 50_000;
/** Shorter texts have too few tokens to matter. */
const COUNTED_CHARACTERS = 64 * 1024;
/** Errors of the text that are reported; reading stops there. */
const FINDINGS_MAX = 200;
/** Nodes that aliases may add to one document. */
const ALIAS_NODES_MAX = 10_000;

export interface ReadText {
  /** Documents with YAML text, by index; those with findings here are read for further errors. */
  readonly documents: ReadonlyMap<number, ManifestNode>;
  readonly count: number;
  readonly findings: readonly ManifestFinding[];
}

/** Reads YAML 1.2 (core schema) or JSON with one or many documents; a list at the top is many. Never throws on input. */
export const readText = (text: string): ReadText => atOnce(readingText(text));

/** As `readText`, a document per step. */
export function* readingText(text: string): Steps<ReadText> {
  const read = yield* readingJson(text);
  const nodes = read?.flatMap((node) => (node.form === 'list' ? node.items : [node]));
  if (nodes === undefined || nodes.length > DOCUMENTS_MAX) return yield* new TextReader(text).read();
  return { documents: new Map(nodes.entries()), count: nodes.length, findings: [] };
}

/**
 * As `readText`, for any text.
 * @internal Tests hold the JSON reader against it.
 */
export const readYaml = (text: string): ReadText => atOnce(new TextReader(text).read());

type Composed = ReturnType<Composer['compose']> extends Generator<infer D, unknown, unknown> ? D : never;
type ComposedNode = Node | null | undefined;

class TextReader {
  readonly #text: string;
  readonly #lines = new (yaml().LineCounter)();
  readonly #findings: ManifestFinding[] = [];
  readonly #documents = new Map<number, ManifestNode>();
  #count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *read(): Steps<ReadText> {
    const fault = this.#text.length > COUNTED_CHARACTERS ? lexemeFault(new (yaml().Lexer)(), this.#text) : undefined;
    if (fault !== undefined) {
      this.#fault(0, fault);
      return { documents: this.#documents, count: 1, findings: this.#findings };
    }
    const composer = new (yaml().Composer)({ version: '1.2', schema: 'core', uniqueKeys: false, intAsBigInt: true });
    const tokens = new (yaml().Parser)(this.#lines.addNewLine).parse(this.#text);
    for (const document of composer.compose(this.#shallow(tokens), false, this.#text.length)) {
      if (this.#isFull(document.range[0]) || this.#findings.length >= FINDINGS_MAX) break;
      this.#add(document);
      yield;
    }
    return { documents: this.#documents, count: this.#count, findings: this.#findings };
  }

  /** Tokens of documents that are neither nested too deeply nor too large to be composed. */
  *#shallow(tokens: Iterable<CST.Token>): Generator<CST.Token> {
    for (const token of tokens) {
      const fault = token.type === 'document' ? sizeFault(token) : undefined;
      if (fault === undefined) yield token;
      else {
        this.#fault(token.offset, fault);
        this.#count += 1;
      }
      if (this.#findings.length >= FINDINGS_MAX) return;
    }
  }

  #isFull(offset: number): boolean {
    if (this.#count < DOCUMENTS_MAX) return false;
    this.#fault(offset, [`more than ${DOCUMENTS_MAX} documents`, 'TOO_MANY_DOCUMENTS']);
    return true;
  }

  #add(document: Composed): void {
    const [start, , end] = document.range;
    const { contents } = document as { readonly contents: ComposedNode };
    const isEmpty =
      contents === null || contents === undefined || (yaml().isScalar(contents) && contents.value === null);
    if (isEmpty && document.errors.length === 0) return;
    if (Buffer.byteLength(this.#text.slice(start, end)) > DOCUMENT_BYTES_MAX) {
      this.#fault(start, [`larger than ${DOCUMENT_BYTES_MAX} bytes`, 'TOO_LARGE']);
      this.#count += 1;
      return;
    }
    for (const error of document.errors) this.#fault(error.pos[0], [firstLine(error.message), 'SYNTAX']);
    const walk = new NodeWalk((offset, fault, path) => this.#fault(offset, fault, path), this.#at);
    if (document.errors.length === 0) return this.#keep(walk.documents(contents));
    walk.walk(contents);
    this.#count += 1;
  }

  #keep(nodes: Iterable<ManifestNode>): void {
    for (const node of nodes) {
      if (this.#count >= DOCUMENTS_MAX) return this.#faultAt(node.at, `more than ${DOCUMENTS_MAX} documents`);
      this.#documents.set(this.#count, node);
      this.#count += 1;
    }
  }

  readonly #at = (offset: number): Position => {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };

  #fault(offset: number, [text, reason]: Fault, path = ''): void {
    if (this.#findings.length >= FINDINGS_MAX) return;
    const [description, field] = [text.toWellFormed(), path.toWellFormed()];
    this.#findings.push({ document: this.#count, ...this.#at(offset), field, description, reason });
  }

  #faultAt(at: Position, description: string): void {
    this.#findings.push({ document: this.#count, ...at, field: '', description, reason: 'TOO_MANY_DOCUMENTS' });
  }
}

const firstLine = (message: string): string => message.replace(/\n[\s\S]*$/, '');

/** Why a document is not composed, found without recursion; undefined if it can be. */
const sizeFault = (top: CST.Token): Fault | undefined => {
  let level: readonly unknown[] = [top];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX + 1) return [`nested deeper than ${DEPTH_MAX}`, 'SYNTAX'];
    values += level.length;
    if (values > DOCUMENT_VALUES_MAX) return [`more than ${DOCUMENT_VALUES_MAX} values in one document`, 'TOO_LARGE'];
    level = level.flatMap(childTokens);
  }
  return undefined;
};

const childTokens = (token: unknown): readonly unknown[] => {
  const { value, items, key } = token as { value?: unknown; items?: readonly unknown[]; key?: unknown };
  const inItems = (items ?? []).flatMap((item) => {
    const pair = item as { readonly key?: unknown; readonly value?: unknown };
    return [pair.key, pair.value];
  });
  return [value, key, ...inItems].filter((child) => typeof child === 'object' && child !== null);
};

interface NodePlace {
  readonly offset: number;
  readonly path: string;
}

/** Keys of labels, annotations and other maps may contain dots. */
const memberPath = (path: string, name: string): string => {
  const short = name.slice(0, 80);
  if (/[^A-Za-z0-9_]/.test(short)) return `${path}[${short}]`;
  return path === '' ? short : `${path}.${short}`;
};

type Fault = readonly [description: string, reason: string];

const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Converts the nodes of one document into plain ones; aliases are expanded within a limit. */
class NodeWalk {
  readonly #fault: (offset: number, fault: Fault, path: string) => void;
  readonly #at: (offset: number) => Position;
  readonly #anchors = new Map<string, { readonly node: ManifestNode; readonly size: number }>();
  #size = 0;
  #expanded = 0;

  constructor(fault: (offset: number, fault: Fault, path: string) => void, at: (offset: number) => Position) {
    this.#fault = fault;
    this.#at = at;
  }

  /** A list at the top is many documents, each read when it is needed. */
  *documents(node: ComposedNode): Generator<ManifestNode> {
    if (!yaml().isSeq(node)) {
      yield this.walk(node);
      return;
    }
    this.#checkTag(node, Number(node.range?.[0]), '');
    for (const item of node.items) yield this.walk(item as ComposedNode, { offset: Number(node.range?.[0]), path: '' });
  }

  /** `path` is that of the node, with names as they are written; '' for the document. */
  walk(node: ComposedNode, place: NodePlace = { offset: 0, path: '' }): ManifestNode {
    const { path } = place;
    const offset = node?.range?.[0] ?? place.offset;
    const at = this.#at(offset);
    if (node === null || node === undefined) return { form: 'scalar', value: null, at };
    if (yaml().isAlias(node)) return this.#expand(node.source, { offset, path });
    const before = this.#size;
    this.#size += 1;
    const { anchor } = node as { readonly anchor?: string };
    this.#checkTag(node, offset, path);
    const result = this.#content(node, { offset, path, at });
    if (anchor !== undefined) this.#anchors.set(anchor, { node: result, size: this.#size - before });
    return result;
  }

  #checkTag(node: Node, offset: number, path: string): void {
    const { tag } = node as { readonly tag?: string };
    if (tag !== undefined && !PLAIN_TAGS.has(tag))
      this.#fault(offset, ['tags are not read: quote a text that begins with !', 'TAG'], path);
  }

  #content(node: Node, place: NodePlace & { readonly at: Position }): ManifestNode {
    const { offset, path, at } = place;
    if (yaml().isSeq(node)) {
      const item = (inner: unknown, index: number): ManifestNode =>
        this.walk(inner as ComposedNode, { offset, path: `${path}[${index}]` });
      return { form: 'list', items: node.items.map(item), at };
    }
    if (yaml().isMap(node) && node.items.every((pair) => !isBraces(pair as Pair)))
      return { form: 'map', members: this.#members(node.items as readonly Pair[], path), at };
    if (yaml().isMap(node)) this.#fault(offset, ['{{ reads as a map here: put the text in quotes', 'SYNTAX'], path);
    return { form: 'scalar', value: yaml().isMap(node) ? null : scalarValue((node as Scalar).value), at };
  }

  /** If a name is given twice, only the first member is kept. */
  #members(pairs: readonly Pair[], path: string): readonly MapMember[] {
    const seen = new Set<string>();
    return pairs.flatMap((pair) => {
      const offset = Number(pair.key?.range?.[0]);
      const name = this.#memberName(pair, { offset, path });
      if (name === undefined) return [];
      const inside = memberPath(path, name);
      const node = this.walk(pair.value, { offset, path: inside });
      if (seen.has(name)) {
        this.#fault(offset, [`${name.slice(0, 80)} is given twice`, 'DUPLICATE_KEY'], inside);
        return [];
      }
      seen.add(name);
      return [{ name, node, at: this.#at(offset) }];
    });
  }

  #memberName(pair: Pair, { offset, path }: NodePlace): string | undefined {
    const { key } = pair;
    if (yaml().isScalar(key)) return typeof key.value === 'string' ? key.value : String(key.source);
    this.#fault(offset, ['a name must be text', 'SYNTAX'], path);
    return undefined;
  }

  #expand(name: string, { offset, path }: NodePlace): ManifestNode {
    const found = this.#anchors.get(name);
    if (found === undefined)
      this.#fault(offset, ['there is no such anchor before this: quote a text that begins with *', 'ALIAS'], path);
    this.#size += found?.size ?? 1;
    const isWithin = this.#expanded <= ALIAS_NODES_MAX;
    this.#expanded += found?.size ?? 0;
    if (this.#expanded <= ALIAS_NODES_MAX && found !== undefined) return found.node;
    if (isWithin && found !== undefined)
      this.#fault(offset, [`aliases add more than ${ALIAS_NODES_MAX} nodes`, 'ALIAS'], path);
    return { form: 'scalar', value: null, at: this.#at(offset) };
  }
}

interface Pair {
  readonly key: ComposedNode;
  readonly value: ComposedNode;
}

/** `{{ name }}`: a map whose only name is a map. */
const isBraces = ({ key, value }: Pair): boolean => yaml().isMap(key) && value === null;

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

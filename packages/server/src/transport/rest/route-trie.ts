import { Fault } from '../../base/index.ts';
import { parseTemplate } from './path-template.ts';

/** Where a path leads: the target of its method and the values of its variables, percent-decoded. */
export interface RouteMatch<T> {
  readonly target: T;
  readonly params: readonly string[];
}

/** The path exists, but not with this method. */
export interface WrongMethod {
  readonly allowed: readonly string[];
}

class Node<T> {
  readonly literals = new Map<string, Node<T>>();
  variable: Node<T> | undefined;
  /** By verb, then by method; verb '' is the bare path. */
  readonly leaves = new Map<string, Map<string, T>>();
  rest: Map<string, T> | undefined;
}

interface Search<T> {
  readonly method: string;
  readonly segments: readonly string[];
  readonly values: string[];
  /** Methods of the first path that fits but lacks the method. */
  allowed: ReadonlyMap<string, T> | undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Percent-decodes one segment as UTF-8, once. Throws INVALID_ARGUMENT on anything malformed. */
const decodeSegment = (segment: string): string => {
  if (!segment.includes('%')) return segment;
  try {
    const bytes = Buffer.from(
      segment.replace(/%([0-9A-Fa-f]{2})|%/g, (whole, hex: string | undefined) => {
        if (hex === undefined) throw new Error(whole);
        return String.fromCharCode(Number.parseInt(hex, 16));
      }),
      'latin1',
    );
    return decoder.decode(bytes);
  } catch {
    const description = 'malformed percent-encoding';
    throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', `path: ${description}`, {
      violations: [{ field: 'path', description, reason: 'FIELD_INVALID' }],
    });
  }
};

/** Finds routes by path: a literal segment beats a variable, `:verb` counts only where the path binds it. */
export class RouteTrie<T> {
  readonly #root = new Node<T>();

  add(method: string, pattern: string, target: T): void {
    const template = parseTemplate(pattern);
    let node = this.#root;
    for (const segment of template.segments) node = childOf(node, segment);
    if (template.rest !== undefined) {
      node.rest ??= new Map();
      addOnce(node.rest, { method, target, pattern });
      return;
    }
    const leaves = node.leaves.get(template.verb) ?? new Map<string, T>();
    node.leaves.set(template.verb, leaves);
    addOnce(leaves, { method, target, pattern });
  }

  /** HEAD finds what GET finds. Undefined when no path fits. */
  find(method: string, path: string): RouteMatch<T> | WrongMethod | undefined {
    if (!path.startsWith('/')) return undefined;
    const segments = path === '/' ? [] : path.slice(1).split('/');
    const search: Search<T> = { method: method === 'HEAD' ? 'GET' : method, segments, values: [], allowed: undefined };
    const target = segments.includes('') ? undefined : this.#walk(this.#root, 0, search);
    if (target !== undefined) return { target, params: search.values.map(decodeSegment) };
    if (search.allowed !== undefined) return { allowed: allowedMethods(search.allowed) };
    return this.#rest(search.method, segments);
  }

  #walk(node: Node<T>, depth: number, search: Search<T>): T | undefined {
    const segment = search.segments[depth];
    if (segment === undefined) return pick(node.leaves.get(''), search);
    if (depth === search.segments.length - 1) {
      const verb = verbAt(node, segment);
      if (verb !== undefined) {
        const found = pick(verb.leaves, search);
        if (found !== undefined && verb.value !== undefined) search.values.push(verb.value);
        return found;
      }
    }
    const literal = node.literals.get(segment);
    const found = literal === undefined ? undefined : this.#walk(literal, depth + 1, search);
    if (found !== undefined || node.variable === undefined) return found;
    search.values.push(segment);
    const below = this.#walk(node.variable, depth + 1, search);
    if (below === undefined) search.values.pop();
    return below;
  }

  /**
   * The longest prefix with a `{x=**}`. That of the root never takes `/v1`, which is the API's own, and gets the path as it
   * was sent: whether it is one of its own, only its route knows.
   */
  #rest(method: string, segments: readonly string[]): RouteMatch<T> | WrongMethod | undefined {
    let best: { readonly node: Node<T>; readonly depth: number; readonly values: readonly string[] } | undefined;
    let node: Node<T> | undefined = this.#root;
    const values: string[] = [];
    for (let depth = 0; node !== undefined && depth <= segments.length; depth++) {
      if (node.rest !== undefined && (depth > 0 || segments[0] !== 'v1')) best = { node, depth, values: [...values] };
      const segment: string = segments[depth] ?? '';
      const literal: Node<T> | undefined = node.literals.get(segment);
      if (literal === undefined && node.variable !== undefined && segment !== '') values.push(segment);
      node = literal ?? (segment === '' ? undefined : node.variable);
    }
    if (best?.node.rest === undefined) return undefined;
    const target = best.node.rest.get(method);
    if (target === undefined) return best.depth === 0 ? undefined : { allowed: allowedMethods(best.node.rest) };
    if (best.depth === 0) return { target, params: [segments.join('/')] };
    const rest = segments.slice(best.depth).map(decodeSegment).join('/');
    return { target, params: [...best.values.map(decodeSegment), rest] };
  }
}

/** The last segment with the text after its last raw `:` taken as a verb, where the path binds that verb. */
const verbAt = <T>(
  node: Node<T>,
  segment: string,
): { leaves: Map<string, T>; value: string | undefined } | undefined => {
  const colon = segment.lastIndexOf(':');
  const verb = segment.slice(colon + 1);
  if (colon <= 0 || verb === '') return undefined;
  const head = segment.slice(0, colon);
  const literal = node.literals.get(head)?.leaves.get(verb);
  if (literal !== undefined) return { leaves: literal, value: undefined };
  const leaves = node.variable?.leaves.get(verb);
  return leaves === undefined ? undefined : { leaves, value: head };
};

const childOf = <T>(node: Node<T>, segment: string | undefined): Node<T> => {
  if (segment === undefined) {
    node.variable ??= new Node();
    return node.variable;
  }
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const child = new Node<T>();
  node.literals.set(segment, child);
  return child;
};

const addOnce = <T>(leaves: Map<string, T>, route: { method: string; target: T; pattern: string }): void => {
  if (leaves.has(route.method)) throw new Error(`${route.method} ${route.pattern} is bound twice`);
  leaves.set(route.method, route.target);
};

const pick = <T>(leaves: ReadonlyMap<string, T> | undefined, search: Search<T>): T | undefined => {
  const target = leaves?.get(search.method);
  if (target === undefined && leaves !== undefined) search.allowed ??= leaves;
  return target;
};

const allowedMethods = (leaves: ReadonlyMap<string, unknown>): string[] => {
  const methods = [...leaves.keys()];
  if (leaves.has('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'];
};

import { type AttributeValue, type ElementNode, isMemo, type MemoNode, type ViewNode } from './vnode.ts';

/**
 * Makes the children of an element as they are described, changing as little as possible: what a reader has focused, selected or
 * scrolled stays. Nothing is ever parsed as HTML, and no attribute runs code or loads from elsewhere.
 */
export const patchChildren = (parent: Element | ShadowRoot, children: readonly ViewNode[]): void => {
  const kept = keyed(parent);
  const wanted = new Set(children.map(keyOf));
  // An element that is moved loses its focus, so what is in front of the wanted one and no longer wanted is removed instead.
  const isOver = (node: ChildNode): boolean => {
    const key = madeKey(node);
    return key === undefined || !wanted.has(key);
  };
  let next: ChildNode | null = parent.firstChild;
  for (const child of children) {
    const candidate = candidateFor(child, next, kept);
    while (
      keyOf(child) !== undefined &&
      candidate !== undefined &&
      next !== null &&
      next !== candidate &&
      isOver(next)
    ) {
      const over = next;
      next = next.nextSibling;
      over.remove();
    }
    const node = patchNode(candidate, child);
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  while (next !== null) {
    const removed: ChildNode = next;
    next = next.nextSibling;
    removed.remove();
  }
};

/** What an element was made of. */
interface Made {
  readonly node: ElementNode;
  readonly memo: MemoNode | undefined;
}

const madeOf = new WeakMap<Node, Made>();

const keyOf = (node: ViewNode): string | undefined => (typeof node === 'string' ? undefined : node.key);

const madeKey = (node: Node): string | undefined => {
  const made = madeOf.get(node);
  return made?.memo?.key ?? made?.node.key;
};

const keyed = (parent: Element | ShadowRoot): ReadonlyMap<string, ChildNode> => {
  const found = new Map<string, ChildNode>();
  for (const child of parent.childNodes) {
    const key = madeKey(child);
    if (key !== undefined) found.set(key, child);
  }
  return found;
};

/** The node of the page that may become the child: the one of its key, or the next one if that has none either. */
const candidateFor = (
  child: ViewNode,
  next: ChildNode | null,
  kept: ReadonlyMap<string, ChildNode>,
): ChildNode | undefined => {
  const key = keyOf(child);
  if (key !== undefined) return kept.get(key);
  return next !== null && madeKey(next) === undefined ? next : undefined;
};

const patchNode = (candidate: ChildNode | undefined, child: ViewNode): ChildNode => {
  if (typeof child === 'string') return patchText(candidate, child);
  const made = candidate === undefined ? undefined : madeOf.get(candidate);
  if (!isMemo(child)) return patchElement(candidate, { node: child, memo: undefined });
  if (candidate !== undefined && made?.memo !== undefined && isSame(made.memo.inputs, child.inputs)) return candidate;
  return patchElement(candidate, { node: child.describe(), memo: child });
};

const isSame = (before: readonly unknown[], after: readonly unknown[]): boolean =>
  before.length === after.length && before.every((value, index) => Object.is(value, after[index]));

const patchText = (candidate: ChildNode | undefined, text: string): ChildNode => {
  if (!(candidate instanceof Text)) return document.createTextNode(text);
  if (candidate.data !== text) candidate.data = text;
  return candidate;
};

const patchElement = (candidate: ChildNode | undefined, made: Made): ChildNode => {
  const { node } = made;
  const before = candidate === undefined ? undefined : madeOf.get(candidate)?.node;
  if (candidate instanceof Element && before?.tag === node.tag) {
    update(candidate, before, node);
    madeOf.set(candidate, made);
    return candidate;
  }
  const element = document.createElementNS(isDrawing(node.tag) ? SVG : HTML, node.tag);
  update(element, undefined, node);
  madeOf.set(element, made);
  node.hooks.made?.(element);
  return element;
};

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const isDrawing = (tag: string): boolean => tag === 'svg' || tag === 'path';

const update = (element: Element, before: ElementNode | undefined, node: ElementNode): void => {
  for (const name of Object.keys(before?.attributes ?? {}))
    if (!(name in node.attributes)) setAttribute(element, name, undefined);
  for (const [name, value] of Object.entries(node.attributes))
    if (before === undefined || before.attributes[name] !== value) setAttribute(element, name, value);
  listen(element, before, node);
  patchChildren(element, node.children);
};

/** Where a link may lead, and what an image may show: never a script, and never an address that loads by itself. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  href: /^(?:https?:\/\/|mailto:)/i,
  src: /^blob:/,
};

const setAttribute = (element: Element, name: string, value: AttributeValue): void => {
  if (/^on|^style$|^srcset$/i.test(name)) throw new TypeError(`${name} is not an attribute that may be set`);
  if (name === 'value' && isField(element)) {
    if (element.value !== String(value ?? '')) element.value = String(value ?? '');
    return;
  }
  if (value === undefined || value === false || ALLOWED[name]?.test(String(value)) === false)
    return element.removeAttribute(name);
  element.setAttribute(name, value === true ? '' : String(value));
};

const isField = (element: Element): element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement || element instanceof HTMLSelectElement;

const listen = (element: Element, before: ElementNode | undefined, node: ElementNode): void => {
  const former = before?.hooks.on ?? {};
  const current = node.hooks.on ?? {};
  if (former === current) return;
  for (const [name, listener] of Object.entries(former))
    if (current[name] !== listener) element.removeEventListener(name, listener);
  for (const [name, listener] of Object.entries(current))
    if (former[name] !== listener) element.addEventListener(name, listener);
};

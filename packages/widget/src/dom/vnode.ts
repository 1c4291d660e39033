/** What an element has besides its attributes. */
export interface ElementHooks {
  /** Listeners by event name. */
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
  /** Called once, when the element was made and has its children. */
  readonly made?: (element: Element) => void;
}

/** `true` sets the attribute without a value; `false` and `undefined` leave it out. */
export type AttributeValue = string | number | boolean | undefined;

/** A description of an element. Two of the same tag and key become the same element of the page. */
export interface ElementNode {
  readonly tag: string;
  readonly key: string | undefined;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly hooks: ElementHooks;
  readonly children: readonly ViewNode[];
}

/** A part of the page that is described again only when one of `inputs` is another one. */
export interface MemoNode {
  readonly key: string;
  readonly inputs: readonly unknown[];
  readonly describe: () => ElementNode;
}

/** Text, an element, or one that remembers what it was made of. */
export type ViewNode = string | ElementNode | MemoNode;

/** Attributes of an element, and its `key` among its siblings. */
export type ElementProps = Readonly<Record<string, AttributeValue>> & { readonly key?: string };

/** Children as they are written: nothing is left out of the page. */
export type Children = readonly (ViewNode | undefined | false)[];

const NO_HOOKS: ElementHooks = {};

/** Describes an element. */
export const h = (tag: string, props: ElementProps = {}, children: Children = []): ElementNode => {
  const { key, ...attributes } = props;
  return { tag, key, attributes, hooks: NO_HOOKS, children: children.filter(isShown) };
};

const isShown = (child: ViewNode | undefined | false): child is ViewNode => child !== undefined && child !== false;

/** The same element with listeners. */
export const withHooks = (node: ElementNode, hooks: ElementHooks): ElementNode => ({ ...node, hooks });

/** Describes a part of the page only when one of `inputs` changed. */
export const memo = (key: string, inputs: readonly unknown[], describe: () => ElementNode): MemoNode => ({
  key,
  inputs,
  describe,
});

/** True for a node with an own element. */
export const isMemo = (node: ViewNode): node is MemoNode => typeof node !== 'string' && 'describe' in node;

/** The text that a reader of the node sees. */
export const textOf = (node: ViewNode): string => {
  if (typeof node === 'string') return node;
  return isMemo(node) ? textOf(node.describe()) : node.children.map(textOf).join('');
};

import { isMemo, type ViewNode } from '../dom/vnode.ts';

/**
 * What is described, in the form of markup for tests to read: text as it is, elements with the attributes that are named. Not HTML: text
 * that looks like an element looks the same here.
 */
export const outline = (node: ViewNode, attributes: readonly string[] = ['href', 'class']): string => {
  if (typeof node === 'string') return node;
  if (isMemo(node)) return outline(node.describe(), attributes);
  const shown = attributes.flatMap((name) => {
    const value = node.attributes[name];
    return value === undefined || value === false ? [] : [` ${name}=${String(value)}`];
  });
  const inside = node.children.map((child) => outline(child, attributes)).join('');
  return `<${node.tag}${shown.join('')}>${inside}</${node.tag}>`;
};

/** Every element of a tag in what is described. */
export const elementsOf = (node: ViewNode, tag: string): readonly Exclude<ViewNode, string>[] => {
  if (typeof node === 'string') return [];
  if (isMemo(node)) return elementsOf(node.describe(), tag);
  return [...(node.tag === tag ? [node] : []), ...node.children.flatMap((child) => elementsOf(child, tag))];
};

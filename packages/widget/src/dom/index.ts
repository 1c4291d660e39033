/**
 * dom: descriptions of elements, and the page made as they say. Knows nothing of chats; everything that is seen is described in its terms.
 */
export { patchChildren } from './patch.ts';
export {
  type Children,
  type ElementNode,
  type ElementProps,
  h,
  memo,
  textOf,
  type ViewNode,
  withHooks,
} from './vnode.ts';

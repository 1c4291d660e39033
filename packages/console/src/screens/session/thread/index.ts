/** thread: the rows of a conversation on the page, drawn only where they are visible; it keeps its place while others write. */
export { RowView } from './row-view.tsx';
export { Thread } from './thread.tsx';

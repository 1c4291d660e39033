/** knowledge: the documents that agents of a namespace can search, to read, write and try the search. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

interface KnowledgeSearch {
  /** Path of the document that is shown. */
  readonly doc?: string | undefined;
  /** `new` while one is written. */
  readonly form?: string | undefined;
  /** What is searched for, and as which agent. */
  readonly q?: string | undefined;
  readonly agent?: string | undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const knowledgeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/knowledge',
  validateSearch: ({ doc, form, q, agent }: Record<string, unknown>): KnowledgeSearch => ({
    doc: textOf(doc),
    form: textOf(form),
    q: textOf(q),
    agent: textOf(agent),
  }),
  component: lazyRouteComponent(() => import('./knowledge-page.tsx'), 'KnowledgePage'),
});

export const knowledgeScreen = screen({
  routes: [knowledgeRoute],
  sections: [{ label: 'Knowledge', icon: 'book', group: 'Knowledge', path: '/knowledge', isScoped: true, letter: 'k' }],
});
export { default as knowledgeStyles } from './knowledge.module.css';
export { TextDocument } from './text-document.tsx';

import { createRootRoute } from '@tanstack/react-router';

/** What every address may carry. */
interface CommonSearch {
  /** Open detail panels, the newest last, as `type key` joined by `|`; see app/panels. */
  readonly panel?: string | undefined;
}

/** Parent of every screen's route. */
export const rootRoute = createRootRoute({
  validateSearch: ({ panel }: Record<string, unknown>): CommonSearch => (typeof panel === 'string' ? { panel } : {}),
});

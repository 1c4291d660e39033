/**
 * controllers/reconciling: what drives observed state: the change feed, the loop that turns changes and full passes into keys and
 * reconciles them, and the one reconciler that keeps statuses true. Reconcilers of other work come from features. app starts them.
 */
export * from './change-feed.ts';
export * from './reconcile-loop.ts';
export * from './status-reconciler.ts';

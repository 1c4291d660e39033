/**
 * features/coordination/connectors/routes: which routes a connector wants, who holds them, and which connector an event reaches. Owns the
 * table `connectorRoutes` and the status of connectors. The forms of route ids are in `connector-rules.ts`.
 */
export { connectorStatus } from './connector-status.ts';
export { findRoute } from './find-route.ts';
export { connectorOf, connectorSpec, RouteBook, type RouteBookDeps } from './route-book.ts';
export { reportAnnotation } from './route-state.ts';
export { type RouteVerdict, routeVerdicts } from './route-verdicts.ts';

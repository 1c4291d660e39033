/**
 * plain: mounts HttpRoutes, which are no protobuf operations: browser surface, transfers, console, health pages.
 * Owns their request and stream objects and keep-alives; what a route does belongs to whoever offers it.
 */
export { PlainWire, plainEntry } from './plain-wire.ts';

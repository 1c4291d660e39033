/**
 * plain: mounts HttpRoutes, which are not protobuf operations: browser surface, transfers, console, health pages.
 * Owns their request and stream objects and keep-alives; what a route does belongs to the part that offers it.
 */
export { PlainWire, plainEntry } from './plain-wire.ts';

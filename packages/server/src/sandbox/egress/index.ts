/**
 * sandbox/egress: the way out of a sandbox: an HTTP proxy on a Unix socket, and the program inside that leads to it. Decides which names may
 * be asked for; which addresses may be reached, its caller says. Used by the providers.
 */
export { type EgressDeps, type EgressGate, openEgress, removeDeadGates } from './egress-proxy.ts';
export { FORWARDER, FORWARDER_PORT, PYTHON_FORWARDER, proxyVariables } from './inside-forwarder.ts';

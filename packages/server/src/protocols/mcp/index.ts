/**
 * protocols/mcp: the client side of the Model Context Protocol, on top of the official library, which is loaded at the first
 * connection. Owns transports, the choice of the era, limits on what a server may send, and the translation of its failures. Does
 * not own which servers there are, when to connect, nor what models see of them (features/authoring/mcp-servers). app creates it.
 */
export * from './connector.ts';
export * from './contract.ts';

/**
 * listener: sockets of the one port, told apart by their first bytes, and the care of HTTP/2 connections. Hands requests
 * on as Exchanges; knows no route. Called by create-transport only.
 */
export { type BrokenAnswer, OnePort } from './one-port.ts';

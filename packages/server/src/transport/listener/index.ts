/**
 * listener: sockets of the one port, told apart by their first bytes, the limits of those that have shown no credential, and the
 * care of HTTP/2 connections. Hands requests
 * on as Exchanges; knows no route. Called by create-transport only.
 */
export { type BrokenAnswer, type BrokenStatus, OnePort } from './one-port.ts';

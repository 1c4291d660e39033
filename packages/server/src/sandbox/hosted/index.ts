/**
 * sandbox/hosted: sandboxes at the services of E2B and Daytona, through their official clients, which are optional and loaded with the first call.
 * Owns what a class may say of them, and how a command with bytes, limits and an end is made of programs that exchange text. Who may
 * use which sandbox is decided elsewhere.
 */
export { HostedKind } from './hosted-kind.ts';

import { homedir } from 'node:os';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import { demoAgent } from './demo-agent.ts';

/** The program of the demo agent, on its standard streams. Made into one file (tools/generate/demo-agent.mjs) that is written into a sandbox. */

// The client is gone: no one reads what is left.
process.stdout.on('error', () => process.exit(0));

demoAgent({
  environment: process.env,
  home: homedir(),
  print: (text) => void process.stdout.write(text),
  exit: (code) => process.exit(code),
}).connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

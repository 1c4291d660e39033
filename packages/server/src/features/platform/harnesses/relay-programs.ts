/**
 * Programs for `node -e` inside a sandbox, as texts, because it has none of the server's files. Through them a harness reaches the tools of its
 * agent without a network: the relay starts the harness, and passes what it and the bridges say over its own streams in frames.
 *
 * A frame is a channel (2 bytes), a length (4 bytes) and that many bytes; a length of 0 ends the channel. Channel 0 is the harness, others
 * are connections to the socket. It is in the sandbox's own /tmp, so that nothing outside of the sandbox reaches it.
 */

/** Arguments: path of the socket, file, arguments of the file. */
export const RELAY = `
'use strict';
const { spawn } = require('node:child_process');
const { rmSync } = require('node:fs');
const { constants } = require('node:os');
const { createServer } = require('node:net');
const [socketPath, file, ...args] = process.argv.slice(1);
const channels = new Map();
const send = (channel, bytes) => {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(channel, 0);
  head.writeUInt32BE(bytes.length, 2);
  return process.stdout.write(Buffer.concat([head, bytes]));
};
const pass = (channel, readable) => {
  readable.on('data', (bytes) => {
    if (send(channel, bytes)) return;
    readable.pause();
    process.stdout.once('drain', () => readable.resume());
  });
  readable.on('end', () => send(channel, Buffer.alloc(0)));
};
let last = 0;
const server = createServer((socket) => {
  const channel = ++last;
  if (channel > 65535) return socket.destroy();
  channels.set(channel, socket);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => channels.delete(channel));
  pass(channel, socket);
});
server.maxConnections = 16;
rmSync(socketPath, { force: true });
server.listen(socketPath, () => {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined);
  channels.set(0, child.stdin);
  pass(0, child.stdout);
  const exit = (code) => {
    rmSync(socketPath, { force: true });
    process.stdout.write('', () => process.exit(code));
  };
  child.on('error', (error) => {
    process.stderr.write(file + ': ' + error.code + '\\n');
    exit(127);
  });
  child.on('close', (code, signal) => exit(code ?? 128 + constants.signals[signal]));
});
let pending = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  pending = Buffer.concat([pending, chunk]);
  while (pending.length >= 6) {
    const length = pending.readUInt32BE(2);
    if (pending.length < 6 + length) return;
    const to = channels.get(pending.readUInt16BE(0));
    if (to !== undefined) {
      if (length === 0) to.end();
      else to.write(pending.subarray(6, 6 + length));
    }
    pending = pending.subarray(6 + length);
  }
});
`;

/** What a harness starts as a server of tools: its streams are a connection to the socket. Argument: path of the socket. */
export const BRIDGE = `
'use strict';
const socket = require('node:net').connect(process.argv[1]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
`;

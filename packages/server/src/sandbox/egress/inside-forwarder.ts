/** Where the forwarder listens inside the sandbox. */
export const FORWARDER_PORT = 3_128;

/**
 * Program for `node -e` that runs inside a sandbox before its command: it listens on the loopback interface, which is all that the
 * network namespace has, and passes bytes to the Unix socket of the proxy. Then it runs the command and ends as that does. A text,
 * because the sandbox has none of the server's files. Arguments: path of the socket, port, file, arguments of the file.
 */
export const FORWARDER = `
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { connect, createServer } = require('node:net');
const [socketPath, port, file, ...args] = process.argv.slice(1);
const server = createServer((client) => {
  const proxy = connect(socketPath);
  for (const [from, to] of [[client, proxy], [proxy, client]]) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroySoon());
    from.pipe(to);
  }
});
server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(file, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    process.stderr.write(file + ': ' + (error.code === 'ENOENT' ? 'not found' : error.code) + '\\n');
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});
`;

/** Variables by which programs find the proxy. */
export const proxyVariables = (): Readonly<Record<string, string>> => {
  const url = `http://127.0.0.1:${FORWARDER_PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  return {
    http_proxy: url,
    https_proxy: url,
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    no_proxy: local,
    NO_PROXY: local,
    NODE_USE_ENV_PROXY: '1',
  };
};

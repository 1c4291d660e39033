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

/** The same program for `python3 -c`, for places that have no Node.js. */
export const PYTHON_FORWARDER = `
import socket, subprocess, sys, threading
path, port, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
def pump(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for one in (source, target):
            one.close()
def serve(client):
    proxy = socket.socket(socket.AF_UNIX)
    try:
        proxy.connect(path)
    except OSError:
        client.close()
        return
    threading.Thread(target=pump, args=(client, proxy), daemon=True).start()
    pump(proxy, client)
def accept(server):
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(('127.0.0.1', port))
server.listen(64)
threading.Thread(target=accept, args=(server,), daemon=True).start()
try:
    code = subprocess.call(command)
except OSError as error:
    sys.stderr.write(command[0] + ': ' + ('not found' if isinstance(error, FileNotFoundError) else str(error.errno)) + '\\n')
    sys.exit(127)
sys.exit(code if code >= 0 else 128 - code)
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

/**
 * Sits between a server and its PostgreSQL and counts what goes to the database: statements, and pieces that it answers
 * whole.
 */
import { connect, createServer } from 'node:net';

/** Types of messages: Execute and Query run a statement; Sync and Query end a piece. */
const EXECUTE = 0x45;
const QUERY = 0x51;
const SYNC = 0x53;
const HEAD = 5;

/** Calls `take` with the type of each message of a client; the first one of a connection has none. */
const messageTypes = (take) => {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isStarted ? HEAD : HEAD - 1;
      if (rest.length < head) return;
      const end = rest.readInt32BE(head - 4) + head - 4;
      if (rest.length < end) return;
      if (isStarted) take(rest[0]);
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
};

/** `counts`: since the start. For connections without TLS. */
export const startCountingProxy = async (target) => {
  const counts = { statements: 0, pieces: 0 };
  const sockets = new Set();
  const server = createServer((client) => {
    const database = connect(Number(target.port || 5432), target.hostname);
    const note = messageTypes((type) => {
      if (type === EXECUTE || type === QUERY) counts.statements++;
      if (type === SYNC || type === QUERY) counts.pieces++;
    });
    client.on('data', note);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ]) {
      sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(server.address().port);
  return {
    url,
    counts,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

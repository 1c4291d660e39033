/**
 * The table of issue 2: per row the runs of the load tool, and the figures that are read from their results. `gateway` and
 * `direct` are options of `load.mjs`; a figure gets the results of one run: `{ gateway, direct, ... }`.
 */
const whole = ({ errors, timeouts, tokensMissingOnStreams, stored, sessions }) =>
  errors + timeouts + tokensMissingOnStreams === 0 && stored.complete === sessions ? 'all' : 'NOT ALL';
const cpuMs = ({ use, sessions }) => (use.serverCpuSec * 1000) / sessions;
const burst = { scenario: 'turns', sessions: 1000, tokens: 50, 'interval-ms': 0 };
const paced = { scenario: 'turns', sessions: 1000, tokens: 50, 'interval-ms': 100 };
const single = { scenario: 'turns', sessions: 100, concurrency: 1, tokens: 50, 'interval-ms': 0 };
const grpc = { transport: 'grpc', proto: '{proto}' };

const reads = ['GetAgent', 'GetSession'].flatMap((op) =>
  [{ transport: 'rest' }, grpc].map((transport) => ({
    name: `${op}, 64 callers, ${transport.transport}`,
    runs: { gateway: { scenario: 'reads', op, engine: 'h2load', concurrency: 64, seconds: 5, ...transport } },
    figures: [{ name: 'calls/s', target: 'at least 30,000', read: ({ gateway }) => gateway.perSec }],
  })),
);

const creates = [{ transport: 'rest' }, grpc].map((transport) => ({
  name: `CreateSession, 64 callers, durable, ${transport.transport}`,
  runs: { gateway: { scenario: 'creates', engine: 'h2load', concurrency: 64, seconds: 5, ...transport } },
  figures: [{ name: 'calls/s', target: 'at least 8,000', read: ({ gateway }) => gateway.perSec }],
}));

const fanouts = [0, 20, 100].map((intervalMs) => ({
  name: `one turn to 500 subscribers, tokens at ${intervalMs} ms`,
  runs: { gateway: { scenario: 'fanout', subscribers: 500, 'interval-ms': intervalMs } },
  figures: [
    { name: 'tokens lost', target: '0', read: ({ gateway }) => gateway.tokensLost },
    {
      name: 'deliveries/s',
      target: intervalMs === 0 ? 'at least 60,000' : '(paced)',
      read: ({ gateway }) => gateway.deliveriesPerSec,
    },
    {
      name: 'delay p99, ms',
      target: intervalMs === 20 ? 'under 25' : '-',
      read: ({ gateway }) => gateway.delayMs.p99,
    },
  ],
}));

const idles = [1000, 10_000].map((sessions) => ({
  name: `${sessions} open idle streams`,
  runs: { gateway: { scenario: 'idle', sessions, seconds: 10, ...grpc } },
  figures: [
    { name: 'CPU, %', target: 'not measurable', read: ({ gateway }) => gateway.cpuPct },
    { name: 'KB a stream', target: 'under 16', read: ({ gateway }) => gateway.rssPerStreamKb },
  ],
}));

export const scenarios = [
  {
    name: 'turns, 1,000 sessions, 50 tokens at once',
    runs: { gateway: burst, direct: burst },
    figures: [
      { name: 'turns/s', target: 'at least 900', read: ({ gateway }) => gateway.turnsPerSec },
      { name: 'CPU a turn, ms', target: 'at most 1.1', read: ({ gateway }) => cpuMs(gateway) },
      {
        name: 'of direct',
        target: 'at least 0.35',
        read: ({ gateway, direct }) => gateway.turnsPerSec / direct.turnsPerSec,
      },
      { name: 'direct turns/s', target: '-', read: ({ direct }) => direct.turnsPerSec },
      { name: 'complete', target: 'all', read: ({ gateway }) => whole(gateway) },
    ],
  },
  {
    name: 'turns, 1,000 sessions, 50 tokens at 100 ms',
    runs: { gateway: paced, direct: paced },
    figures: [
      {
        name: 'wall of direct',
        target: 'at most 1.06',
        read: ({ gateway, direct }) => gateway.wallSec / direct.wallSec,
      },
      { name: 'CPU a turn, ms', target: 'at most 2.5', read: ({ gateway }) => cpuMs(gateway) },
      { name: 'added per token p50, ms', target: 'under 1', read: ({ gateway }) => gateway.tokenAddedMs.p50 },
      { name: 'added per token p99, ms', target: 'under 15', read: ({ gateway }) => gateway.tokenAddedMs.p99 },
      { name: 'complete', target: 'all', read: ({ gateway }) => whole(gateway) },
    ],
  },
  {
    name: 'one session at a time',
    runs: { gateway: single, direct: single },
    figures: [
      {
        name: 'first delta after direct, ms',
        target: 'at most 10',
        read: ({ gateway, direct }) => gateway.firstDeltaMs.p50 - direct.firstDeltaMs.p50,
      },
      { name: 'acknowledged p50, ms', target: 'under 3', read: ({ gateway }) => gateway.ackMs.p50 },
    ],
  },
  {
    name: '7,000 sessions at once, 50 tokens at 100 ms',
    runs: { gateway: { ...paced, sessions: 7000, streams: 'batch', ...grpc } },
    figures: [
      { name: 'complete', target: 'all', read: ({ gateway }) => whole(gateway) },
      { name: 'peak memory, MiB', target: 'under 512', read: ({ gateway }) => gateway.use.serverPeakRssMb },
    ],
  },
  ...reads,
  ...creates,
  {
    name: 'SendMessage, 64 callers, durable, rest',
    runs: { gateway: { scenario: 'send' } },
    figures: [{ name: 'calls/s', target: 'at least 5,000', read: ({ gateway }) => gateway.perSec }],
  },
  {
    name: 'pages of 50 of 1,000 messages, 16 callers',
    runs: { gateway: { scenario: 'lists', messages: 1000, 'page-size': 50 } },
    figures: [
      { name: 'pages/s', target: 'at least 3,000', read: ({ gateway }) => gateway.c16.pagesPerSec },
      { name: 'page alone p50, ms', target: '-', read: ({ gateway }) => gateway.c1.pageMs.p50 },
    ],
  },
  ...fanouts,
  ...idles,
  {
    name: 'kill -9 with 50 running turns, no one reconnects',
    runs: { gateway: { scenario: 'crash', turns: 50, phases: 'alone', 'interval-ms': 100 } },
    figures: [
      { name: 'complete of 50', target: '50', read: ({ gateway }) => gateway.alone.stored.complete },
      { name: 'lost or doubled', target: '0', read: ({ gateway }) => lostOrDoubled(gateway.alone.stored) },
      {
        name: 'last complete after restart, s (an answer takes 5)',
        target: 'at most 8',
        read: ({ gateway }) => gateway.alone.completedSec.max,
      },
    ],
  },
  {
    name: 'start',
    runs: { gateway: { scenario: 'start', runs: 5 } },
    figures: [
      { name: 'first answer, empty data, ms', target: 'under 400', read: ({ gateway }) => gateway.emptyMs.p50 },
      { name: 'first answer, used data, ms', target: 'under 400', read: ({ gateway }) => gateway.usedMs.p50 },
      { name: 'idle memory, MiB', target: 'under 110', read: ({ gateway }) => gateway.idleAfter10s.rssMb },
    ],
  },
];

const lostOrDoubled = ({ lostUser, duplicateUser, extraAssistant, missing, partial }) =>
  lostUser + duplicateUser + extraAssistant + missing + partial;

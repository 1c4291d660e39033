import type { JsonObject } from '@bufbuild/protobuf';
import { mapOf, textOf } from '../json-value.ts';
import { age, sizeText } from '../terminal/index.ts';

/** Spec and status of a resource as JSON, as its columns read them. */
interface Facts {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly nowMs: number;
}

type Column = readonly [heading: string, cell: (facts: Facts) => string];

const text =
  (...names: readonly string[]) =>
  ({ spec }: Facts): string =>
    names.map((name) => textOf(spec[name])).find((value) => value !== '') ?? '';

/** `name`, or `namespace/name` of a reference. */
const reference =
  (name: string) =>
  ({ spec }: Facts): string => {
    const { namespace, name: own } = mapOf(spec[name]);
    return [textOf(namespace), textOf(own)].filter((part) => part !== '').join('/');
  };

const CUT = 60;

const short =
  (name: string) =>
  ({ spec }: Facts): string => {
    const value = textOf(spec[name]);
    return value.length > CUT ? `${value.slice(0, CUT)}…` : value;
  };

/** Seconds in the largest unit that says them exactly: `5m`, `90s`, `1d`. */
const spanText = (seconds: number): string => {
  const [size, unit] = SPANS.find(([size]) => seconds % size === 0) ?? [1, 's'];
  return `${seconds / size}${unit}`;
};

const SPANS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
] as const;

const timing = ({ spec }: Facts): string => {
  const seconds = textOf(spec['intervalSeconds']);
  if (textOf(spec['cron']) !== '') return textOf(spec['cron']);
  if (seconds !== '' && seconds !== '0') return `every ${spanText(Number(seconds))}`;
  return textOf(spec['runAt']);
};

const nextRun = ({ status, nowMs }: Facts): string => {
  const micros = textOf(status['nextRunAt']);
  return micros === '' ? '' : age(nowMs, Number(micros) / 1_000);
};

const fileSize = ({ status }: Facts): string => {
  const size = textOf(mapOf(status['objectRef'])['sizeBytes']);
  return size === '' ? '' : sizeText(Number(size));
};

const counts = ({ status }: Facts): string => {
  const { ready, desired, degraded } = mapOf(status['replicaCounts']);
  const total = `${textOf(ready) || '0'}/${textOf(desired) || '0'}`;
  return Number(textOf(degraded)) > 0 ? `${total}, ${textOf(degraded)} degraded` : total;
};

/** Columns between phase and age, by kind; kinds without an entry have none. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Template: [['kind', text('kind')]],
  McpServer: [
    ['transport', text('transport')],
    ['target', text('target')],
  ],
  McpServerBinding: [['server', text('serverRef')]],
  Knowledge: [['path', text('path')]],
  Skill: [['description', short('description')]],
  File: [
    ['path', text('path')],
    ['size', fileSize],
  ],
  Secret: [['keys', ({ spec }) => Object.keys(mapOf(spec['data'])).sort().join(', ')]],
  Channel: [['title', short('title')]],
  ChannelSubscription: [
    ['agent', text('agent')],
    ['trigger', text('trigger')],
  ],
  Schedule: [
    ['runs', timing],
    ['next', nextRun],
    ['target', ({ spec }) => text('workflow', 'agent')({ spec: mapOf(spec['target']), status: {}, nowMs: 0 })],
  ],
  ConnectorClass: [['platform', text('platform')]],
  Connector: [['class', reference('classRef')]],
  Sandbox: [['policy', text('policyRef')]],
  Deployment: [['ready', counts]],
  DeploymentReplica: [['target', text('targetNamespace')]],
  UsagePolicy: [['limits', ({ spec }) => (Array.isArray(spec['hard']) ? String(spec['hard'].length) : '0')]],
  Task: [['title', short('title')]],
  Worker: [['version', ({ status }) => textOf(status['version'])]],
};

/** Custom kinds may be named like a property of every object. */
const columnsOf = (kind: string) => (Object.hasOwn(COLUMNS, kind) ? (COLUMNS[kind] ?? []) : []);

/** Headings of the columns that only this kind has. */
export const columnHeadings = (kind: string): readonly string[] => columnsOf(kind).map(([heading]) => heading);

/** Cells under columnHeadings; a dash where there is nothing. */
export const columnCells = (kind: string, facts: Facts): readonly string[] =>
  columnsOf(kind).map(([, cell]) => cell(facts) || '-');

import { create } from '@bufbuild/protobuf';
import { AuditRecordSchema } from '@svc/api/gateway';
import { expect, it } from 'vitest';
import { shownRecords } from './audit-data.ts';

const record = (id: string, outcome: string) => create(AuditRecordSchema, { id, outcome });
const pages = [
  { records: [record('5', 'dry-run'), record('4', 'ok')] },
  { records: [record('3', 'dry-run')] },
  { records: [record('2', 'NOT_FOUND'), record('1', 'dry-run')] },
];

it('leaves out what was only tried, on every page', () => {
  expect(shownRecords(pages, true).map(({ id }) => id)).toEqual(['4', '2']);
});

it('shows everything when asked to', () => {
  expect(shownRecords(pages, false).map(({ id }) => id)).toEqual(['5', '4', '3', '2', '1']);
});

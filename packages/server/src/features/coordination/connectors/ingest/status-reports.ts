import { create } from '@bufbuild/protobuf';
import { type ConnectorAckResponse, ConnectorAckResponseSchema, type ConnectorStatusEvent } from '@svc/api/external';
import type { CallContext } from '../../../../auth/contract.ts';
import { invalidField } from '../../../../base/index.ts';
import type { ResourceWriter } from '../../../../controllers/contract.ts';
import type { Store, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { type LiveClassDeps, registrationOf, requireLiveClass, requireRegistration } from '../live-class.ts';
import { PROVIDER_STATES } from '../provider-report.ts';
import type { ProviderReport } from '../registration/index.ts';
import { connectorOf, connectorSpec, type RouteBook, reportAnnotation } from '../routes/index.ts';

export interface StatusReportDeps extends LiveClassDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: () => Pick<ResourceWriter, 'writeStatus'>;
  readonly routes: RouteBook;
  /** Keeps a report of a whole class. */
  readonly reportClass: (tx: WriteTx, record: StoredResource, report: ProviderReport) => Promise<void>;
}

const REASON_CHARS = 500;

/** ReportStatus: what a service knows of its connection to the platform, shown as a condition of the class or of its connectors. */
export const reportStatus = async (
  deps: StatusReportDeps,
  event: ConnectorStatusEvent,
  call: CallContext,
): Promise<ConnectorAckResponse> => {
  const registration = registrationOf(call.caller);
  requireRegistration(registration, event.registrationId);
  const status = event.status.trim().toLowerCase();
  if (!Object.hasOwn(PROVIDER_STATES, status))
    throw invalidField('status', `must be one of ${Object.keys(PROVIDER_STATES).join(', ')}`);
  const report = { status, reason: event.reason.slice(0, REASON_CHARS).toWellFormed() };
  const isMatched = await deps.store.write(async (tx) => {
    const record = await requireLiveClass(deps, tx, registration);
    if (Object.keys(event.matchFields).length > 0) return reportConnectors(deps, tx, { record, event, report });
    await deps.reportClass(tx, record, report);
    return true;
  });
  return create(ConnectorAckResponseSchema, {
    accepted: true,
    disposition: isMatched ? 'accepted' : 'unmatched',
  });
};

const reportConnectors = async (
  deps: StatusReportDeps,
  tx: WriteTx,
  of: { readonly record: StoredResource; readonly event: ConnectorStatusEvent; readonly report: ProviderReport },
): Promise<boolean> => {
  const seen = new Set<string>();
  let isMatched = false;
  for await (const row of deps.routes.classRows(tx, of.record.uid)) {
    if (seen.has(row.connectorUid)) continue;
    seen.add(row.connectorUid);
    const connector = await connectorOf(tx, row);
    if (connector === undefined || !hasFields(connectorSpec(connector).matchFields, of.event.matchFields)) continue;
    isMatched = true;
    const annotations = reportAnnotation(of.report);
    const noted = await deps.writer().writeStatus(tx, connector.key, () => ({ system: { annotations } }));
    if (noted !== undefined) await deps.routes.settle(tx, noted);
  }
  return isMatched;
};

const hasFields = (fields: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([field, value]) => Object.hasOwn(fields, field) && fields[field] === value);

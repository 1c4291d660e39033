import { create } from '@bufbuild/protobuf';
import {
  type CreateScheduleRequest,
  type DeleteScheduleRequest,
  type DeleteScheduleResponse,
  DeleteScheduleResponseSchema,
  type GetScheduleRequest,
  type ListSchedulesRequest,
  type ListSchedulesResponse,
  ListSchedulesResponseSchema,
  type ModifyScheduleRequest,
  type ScheduleResponse,
  ScheduleResponseSchema,
} from '@svc/api/gateway';
import { type Schedule, ScheduleSchema, ScheduleSpecSchema } from '@svc/api/resources';
import type { CallContext } from '../../../auth/contract.ts';
import { type FieldViolation, invalidField } from '../../../base/index.ts';
import type { DesiredResource, ResourceWriter } from '../../../controllers/contract.ts';
import { desiredOf, type KindFacade } from '../../../controllers/facade-contract.ts';
import {
  checkAnnotations,
  checkLabels,
  checkPathNames,
  type LabelLimits,
  type ResourceViews,
  recordKey,
  refusal,
  resourceDeleting,
} from '../../../resources/index.ts';
import type { Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { anchorOf, liveTiming, scheduleFacts, scheduleSpec } from './schedule-kind.ts';
import { checkSchedule, fillSchedule } from './schedule-rules.ts';
import { storedStatus } from './schedule-status.ts';
import { scheduleStatus } from './schedule-status-rules.ts';
import { settleTimer } from './schedule-timer.ts';
import { nextInstants } from './timing/index.ts';

export interface SchedulesDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  /** Reads, deletes and lists of the kind. */
  readonly schedules: KindFacade;
  readonly views: ResourceViews;
  readonly limits: LabelLimits & { readonly minSpacingSeconds: number };
}

/** Most runs that a preview shows. */
const PREVIEW_MAX = 20;

/** CreateSchedule, GetSchedule, ModifySchedule, ListSchedules, DeleteSchedule. */
export class ScheduleService {
  readonly #deps: SchedulesDeps;

  constructor(deps: SchedulesDeps) {
    this.#deps = deps;
  }

  async create(request: CreateScheduleRequest, call: CallContext): Promise<ScheduleResponse> {
    const { ns, schedule } = request;
    const missing = schedule?.spec === undefined ? [required('spec')] : [];
    this.#refuse(schedule, [...checkPathNames(schedule?.metadata, { ns }), ...missing]);
    const key = recordKey('Schedule', ns, schedule?.metadata?.name ?? '');
    const { resource } = await this.#deps.store.write((tx) =>
      this.#deps.writer.create(tx, call, {
        ...wanted(schedule, call),
        key,
        resourceVersion: schedule?.metadata?.resourceVersion ?? '',
      }),
    );
    return this.#answer(resource);
  }

  async get(request: GetScheduleRequest): Promise<ScheduleResponse> {
    const { ns, name, preview } = request;
    if (preview > PREVIEW_MAX) throw invalidField('preview', `must not be above ${PREVIEW_MAX}`);
    const record = await this.#deps.schedules.read({ key: recordKey('Schedule', ns, name) });
    return this.#answer(record, preview === 0 ? [] : this.#nextRuns(record, preview));
  }

  /** Counts a revision and restarts the timer even when spec, labels and annotations stay the same. */
  async modify(request: ModifyScheduleRequest, call: CallContext): Promise<ScheduleResponse> {
    const { ns, name, schedule } = request;
    const missing = schedule?.spec === undefined ? [required('spec')] : [];
    this.#refuse(schedule, [...checkPathNames(schedule?.metadata, { ns, name }), ...missing]);
    const resource = await this.#deps.store.write(async (tx) => {
      const key = recordKey('Schedule', ns, name);
      const resourceVersion = schedule?.metadata?.resourceVersion ?? '';
      const change = () => wanted(schedule, call);
      const written = await this.#deps.writer.modify(tx, call, { key, resourceVersion, change });
      return written.outcome === 'unchanged' ? await this.#armAnew(tx, written.resource) : written.resource;
    });
    return this.#answer(resource);
  }

  async list(request: ListSchedulesRequest): Promise<ListSchedulesResponse> {
    const { ns: namespace, pageSize, pageToken, labelSelector, metadataOnly } = request;
    const page = await this.#deps.schedules.list({ namespace, pageSize, pageToken, labelSelector, metadataOnly });
    return create(ListSchedulesResponseSchema, {
      schedules: page.records.map((record) => this.#view(record, metadataOnly)),
      nextPageToken: page.nextPageToken,
    });
  }

  async delete(request: DeleteScheduleRequest, call: CallContext): Promise<DeleteScheduleResponse> {
    await this.#deps.schedules.remove(call, { key: recordKey('Schedule', request.ns, request.name) });
    return create(DeleteScheduleResponseSchema, { success: true });
  }

  async #armAnew(tx: WriteTx, record: StoredResource): Promise<StoredResource> {
    if (record.deletionTimestamp !== undefined) throw resourceDeleting(record.key);
    const spec = scheduleSpec(record);
    const facts = await scheduleFacts(
      { resources: tx.resources, now: () => tx.now() },
      { ...record, spec },
      { isWrite: true, isNamespaceLive: true },
    );
    const status = scheduleStatus(storedStatus(record), spec, facts);
    const stored = (await this.#deps.writer.writeStatus(tx, record.key, () => ({ status }))) ?? record;
    await settleTimer(tx, { record: stored, status });
    return stored;
  }

  #nextRuns(record: StoredResource, count: number): readonly bigint[] {
    const timing = liveTiming(record);
    if (timing === undefined) return [];
    const from = { anchor: anchorOf(record.annotations), after: this.#deps.store.now() };
    return nextInstants(timing, from, count).map(BigInt);
  }

  /** What is wrong with the request itself is answered together with what is wrong with the resource. */
  #refuse(schedule: Schedule | undefined, own: readonly FieldViolation[]): void {
    if (own.length === 0) return;
    const { labels = {}, annotations = {} } = schedule?.metadata ?? {};
    const { limits, store } = this.#deps;
    const facts = { now: store.now(), minSpacingSeconds: limits.minSpacingSeconds };
    throw refusal([
      ...own,
      ...checkLabels(labels, 'metadata.labels', limits),
      ...checkAnnotations(annotations, 'metadata.annotations', limits),
      ...(schedule?.spec === undefined ? [] : checkSchedule(fillSchedule(schedule.spec), annotations, facts)),
    ]);
  }

  #answer(record: StoredResource, nextRuns: readonly bigint[] = []): ScheduleResponse {
    return create(ScheduleResponseSchema, { schedule: this.#view(record), nextRuns: [...nextRuns] });
  }

  #view(record: StoredResource, metadataOnly = false): Schedule {
    return this.#deps.views.full(ScheduleSchema, record, { secrets: true, metadataOnly });
  }
}

const required = (field: string): FieldViolation => ({ field, description: 'is required', reason: 'FIELD_INVALID' });

const wanted = (schedule: Schedule | undefined, call: CallContext): DesiredResource =>
  desiredOf({
    metadata: schedule?.metadata,
    spec: schedule?.spec ?? create(ScheduleSpecSchema),
    sent: call.sentMetadata,
  });

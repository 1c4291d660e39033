import { create } from '@bufbuild/protobuf';
import {
  AdminService,
  type GetConfigurationResponse,
  GetConfigurationResponseSchema,
  type RunDoctorResponse,
  RunDoctorResponseSchema,
} from '@svc/api/gateway';
import { errorText } from '../../../base/index.ts';
import { admin, type Operation, operation } from '../../../operations/index.ts';
import { type Check, fail } from './check.ts';
import {
  type ConfigurationFacts,
  checkConfiguration,
  checkProviders,
  type ProviderFacts,
} from './configuration-checks.ts';
import { checkDataDirectory, type DataDirectoryFacts } from './data-directory-checks.ts';
import type { LogStreams } from './log-streams.ts';
import { checkResources } from './resource-checks.ts';
import {
  checkAuditChain,
  checkBackups,
  checkBus,
  checkClock,
  checkObjects,
  checkSecretValues,
  checkStore,
  type FailedBackup,
  type LostValueFacts,
  type StoreFacts,
} from './store-checks.ts';
import { checkVectors, type VectorFacts } from './vector-checks.ts';

export interface AdminDeps extends StoreFacts, DataDirectoryFacts {
  /** The scheduled backup that failed, if one is pending. */
  readonly pendingBackup: () => Promise<FailedBackup | undefined>;
  /** Stored values whose keys are missing. */
  readonly lostValues: () => Promise<LostValueFacts>;
  readonly configuration: ConfigurationFacts;
  readonly providers: ProviderFacts;
  readonly vectors: () => Promise<VectorFacts | undefined>;
  readonly logs: Pick<LogStreams, 'stream'>;
}

/** Checks that can hang end by then, so that the answer comes before the deadline of the call. */
const LONGEST_MS = 30_000;

/** GetConfiguration, RunDoctor and StreamLogs. */
export const adminOperations = (deps: AdminDeps): readonly Operation[] => [
  operation(AdminService.method.getConfiguration, {
    access: admin('unscoped'),
    handle: async () => configuration(deps.configuration),
  }),
  operation(AdminService.method.runDoctor, {
    access: admin('unscoped'),
    handle: ({ online }, { signal }) => doctor(deps, { online, signal }),
  }),
  operation(AdminService.method.streamLogs, {
    access: admin('unscoped'),
    cursorField: 'after',
    handle: (request, call, sink) => deps.logs.stream(request, call, sink),
  }),
];

const configuration = ({ values }: ConfigurationFacts): GetConfigurationResponse =>
  create(GetConfigurationResponseSchema, {
    values: values.map(({ key, value, source }) => ({ key, valueJson: JSON.stringify(value), source })),
  });

/** Every check, whatever the others find; never blocks anything and changes nothing. */
const doctor = async (
  deps: AdminDeps,
  call: { readonly online: boolean; readonly signal: AbortSignal },
): Promise<RunDoctorResponse> => {
  const late = new AbortController();
  const cancel = deps.clock.after(LONGEST_MS, () => late.abort());
  const signal = AbortSignal.any([call.signal, late.signal]);
  const checks: Readonly<Record<string, () => Promise<readonly Check[]>>> = {
    configuration: async () => checkConfiguration(deps.configuration),
    'data directory': () => checkDataDirectory(deps),
    clock: async () => [checkClock(deps)],
    store: () => checkStore(deps, signal),
    bus: async () => [await checkBus(deps)],
    objects: async () => [await checkObjects(deps)],
    backups: async () => [await checkBackups(deps.pendingBackup)],
    'secret values': async () => [await checkSecretValues(deps.lostValues)],
    providers: () => checkProviders(deps.providers, { online: call.online, signal }),
    vectors: async () => [checkVectors(await deps.vectors())],
    resources: () => checkResources(deps.store.direct.resources, deps.store.now()),
    'audit chain': async () => [await checkAuditChain(deps)],
  };
  const found: Check[] = [];
  for (const [name, check] of Object.entries(checks)) found.push(...(await guarded(name, check)));
  cancel();
  return create(RunDoctorResponseSchema, { checks: found });
};

/** A check that breaks is a finding too; the others still run. */
const guarded = async (name: string, check: () => Promise<readonly Check[]>): Promise<readonly Check[]> => {
  try {
    return await check();
  } catch (error) {
    return [fail(name, errorText(error), 'look into the log of the server')];
  }
};

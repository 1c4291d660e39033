import type {
  ConfigurationValue,
  CreateBackupResponse,
  RotateSecretKeyResponse,
  RunDoctorResponse,
} from '@svc/api/gateway';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useRead, useWrite } from '../../api/use-call.ts';

/** The keys of the configuration; they change only with a restart. */
export const useConfiguration = (): UseQueryResult<readonly ConfigurationValue[]> =>
  useRead({
    key: ['GetConfiguration'],
    call: async (client, signal) => (await client.admin.getConfiguration({}, { signal })).values,
  });

/** Runs the self-checks; `online` also those that need the network. */
export const useDoctor = (): UseMutationResult<RunDoctorResponse, Error, boolean> =>
  useWrite((client, online) => client.admin.runDoctor({ online }));

/** A backup of everything can take a while. */
const BACKUP_MS = 600_000;

export const useBackup = (): UseMutationResult<CreateBackupResponse, Error, void> =>
  useWrite((client) => client.admin.createBackup({}, { timeoutMs: BACKUP_MS }));

export const useRotateKey = (): UseMutationResult<RotateSecretKeyResponse, Error, void> =>
  useWrite((client) => client.admin.rotateSecretKey({}));

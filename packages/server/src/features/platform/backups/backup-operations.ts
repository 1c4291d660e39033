import { create } from '@bufbuild/protobuf';
import { AdminService, CreateBackupResponseSchema } from '@svc/api/gateway';
import { admin, type Operation, operation } from '../../../operations/index.ts';
import type { BackupService } from './backup-service.ts';

/** CreateBackup: the answer names the file on the machine of the server. */
export const backupOperations = (service: Pick<BackupService, 'create'>): readonly Operation[] => [
  operation(AdminService.method.createBackup, {
    access: admin('unscoped'),
    handle: async (_request, context) => {
      const { path, sizeBytes, sha256 } = await service.create('svc', context);
      return create(CreateBackupResponseSchema, { path, sizeBytes: BigInt(sizeBytes), sha256 });
    },
  }),
];

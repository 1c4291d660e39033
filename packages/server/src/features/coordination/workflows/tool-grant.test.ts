import { expect, it } from 'vitest';
import type { ReadTx, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { stepToolGrant } from './tool-grant.ts';

/** A namespace with one server, `files`. */
const resources = {
  get: async ({ kind, name }: ResourceKey) =>
    kind === 'McpServer' && name === 'files' ? ({ spec: '{}' } as StoredResource) : undefined,
};

it('a step gets a tool of a server by every name that agents may be offered it under', async () => {
  const grant = stepToolGrant({ ancestorsOf: () => [] });
  const of = (tool: string) => grant({ resources } as unknown as Pick<ReadTx, 'resources'>, 'default', tool);
  const hash = expect.stringMatching(/^mcp_files_read_file_[0-9a-f]{8}$/);
  expect(await of('files/read-file')).toMatchObject({ names: ['mcp_files_read_file', hash], mcpServers: ['files'] });
  const long = await of(`files/${'x'.repeat(60)}`);
  expect(long.names).toEqual([expect.stringMatching(/^mcp_files_x{45}_[0-9a-f]{8}$/)]);
  expect(await of('none/read')).toMatchObject({ names: ['none/read'], mcpServers: [] });
});

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findImportCycles } from './import-cycles.ts';
import { findImportViolations } from './layer-rules.ts';
import { findSizeViolations, sizeLimits } from './size-rules.ts';
import { loadSources, type SourceFile } from './source-files.ts';

const sources = loadSources(fileURLToPath(new URL('../..', import.meta.url)));
const server = (path: string): string => `packages/server/src/${path}`;

/** Violations of one file that holds one line. */
function judge(path: string, line: string): readonly string[] {
  return findImportViolations([{ path, text: `${line}\n` }]);
}

function lines(count: number): string {
  return 'const line = 1;\n'.repeat(count);
}

function folderOf(count: number, suffix: string): SourceFile[] {
  return Array.from({ length: count }, (_, index) => ({ path: server(`auth/part-${index}${suffix}`), text: lines(1) }));
}

describe('the source tree', () => {
  it('is found', () => {
    expect(sources.map((file) => file.path)).toContain(server('base/index.ts'));
  });

  it('imports only what the layer table allows, through doors', () => {
    expect(findImportViolations(sources)).toEqual([]);
  });

  it('has no circle of imports, of values or of types', () => {
    expect(findImportCycles(sources)).toEqual([]);
  });

  it('keeps files and folders small and named for what they hold', () => {
    expect(findSizeViolations(sources)).toEqual([]);
  });
});

describe('the layer table', () => {
  it.each([
    ['base/clock.ts', "import { Fault } from '../resources/index.ts';"],
    ['resources/kinds.ts', "import { open } from '../store/contracts/index.ts';"],
    ['store/sqlite/open.ts', "import type { Pool } from '../postgres/index.ts';"],
    ['store/sqlite/open.ts', "import { admit } from '../../runtime/contract.ts';"],
    ['store/blobs/s3/bucket.ts', "import { hash } from '../local/index.ts';"],
    ['models/driver.ts', "import type { Tool } from '../tools/contract.ts';"],
    ['tools/registry.ts', "import { connect } from '../protocols/index.ts';"],
    ['runtime/worker.ts', "import { demo } from '../models/index.ts';"],
    ['runtime/worker.ts', "import { AgentSpecSchema } from '@svc/api/resources';"],
    ['runtime/worker.ts', "const rules = await import('../features/conversation/usage/index.ts');"],
    ['features/conversation/usage/usage-service.ts', "import { find } from '../sessions/index.ts';"],
    ['features/conversation/usage/usage-service.ts', "import { run } from '../../../runtime/index.ts';"],
    ['transport/dispatcher.ts', "import { create } from '../features/conversation/sessions/index.ts';"],
    ['transport/dispatcher.ts', "import type { Sessions } from '../features/conversation/sessions/index.ts';"],
    ['transport/dispatcher.ts', "export { parse } from '../resources/index.ts';"],
    [
      'features/conversation/usage/usage-service.ts',
      "import type { HttpRoute } from '../../../transport/contract.ts';",
    ],
    ['operations/operation.ts', "import type { Wire } from '../transport/index.ts';"],
    ['transport/dispatcher.ts', "import { writeOnce } from '../idempotency/index.ts';"],
    ['auth/grants.ts', "import { start } from '../app/index.ts';"],
    ['base/log.ts', "import type { Agent } from '@svc/api/resources';"],
    ['base/log.ts', "import pino from 'pino';"],
    ['loose.ts', "import { Fault } from './base/index.ts';"],
  ])('refuses in %s: %s', (path, line) => {
    expect(judge(server(path), line)).toHaveLength(1);
  });

  it.each([
    ['runtime/worker.ts', "import type { Model } from '../models/contract.ts';"],
    ['runtime/worker.ts', "import { journal } from './journal.ts';"],
    [
      'features/conversation/usage/usage-service.ts',
      "import { admission } from '../../../runtime/admission-contract.ts';",
    ],
    ['features/conversation/usage/usage-service.ts', "import { operation } from '../../../operations/index.ts';"],
    ['transport/dispatcher.ts', "import { operation } from '../operations/index.ts';"],
    ['features/conversation/usage/usage-service.ts', "import { check } from './usage-rules.ts';"],
    ['transport/grpc/handler.ts', "import { table } from '../fault-codes.ts';"],
    [
      'features/conversation/usage/usage-service.ts',
      "import type { WriteTx } from '../../../store/contracts/index.ts';",
    ],
    ['store/sqlite/open.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ['app/wiring.ts', "import { demo } from '../models/index.ts';"],
    ['main.ts', "import { start } from './app/index.ts';"],
    ['runtime/worker.test.ts', "import { open } from '../store/sqlite/index.ts';"],
    ['resources/kinds.ts', "import { Agent } from '@svc/api/resources';"],
    ['runtime/contract.ts', "import type { AgentSpec } from '@svc/api/resources';"],
  ])('accepts in %s: %s', (path, line) => {
    expect(judge(server(path), line)).toEqual([]);
  });

  it('names the file, the import and the rule', () => {
    expect(judge(server('auth/grants.ts'), "import { run } from '../runtime/index.ts';")).toEqual([
      'packages/server/src/auth/grants.ts imports ../runtime/index.ts: auth may not import runtime',
    ]);
  });
});

describe('doors', () => {
  it('refuses to enter a folder past its index and contract', () => {
    expect(judge(server('auth/grants.ts'), "import { now } from '../base/clock.ts';")).toEqual([
      expect.stringContaining('packages/server/src/base has to be entered through its index.ts'),
    ]);
  });

  it('are for production code: tests take what they share from where it lies', () => {
    expect(judge(server('auth/grants.test.ts'), "import { now } from '../base/clock.ts';")).toHaveLength(0);
  });

  it('holds between folders of one layer', () => {
    expect(judge(server('transport/grpc/handler.ts'), "import { read } from '../rest/read.ts';")).toHaveLength(1);
  });

  it('in the console only screens have one: an index of parts would load them all with the first page', () => {
    const at = 'packages/console/src/screens/inbox/inbox-page.tsx';
    expect(judge(at, "import { Button } from '../../ui/button.tsx';")).toEqual([]);
    expect(judge(at, "import { agentScreen } from '../agents/index.ts';")).toEqual([]);
    expect(judge(at, "import { AgentForm } from '../agents/agent-form.tsx';")).toEqual([
      expect.stringContaining('packages/console/src/screens/agents has to be entered through its index.ts'),
    ]);
  });

  it('keeps test code out of production code', () => {
    expect(judge(server('runtime/worker.ts'), "import { fake } from './testing/index.ts';")).toEqual([
      expect.stringContaining('only tests may import test code'),
    ]);
  });
});

describe('packages', () => {
  it.each([
    ['packages/client/src/calls.ts', "import { start } from '@svc/server';"],
    ['packages/api/src/http.ts', "import { call } from '@svc/client';"],
    ['packages/cli/src/main.ts', "import { start } from '@svc/server';"],
    ['packages/cli/src/main.ts', "import { start } from '../../server/src/main.ts';"],
    ['e2e/start.test.ts', "import { now } from '../packages/server/src/base/index.ts';"],
    ['e2e/start.test.ts', "import { start } from '@svc/server';"],
  ])('refuses in %s: %s', (path, line) => {
    expect(judge(path, line)).toHaveLength(1);
  });

  it.each([
    ['packages/client/src/calls.ts', "import { GatewayService } from '@svc/api/gateway';"],
    ['packages/cli/src/up.ts', "const server = await import('@svc/server');"],
    ['e2e/start.test.ts', "import { connect } from '@svc/client';"],
  ])('accepts in %s: %s', (path, line) => {
    expect(judge(path, line)).toEqual([]);
  });
});

describe('circles', () => {
  const circle = (first: string, second: string): readonly string[] =>
    findImportCycles([
      { path: server('auth/a.ts'), text: first },
      { path: server('auth/b.ts'), text: second },
    ]);

  it('are found along imports and re-exports', () => {
    expect(circle("import { b } from './b.ts';", "export * from './a.ts';")).toEqual([
      'packages/server/src/auth/a.ts -> packages/server/src/auth/b.ts -> packages/server/src/auth/a.ts',
    ]);
  });

  it('are closed by types too', () => {
    expect(circle("import type { B } from './b.ts';", "import { a } from './a.ts';")).toHaveLength(1);
    expect(circle("import type { B } from './b.ts';", "export type { A } from './a.ts';")).toHaveLength(1);
  });

  it('are not closed by import()', () => {
    expect(circle("import { b } from './b.ts';", "await import('./a.ts');")).toEqual([]);
  });
});

describe('sizes', () => {
  it('allow a source file its limit and no line more', () => {
    const short = folderOf(2, '.ts');
    const file = (count: number): SourceFile => ({ path: server('auth/long.ts'), text: lines(count) });
    expect(findSizeViolations([...short, file(sizeLimits.sourceLines)])).toEqual([]);
    expect(findSizeViolations([...short, file(sizeLimits.sourceLines + 1)])).toHaveLength(1);
  });

  it('allow a test more than a source file', () => {
    const file = (count: number): SourceFile => ({ path: server('auth/long.test.ts'), text: lines(count) });
    expect(findSizeViolations([file(sizeLimits.testLines)])).toEqual([]);
    expect(findSizeViolations([file(sizeLimits.testLines + 1)])).toHaveLength(1);
  });

  it('limit the source files of a folder, not its tests', () => {
    expect(findSizeViolations([...folderOf(16, '.ts'), ...folderOf(16, '.test.ts')])).toEqual([]);
    expect(findSizeViolations(folderOf(17, '.ts'))).toEqual([
      'packages/server/src/auth has 17 source files, allowed are 16',
    ]);
  });

  it('limit the median', () => {
    const long = folderOf(3, '.ts').map((file) => ({ ...file, text: lines(sizeLimits.medianLines + 1) }));
    expect(findSizeViolations(long)).toHaveLength(1);
  });

  it('refuse names that say nothing', () => {
    expect(findSizeViolations([{ path: server('auth/utils.ts'), text: lines(1) }])).toHaveLength(1);
  });
});

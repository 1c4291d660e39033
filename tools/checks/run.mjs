// All checks of the project, or those named as parameters. Started by `npm test`; needs the pinned Node.js.
import process from 'node:process';
import { root, runBootstrap } from '../bootstrap/install.mjs';
import { listTests, provideServices } from '../bootstrap/services.mjs';
import { checks, testSuites } from './check-list.ts';
import { runChecks, selectChecks } from './run-checks.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
const print = (line) => process.stdout.write(`${line}\n`);

process.chdir(root);
await runBootstrap(async () => {
  const selected = selectChecks(checks, process.argv.slice(2));
  const names = selected.map((check) => check.name);
  const runsTests = names.some((name) => name !== 'layers' && testSuites.includes(name));
  const { found, missing } = provideServices(runsTests ? listTests(root) : []);
  const context = { root, services: found, lacksServices: missing.length > 0, selected: names };
  const host = { now: performance.now.bind(performance), print };
  const totals = await runChecks([...missing.map(lackingService), ...selected], context, host);
  if (totals.failed > 0) process.exitCode = 1;
  print(`${totals.passed} passed, ${totals.failed} failed`);
});

/** Where the checks decide about a merge (CI=true) an absent service is a failure; elsewhere its tests skip, with a reason. */
function lackingService({ name, advice }) {
  const isRequired = process.env.CI === 'true';
  const note = `${name} is not installed; ${isRequired ? 'required with CI=true' : `its tests are skipped (${advice})`}`;
  return { name: `service ${name}`, run: async () => ({ passed: 0, failed: isRequired ? 1 : 0, note }) };
}

import { GarbageCollector, ResealWorker, statusReconcilers } from '../../controllers/index.ts';
import { joinModules } from '../../features/module-contract.ts';
import { type Config, clientUrl } from '../config/index.ts';
import { openEngines, type ServerHost } from '../engines/index.ts';
import { Machinery } from '../machinery.ts';
import { PeriodicJobs } from '../periodic.ts';
import { openObservation } from '../telemetry/index.ts';
import { wireFeatures } from './features.ts';
import { wireHost } from './host.ts';
import { wireTurns } from './turns.ts';

/** Builds every part; nothing runs yet. `port` answers what is listened on. */
export const wireApp = async (config: Config, serverHost: ServerHost, port: () => number) => {
  const opened = await openEngines(config, serverHost);
  const observation = await openObservation(config, opened);
  const { metrics } = observation;
  const engines = { ...opened, store: metrics.timed(opened.store) };
  const host = wireHost(config, engines);
  const turns = wireTurns({ config, engines, host, observation });
  const reached = { ...turns.secrets.reading, baseUrl: () => clientUrl(config, port()) };
  const features = wireFeatures({ config, engines, host: { ...host, ...reached }, turns });
  const parts = joinModules(features.list);
  host.kinds.fill(parts.kinds);
  turns.tools.add(parts);
  turns.harnesses.fill(features.harnesses.harnesses);
  const machinery = new Machinery({
    ...host,
    owner: turns.workerId,
    reconcilers: [...parts.reconcilers, ...statusReconcilers(host, host.kinds.contracts.values())],
    workers: [
      new GarbageCollector(host),
      ...parts.workers,
      new ResealWorker({ ...host, values: parts.sealedValues, reseal: parts.reseal }),
    ],
  });
  metrics.watch({
    store: host.store,
    runningTurns: () => turns.runtime.worker.running,
    repairs: () => turns.runtime.sweeper.repairs,
    openStreams: () => turns.streams.open,
    slowStreams: () => turns.streams.slowEnded,
    queueKinds: () => machinery.queueKinds,
    backupFailures: features.backups.failures,
  });
  const jobs = new PeriodicJobs(host);
  return { config, engines, observation, host, turns, features, parts, machinery, jobs, port };
};

export type App = Awaited<ReturnType<typeof wireApp>>;

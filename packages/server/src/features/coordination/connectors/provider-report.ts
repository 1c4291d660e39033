import type { Finding } from '../../../resources/index.ts';

/** What a connector service reported of its connection to the platform. */
interface Report {
  readonly status: string;
  readonly reason: string;
}

const MESSAGES_CHARS = 500;

/** States that a service may report, with the word that conditions use. */
export const PROVIDER_STATES: Readonly<Record<string, string>> = {
  connected: 'Connected',
  degraded: 'Degraded',
  disabled: 'Disabled',
  revoked: 'Revoked',
};

/** Condition ProviderConnected. */
export const reportFinding = (report: Report | undefined): Finding => {
  const type = 'ProviderConnected';
  if (report === undefined) return { type, status: 'Unknown', reason: 'NoReport' };
  const status = report.status === 'connected' ? 'True' : 'False';
  const reason = PROVIDER_STATES[report.status] ?? 'Degraded';
  return { type, status, reason, message: report.reason.slice(0, MESSAGES_CHARS).toWellFormed() };
};

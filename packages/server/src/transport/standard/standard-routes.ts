import { Fault } from '../../base/index.ts';
import type { HttpRoute } from '../../operations/index.ts';
import type { TransportParts } from '../contract.ts';
import type { MethodEntry } from '../dispatcher/index.ts';
import { openApi } from './open-api.ts';
import type { Readiness } from './readiness.ts';

interface StandardParts {
  readonly parts: TransportParts;
  readonly readiness: Readiness;
  readonly methods: readonly MethodEntry[];
}

const json = { 'content-type': 'application/json' };

const get = (pattern: string, authenticated: boolean, handle: HttpRoute['handle']): HttpRoute => ({
  method: 'GET',
  pattern,
  authenticated,
  handle,
});

/** /healthz, /readyz, /metrics, /version and /openapi.json. */
export const standardRoutes = ({ parts, readiness, methods }: StandardParts): HttpRoute[] => {
  // Bytes, which every answer shares: a text would be copied for each that waits to be read, and no one needs a
  // credential here.
  let description: Buffer | undefined;
  let build: string | undefined;
  return [
    get('/healthz', false, async (exchange) => exchange.answer(200, json, '{"status":"ok"}')),
    get('/readyz', false, async (exchange) => {
      const failing = await readiness.failing();
      const status = failing.length === 0 ? 'ok' : 'failing';
      exchange.answer(failing.length === 0 ? 200 : 503, json, JSON.stringify({ status, failing }));
    }),
    get('/metrics', !parts.config.metricsOpen, async (exchange, _params, { caller }) => {
      if (!parts.config.metricsOpen && !parts.authorizer.allows(caller, 'viewer', {})) {
        throw new Fault('PERMISSION_DENIED', 'SCOPE', 'metrics need an unscoped viewer');
      }
      exchange.answer(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, await parts.metricsText());
    }),
    get('/version', false, async (exchange) => {
      build ??= JSON.stringify({
        version: parts.config.version,
        apiVersion: 'svc/v1',
        schemaVersion: parts.schemaVersion(),
      });
      exchange.answer(200, json, build);
    }),
    get('/openapi.json', false, async (exchange) => {
      description ??= Buffer.from(JSON.stringify(openApi(methods, parts.config.version)));
      exchange.answer(200, json, description);
    }),
  ];
};

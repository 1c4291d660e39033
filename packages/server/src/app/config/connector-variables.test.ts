import { describe, expect, it } from 'vitest';
import { connectorVariables } from './connector-variables.ts';
import { load, type World } from './testing/config-fixture.ts';

const allowed = (world: World, names: readonly string[]): readonly string[] => {
  const { config } = load(world);
  return names.filter(connectorVariables(config.settings['connectors.envAllow'] ?? [], config));
};

const SIGNED_IN = 'auth: {mode: [token], token: {env: GATE_TOKEN}}\n';
const environment = { GATE_TOKEN: 'q2w3e4r5t6y7u8i9', MODEL_KEY: 'x', HOST_PART: 'me' };

describe('variables that connectors may name', () => {
  it('are those of connectors.envAllow', () => {
    const yaml = `${SIGNED_IN}connectors: {envAllow: [CHAT_KEY, "BRIDGE_*_KEY"]}`;
    const names = ['CHAT_KEY', 'CHAT_KEY2', 'BRIDGE_A_KEY', 'BRIDGE__KEY', 'BRIDGE_KEY', 'chat_key', 'A B', '1A', ''];
    expect(allowed({ files: { '/work/svc.yaml': yaml }, environment }, names)).toEqual([
      'CHAT_KEY',
      'BRIDGE_A_KEY',
      'BRIDGE__KEY',
    ]);
  });

  it('are of two prefixes unless nobody signs in, then any', () => {
    const names = ['CONNECTOR_KEY', 'SVC_CONNECTOR_KEY', 'SLACK_KEY'];
    expect(allowed({ files: { '/work/svc.yaml': SIGNED_IN }, environment }, names)).toEqual(names.slice(0, 2));
    expect(allowed({}, names)).toEqual(names);
  });

  it('are never those that the configuration itself uses', () => {
    const yaml = `auth: {mode: [token], token: {env: GATE_TOKEN}}
server: {publicUrl: "http://\${HOST_PART}.test", clusterId: "\${UNSET:-one}"}
models: {providers: {mine: {type: openai-compatible, baseUrl: "http://m.test", apiKey: {env: MODEL_KEY}}}}
connectors: {envAllow: ["*"]}`;
    const names = ['GATE_TOKEN', 'HOST_PART', 'UNSET', 'MODEL_KEY', 'OPENAI_API_KEY', 'SVC_AUTH_TOKEN', 'SLACK_KEY'];
    expect(allowed({ files: { '/work/svc.yaml': yaml }, environment }, names)).toEqual(['SLACK_KEY']);
    expect(allowed({}, names)).toEqual(['GATE_TOKEN', 'HOST_PART', 'UNSET', 'MODEL_KEY', 'SLACK_KEY']);
  });

  it('are never those in which a database or an object service finds its credentials', () => {
    const names = ['AWS_SECRET_ACCESS_KEY', 'PGPASSWORD'];
    expect(allowed({}, names)).toEqual(names);
    const elsewhere = 'store: {url: "postgres://db/svc"}\nobjects: {backend: s3, bucket: things}';
    expect(allowed({ files: { '/work/svc.yaml': elsewhere } }, names)).toEqual([]);
  });
});

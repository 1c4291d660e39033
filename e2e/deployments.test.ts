import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

const example = fileURLToPath(new URL('../examples/rollout', import.meta.url));

it('the example of a deployment is applied, waited for, described, survives a kill, and is deleted with all it made', async () => {
  await using server = await ServerProcess.start();
  await using home = new Home();
  const url = `http://127.0.0.1:${server.port}`;
  const svc = async (...words: string[]): Promise<string> => {
    const command = home.run([...words, '--server', url]);
    const code = await command.ended();
    if (code !== 0) throw new Error(`svc ${words.join(' ')} ended with ${code}: ${command.stdout}${command.stderr}`);
    return command.stdout;
  };
  await cp(example, join(home.path, 'rollout'), { recursive: true });
  const ns = ['-n', 'example-rollout'];

  expect(await svc('apply', '-f', 'rollout', '--wait')).toContain('7 created');
  await svc('wait', 'dep/rollout', '--for', 'condition=Ready', ...ns);
  const replicas = await svc('get', 'deploymentreplicas', ...ns);
  expect(replicas).toMatch(/rollout--north-[0-9a-f]{8} +Ready/);
  expect(replicas).toMatch(/rollout--south-[0-9a-f]{8} +Ready/);
  expect(replicas).not.toContain('west');
  const described = await svc('describe', 'dep', 'rollout', ...ns);
  expect(described).toMatch(/desired: "?2"?[\s\S]*ready: "?2"?/);
  expect(described).toMatch(/TemplatesResolved +True/);
  expect(await svc('get', 'agent', 'helper', '-n', 'example-rollout:north', '-o', 'yaml')).toContain('Northern Lights');
  expect(await svc('apply', '-f', 'rollout')).toContain('7 unchanged');
  const templates = join(home.path, 'rollout', 'templates.yaml');
  await writeFile(templates, (await readFile(templates, 'utf8')).replace('You serve', 'Kindly serve'));
  expect(await svc('apply', '-f', 'rollout', '--wait')).toContain('1 configured');
  for (const place of ['north', 'south'])
    expect(await svc('get', 'agent', 'helper', '-n', `example-rollout:${place}`, '-o', 'yaml')).toContain(
      'Kindly serve',
    );
  const printed = await svc('get', 'dep', 'rollout', ...ns, '-o', 'manifest');
  expect(printed).not.toContain('svc/deployment');

  const rest = new RestCaller(url);
  await svc('delete', 'dep', 'rollout', ...ns);
  await server.kill();
  await server.restart();
  await until('the deployment is gone', async () => {
    const answer = await rest.fetch('/v1/ns/example-rollout/resources/Deployment/rollout', { method: 'GET' });
    return answer.status === 404 ? true : undefined;
  });
  expect(await svc('get', 'deploymentreplicas', ...ns)).not.toContain('rollout--');
  expect(await svc('get', 'agents', '-n', 'example-rollout:north')).not.toContain('helper');
  expect(await svc('get', 'kn', '-n', 'example-rollout:north')).toContain('handbook');
}, 120_000);

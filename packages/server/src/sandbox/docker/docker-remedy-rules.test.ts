import { describe, expect, it } from 'vitest';
import { connectionProblem, type EngineFacts, engineNote, engineProblem, imageProblem } from './docker-remedy-rules.ts';

const all = { memory: true, processors: true, processes: true };
const facts: EngineFacts = { version: '27.1', system: 'linux', cgroupVersion: '2', isRootless: false, limits: all };

describe('what an engine lacks', () => {
  it.each([
    ['ENOENT', 'install Docker'],
    ['EACCES', 'usermod -aG docker'],
    ['EPERM', '--group-add'],
    ['ECONNREFUSED', 'systemctl start docker'],
    ['ECONNRESET', '(ECONNRESET)'],
  ])('is named with the remedy: %s', (code, remedy) => {
    expect(connectionProblem(code, '/run/d.sock')).toContain(remedy);
  });

  it('may be an image, or another system', () => {
    expect(imageProblem('a:b', '')).toContain('pull: never: run "docker pull a:b"');
    expect(imageProblem('a:b', 'denied')).toContain('could not be pulled (denied)');
    expect(engineProblem(facts)).toBe('');
    expect(engineProblem({ ...facts, system: 'windows' })).toContain('windows');
  });

  it('is said of limits', () => {
    expect(engineNote(facts)).toBe(
      'Docker 27.1; limits of each command by cgroup v2 of the engine; the disk is counted',
    );
    const weak = { ...facts, limits: { ...all, memory: false, processes: false } };
    expect(engineNote(weak)).toContain('does not limit memory, processes');
    expect(engineNote({ ...weak, isRootless: true })).toContain('Docker 27.1 (rootless)');
    expect(engineNote({ ...weak, isRootless: true })).toContain('Delegate=yes');
  });
});

import { describe, expect, it } from 'vitest';
import { dockerProblems, dockerSettings, isImageName } from './docker-settings-rules.ts';

const sockets = ['/run/a.sock', '/run/b.sock'];

describe('what a class says of its engine', () => {
  it('has defaults', () => {
    expect(dockerSettings({}, sockets)).toEqual({ socket: '/run/a.sock', image: 'node:lts', mayPull: true });
    expect(dockerSettings({}, []).socket).toBe('');
    const given = { image: 'python:3.13', socket: '/run/b.sock', pull: 'never' };
    expect(dockerSettings(given, sockets)).toEqual({ socket: '/run/b.sock', image: 'python:3.13', mayPull: false });
    expect(dockerProblems(given, sockets)).toEqual([]);
  });

  it('names each field that is wrong, and leaves it out', () => {
    const wrong = { image: '../x', socket: '/run/containerd.sock', pull: 'always', host: 'tcp://x' };
    expect(dockerProblems(wrong, sockets).map(({ field }) => field)).toEqual(Object.keys(wrong));
    expect(dockerProblems({ image: 7 }, sockets)).toHaveLength(1);
    expect(dockerSettings({ ...wrong, image: 7 }, sockets)).toMatchObject({ socket: '/run/a.sock', image: 'node:lts' });
  });

  it.each([
    ['node', true],
    ['registry.example:5000/team/image.name:tag-1', true],
    [`ghcr.io/a/b@sha256:${'0'.repeat(64)}`, true],
    ['', false],
    ['a/../b', false],
    ['a?b=c', false],
    ['/a', false],
    [`a${'b'.repeat(300)}`, false],
  ])('takes %j for the name of an image: %j', (text, is) => {
    expect(isImageName(text)).toBe(is);
  });
});

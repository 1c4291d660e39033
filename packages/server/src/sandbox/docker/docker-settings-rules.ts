import type { ProviderConfig, SettingProblem } from '../contract.ts';

/** What a class says of its engine. */
export interface DockerSettings {
  /** Path of the Unix socket of the engine. */
  readonly socket: string;
  /** Image of sandboxes that name none. */
  readonly image: string;
  /** Whether an image that is missing is pulled. */
  readonly mayPull: boolean;
}

/** The official image with Node.js, Python and the usual tools. */
const IMAGE = 'node:lts';
const IMAGE_CHARS = 255;
const REFERENCE =
  /^[a-zA-Z0-9][a-zA-Z0-9.-]*(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/;

/** True for the name of an image: a repository, perhaps with a tag and a digest. */
export const isImageName = (text: string): boolean => text.length <= IMAGE_CHARS && REFERENCE.test(text);

const PULLS: readonly unknown[] = [undefined, 'missing', 'never'];

/** All faults of what a class says for its engine. `sockets`: the engines that the operator of the server offers. */
export const dockerProblems = (
  { image, socket, pull, host }: ProviderConfig,
  sockets: readonly string[],
): readonly SettingProblem[] => {
  const found: SettingProblem[] = [];
  const add = (field: string, problem: string): void => void found.push({ field, problem });
  if (image !== undefined && (typeof image !== 'string' || !isImageName(image)))
    add('image', 'must be the name of an image, such as "python:3.13"');
  if (socket !== undefined && !sockets.some((one) => one === socket))
    add(
      'socket',
      `must be an engine that this server offers (sandbox.providers.docker.sockets): ${sockets.join(', ')}`,
    );
  if (!PULLS.includes(pull)) add('pull', 'must be missing or never');
  if (host !== undefined)
    add(
      'host',
      'is not possible: containers reach allowed hosts through a socket of this machine; name a socket instead',
    );
  return found;
};

/** What a class says for its engine; what is refused today counts as absent. */
export const dockerSettings = (
  { image, socket, pull }: ProviderConfig,
  sockets: readonly string[],
): DockerSettings => ({
  socket: sockets.find((one) => one === socket) ?? sockets[0] ?? '',
  image: typeof image === 'string' && isImageName(image) ? image : IMAGE,
  mayPull: pull !== 'never',
});

/** channels: `svc channel`: posting to a channel, following it, opening and closing it. */
export { type ChannelOptions, postMessage, setChannelPhase } from './channel.ts';
export { tailChannel } from './tail.ts';

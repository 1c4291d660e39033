/** channels: `svc channel`: saying something in a channel, following what happens in it, opening and closing it. */
export { type ChannelOptions, postMessage, setChannelPhase } from './channel.ts';
export { tailChannel } from './tail.ts';

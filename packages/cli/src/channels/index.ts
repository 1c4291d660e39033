/** channels: `svc channel`: posting to a channel, saying what a message would do, following it, opening and closing it. */
export { type ChannelOptions, postMessage, setChannelPhase } from './channel.ts';
export { explainMessage, verdictLine } from './explain-message.ts';
export { tailChannel } from './tail.ts';

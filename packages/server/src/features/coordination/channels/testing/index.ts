/** features/coordination/channels/testing: the channel operations on the resource world. Only tests of channels import it. */
export * from './channel-world.ts';

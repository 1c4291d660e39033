import { discord } from './discord.ts';
import { email } from './email/index.ts';
import { gchat } from './gchat/index.ts';
import { github } from './github.ts';
import { linear } from './linear.ts';
import type { ShippedConnector } from './shipped-connector.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';
import { whatsapp } from './whatsapp.ts';

/** Every connector that comes with svc, in the order of the documentation. */
export const shippedConnectors: readonly ShippedConnector[] = [
  slack,
  telegram,
  discord,
  teams,
  gchat,
  github,
  linear,
  whatsapp,
  email,
  webhook,
];

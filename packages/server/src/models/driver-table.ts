import { type Clock, Fault } from '../base/index.ts';
import type { ProviderDriver } from './attempt.ts';
import { ChatDriver } from './chat/index.ts';
import type { ProviderConfig } from './contract.ts';
import { DemoDriver, type DemoMemory } from './demo/index.ts';
import type { HttpAgent } from './http/index.ts';
import { SdkDriver } from './sdk/index.ts';

interface DriverParts {
  readonly clock: Clock;
  readonly agent: HttpAgent;
  readonly memory: DemoMemory;
}

const invalidConfig = (message: string): Fault => new Fault('INVALID_ARGUMENT', 'CONFIG_INVALID', message);

/** The driver of one configured provider; unknown types and missing or bad addresses stop the start. */
export const createDriver = (name: string, config: ProviderConfig, parts: DriverParts): ProviderDriver => {
  const path = `models.providers.${name}`;
  if (config.baseUrl !== undefined && !URL.canParse(config.baseUrl)) {
    throw invalidConfig(`${path}.baseUrl is not an absolute URL`);
  }
  switch (config.type) {
    case 'demo':
      return new DemoDriver({ config, clock: parts.clock, memory: parts.memory });
    case 'openai-compatible':
      if (config.baseUrl === undefined) throw invalidConfig(`${path}.baseUrl is missing`);
      return new ChatDriver({ config, clock: parts.clock, agent: parts.agent });
    case 'openai':
    case 'anthropic':
    case 'google':
      return new SdkDriver({ config, type: config.type, clock: parts.clock, agent: parts.agent });
    default:
      throw invalidConfig(`${path}.type "${config.type}" is not known`);
  }
};

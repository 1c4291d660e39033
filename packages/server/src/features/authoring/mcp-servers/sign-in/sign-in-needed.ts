import { McpFailure } from '../../../../protocols/mcp/contract.ts';

/** The server takes no token that svc has for this person: there is none, or it was revoked. */
export class SignInNeeded extends McpFailure {
  constructor() {
    super('auth', 'the server needs a person to sign in');
    this.name = 'SignInNeeded';
  }
}

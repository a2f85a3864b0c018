import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { addressKey } from '../../../platform/limits/client-address.js';
import { FailureLimits } from '../../../platform/limits/failure-limits.js';
import type { PolicyName } from '../../../platform/limits/policies.js';
import { RateLimits } from '../../../platform/limits/rate-limits.js';
import type { ClientCredentials } from '../oauth-clients/client-credentials.js';
import { assertPermitted } from './access-tokens.service.js';
import { type GenuineClient, KnownClients } from './known-clients.service.js';

/** Lets clients in by their id and secret, at so many requests a minute and so many failures. */
@Injectable()
export class ClientRequests {
  constructor(
    private readonly known: KnownClients,
    private readonly limits: RateLimits,
    private readonly failures: FailureLimits,
    private readonly clock: Clock,
  ) {}

  /** Throws 401 `invalid_client`, 429. */
  async authenticate(
    policy: PolicyName,
    address: string | undefined,
    credentials: ClientCredentials,
  ): Promise<GenuineClient> {
    const subject = `${credentials.clientId} ${addressKey(address)}`;
    const attempt = () => this.known.authenticate(credentials);
    const client = await this.failures.count('token-failures', [subject], attempt);
    // Only now: whoever merely knows a client's id cannot use up what it may do.
    this.limits.take(policy, credentials.clientId);
    return client;
  }

  /** Throws 400 `unauthorized_client` where the operator or the grant does not let the client act. */
  assertPermitted(client: GenuineClient): void {
    assertPermitted(client, this.clock.now());
  }
}

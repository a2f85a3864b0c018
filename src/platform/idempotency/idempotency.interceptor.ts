import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { checkScope } from '../auth/access.js';
import { currentActor, currentContext } from '../context/request-context.js';
import { Database } from '../database/database.js';
import { Metrics } from '../observability/metrics.js';
import { idempotencyKey, identityOf } from './request-identity.js';
import { type ClaimedRequest, IdempotencyKeys } from './idempotency-keys.js';

/** Metadata key of the declared change of a route. */
export const MUTATES = 'mutates';

export interface Mutation {
  /** The action of its ledger entry; null: it writes none, for the given reason. */
  readonly action: string | null;
  /** Actions of the entries that it writes in place of that one, depending on what the request changes. */
  readonly alternatives?: readonly string[];
  readonly reason?: string;
  /** Why no reversal of the entry is possible, for an action without `@Reverses`. */
  readonly irreversible?: string;
  /** Dotted paths of secrets in the response; a replay omits them. */
  readonly secrets: readonly string[];
  /**
   * The route commits by itself, because it calls external systems: its response is stored after the work, not with it.
   * It must be repeatable, because a process that dies in between has done the work and released the key.
   */
  readonly ownTransactions?: boolean;
}

/** Applied to mutating routes only; has no effect without an `Idempotency-Key`. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: IdempotencyKeys,
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const key = idempotencyKey(request);
    if (key === null) return next.handle();

    const mutation = this.reflector.get<Mutation>(MUTATES, context.getHandler());
    const wanted = this.keys.requestOf({ principal: currentActor().principal, key }, identityOf(request));
    return from(this.once(wanted, { next, response: http.getResponse<Response>(), mutation }));
  }

  private async once(
    wanted: ClaimedRequest,
    { next, response, mutation }: { next: CallHandler; response: Response; mutation: Mutation },
  ): Promise<unknown> {
    const outcome = await this.keys.claim(wanted);
    const { headers } = currentContext();
    if ('stored' in outcome) {
      const { stored } = outcome;
      for (const scope of stored.scopes ?? []) checkScope(scope);
      response.status(stored.status);
      for (const [name, value] of Object.entries(stored.headers)) headers.set(name, value);
      headers.set('Idempotent-Replayed', 'true');
      this.metrics.replays.inc();
      return stored.body;
    }
    try {
      const work = async () => {
        const body: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
        const { askedScopes } = currentContext();
        await this.keys.complete(outcome.claim, {
          status: response.statusCode,
          ...(askedScopes ? { scopes: askedScopes } : {}),
          headers: Object.fromEntries(headers),
          body: withoutSecrets(body, mutation.secrets),
        });
        return body;
      };
      return await (mutation.ownTransactions ? work() : this.database.transaction(work));
    } catch (error) {
      await this.keys.free(outcome.claim);
      throw error;
    }
  }
}

function withoutSecrets(body: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return body;
  const copy: unknown = structuredClone(body);
  for (const path of secrets) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const holder = names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], copy);
    delete (holder as Record<string, unknown>)[last];
  }
  return copy;
}

import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { checkScope } from '../auth/access.js';
import { currentActor, currentContext } from '../context/request-context.js';
import { Database } from '../database/database.js';
import { invalidField } from '../errors/app-error.js';
import { Metrics } from '../observability/metrics.js';
import { type ClaimedRequest, IdempotencyKeys } from './idempotency-keys.js';

const KEY = /^[\x21-\x7e]{8,255}$/;

/** Metadata key of the declared change of a route. */
export const MUTATES = 'mutates';

export interface Mutation {
  /** The action of its ledger entry; null: it writes none, for the given reason. */
  readonly action: string | null;
  /** Actions of the entries that it may write instead, depending on the changes of the request. */
  readonly alternatives?: readonly string[];
  readonly reason?: string;
  /** Reason why the entry cannot be reversed, for an action without `@Reverses`. */
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

/** Returns the request's key, or null. Throws 400 for a malformed key. */
function idempotencyKey(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw invalidField('Idempotency-Key', 'must be 8 to 255 visible ASCII characters', 'wrong_format');
}

/**
 * Two requests are the same if method, path, query and body are equal; the order of keys in the body does not matter.
 */
export function identityOf({ method, originalUrl, body }: Request): Buffer {
  const [path = '', ...rest] = originalUrl.split('?');
  const content: Buffer = body === undefined ? Buffer.alloc(0) : Buffer.isBuffer(body) ? body : canonical(body);
  return Buffer.concat([Buffer.from(`${[method, path, rest.join('?')].join('\n')}\n`), content]);
}

/**
 * The body with its keys in order. Not RFC 8785, which has no form for a lone surrogate: the pipe rejects one, or
 * accepts it in a member kept as data, but this is computed before that.
 */
function canonical(body: unknown): Buffer {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? inOrder(value) : value,
  );
  return Buffer.from(text);
}

function inOrder(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
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

import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { IdempotencyInterceptor, MUTATES, type Mutation } from './idempotency.interceptor.js';

/**
 * The route changes something and writes a ledger entry with this action. If no method reverses an action, `irreversible` says
 * why, and what staff do instead. With an `Idempotency-Key` the same request is executed once; for 24 hours a repetition gets
 * the stored response without its secrets.
 */
export function Mutates(
  action: string,
  {
    secrets = [],
    ownTransactions = false,
    alternatives = [],
    irreversible,
  }: { secrets?: string[]; ownTransactions?: boolean; alternatives?: string[]; irreversible?: string } = {},
): MethodDecorator {
  return repeatable({ action, alternatives, secrets, ownTransactions, ...(irreversible && { irreversible }) });
}

/** Like `Mutates`, for a route whose change is recorded outside the ledger, or needs no record, for the given reason. */
export function MutatesOutsideLedger(reason: string, { secrets = [] }: { secrets?: string[] } = {}): MethodDecorator {
  return repeatable({ action: null, reason, secrets });
}

function repeatable(mutation: Mutation): MethodDecorator {
  return applyDecorators(
    SetMetadata(MUTATES, mutation),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'Makes repeating the request safe for 24 hours; 8 to 255 visible ASCII characters',
      schema: { type: 'string', minLength: 8, maxLength: 255, pattern: '^[\\x21-\\x7E]+$' },
    }),
  );
}

/** The route writes an entry, but has no caller to which a key could belong (a login). */
export function MutatesForNobody(action: string, { irreversible }: { irreversible: string }): MethodDecorator {
  return SetMetadata(MUTATES, { action, secrets: [], irreversible } satisfies Mutation);
}

/** The route uses POST but changes nothing that the ledger records. */
export function ChangesNothing(reason: string): MethodDecorator {
  return SetMetadata(MUTATES, { action: null, reason, secrets: [] } satisfies Mutation);
}

import { Injectable } from '@nestjs/common';
import { covers } from '../../platform/auth/scopes.js';
import { Routes } from '../../platform/http/routes.js';

/** Scopes of the operations of the connect and OCTO surfaces, collected from their routes. */
@Injectable()
export class OperationScopes {
  constructor(private readonly routes: Routes) {}

  /** All scopes that limit a client to operations, sorted: for each area and action, and with wildcards. */
  supported(): string[] {
    const scopes = this.ofOperations().flatMap((scope) => [scope, scope.replace(/^connect:[^:]+/, 'connect:*')]);
    return [...new Set(['connect:*', ...scopes])].sort();
  }

  /** Returns the scopes whose area and action belong to no operation. */
  withoutOperation(scopes: readonly string[]): string[] {
    const known = this.ofOperations();
    return scopes.filter((scope) => !known.some((one) => covers([scope], one)));
  }

  /** An operation that accepts any area counts as the area of the resource in its path. */
  private ofOperations(): string[] {
    return this.routes.all.flatMap(({ surface, access: { scope }, path }) => {
      if (!['connect', 'octo'].includes(surface) || scope === null) return [];
      return scope.startsWith('*:') ? `connect:${resourceIn(path)}:${scope.slice(2)}` : scope;
    });
  }
}

/** Returns the first resource below the operator in a path: `oauth-clients` for a client and for its secrets. */
function resourceIn(path: string): string {
  const names = path.split('/').filter((segment) => segment !== '' && !segment.startsWith(':'));
  const [, , first = '', second] = names;
  return first === 'operators' && second !== undefined ? second : first;
}

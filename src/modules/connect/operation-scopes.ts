import { Injectable } from '@nestjs/common';
import { covers } from '../../platform/auth/scopes.js';
import { Routes } from '../../platform/http/routes.js';

/** The scopes of the operations of the connect surface, from the declarations of their routes. */
@Injectable()
export class OperationScopes {
  constructor(private readonly routes: Routes) {}

  /** All scopes by which a client can be limited to operations, sorted: of each area and action, and with wildcards. */
  supported(): string[] {
    const scopes = this.ofOperations().flatMap((scope) => [scope, scope.replace(/^connect:[^:]+/, 'connect:*')]);
    return [...new Set(['connect:*', ...scopes])].sort();
  }

  /** Returns the scopes whose area and action belong to no operation. */
  withoutOperation(scopes: readonly string[]): string[] {
    const known = this.ofOperations();
    return scopes.filter((scope) => !known.some((one) => covers([scope], one)));
  }

  /** An operation that accepts any area has that of the resource in its path. */
  private ofOperations(): string[] {
    return this.routes.all.flatMap(({ surface, access: { scope }, path }) => {
      if (surface !== 'connect' || scope === null) return [];
      return scope.startsWith('*:') ? `connect:${resourceIn(path)}:${scope.slice(2)}` : scope;
    });
  }
}

/** The first resource of a path, below the operator: `oauth-clients` in that of a client and in that of its secrets. */
function resourceIn(path: string): string {
  const names = path.split('/').filter((segment) => segment !== '' && !segment.startsWith(':'));
  const [, , first = '', second] = names;
  return first === 'operators' && second !== undefined ? second : first;
}

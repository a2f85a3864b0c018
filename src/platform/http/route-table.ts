import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';
import type { SharedSecret } from '../auth/access.js';
import { RouteTree } from './service-adapter.js';

interface KnownRoute {
  readonly method: string;
  /** In the router's notation, e.g. `/v1/admin/trips/:envelopeId`. */
  readonly path: string;
  readonly isPublic: boolean;
  /** The setting with the bearer token of a public route; null: it needs none. */
  readonly sharedSecret: SharedSecret | null;
}

/** The template of the route that serves the request, such as `/v1/admin/trips/:envelopeId`; null if none was found. */
export function routeTemplateOf({ route }: Pick<Request, 'route'>): string | null {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : null;
}

/** The existing routes, collected at boot, for code that runs before or without the router. */
@Injectable()
export class RouteTable {
  private readonly tree = new RouteTree<KnownRoute>();
  /** Matches paths that only Express reads. */
  private readonly patterns: { route: KnownRoute; pattern: RegExp }[] = [];

  add(route: KnownRoute): void {
    this.tree.add(route.method, route.path, route);
    this.patterns.push({ route, pattern: pathToRegexp(route.path).regexp });
  }

  /** The methods of every route that matches the path, sorted; none if the path is unknown. For 405 and `Allow`. */
  methodsOf(path: string): string[] {
    const methods = new Set(
      RouteTree.reads(path) ? this.tree.methodsOf(path) : this.matching(path).map(({ method }) => method),
    );
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }

  /** Who may call the route of this method and path; null if there is none. */
  accessOf(method: string, path: string): { isPublic: boolean; sharedSecret: SharedSecret | null } | null {
    const matching = RouteTree.reads(path)
      ? [this.tree.find(method, path)?.target ?? []].flat()
      : this.matching(path).filter((route) => route.method === method);
    if (matching.length === 0) return null;
    const sharedSecret = matching.find((route) => route.sharedSecret !== null)?.sharedSecret ?? null;
    return { isPublic: matching.every(({ isPublic }) => isPublic), sharedSecret };
  }

  private matching(path: string): KnownRoute[] {
    return this.patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route);
  }
}

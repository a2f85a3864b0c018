import { Injectable } from '@nestjs/common';
import { pathToRegexp } from 'path-to-regexp';

interface KnownRoute {
  readonly method: string;
  /** In the router's notation, e.g. `/v1/admin/trips/:envelopeId`. */
  readonly path: string;
  readonly isPublic: boolean;
}

/** The existing routes, collected at boot, for code that runs before or without the router. */
@Injectable()
export class RouteTable {
  private readonly routes: (KnownRoute & { pattern: RegExp })[] = [];

  add(route: KnownRoute): void {
    this.routes.push({ ...route, pattern: pathToRegexp(route.path).regexp });
  }

  /** The methods of every route that matches the path, sorted; none if the path is unknown. For 405 and `Allow`. */
  methodsOf(path: string): string[] {
    const methods = new Set(this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }

  /** Who may call the route of this method and path; null if there is none. */
  accessOf(method: string, path: string): 'public' | 'guarded' | null {
    const matching = this.routes.filter((route) => route.method === method && route.pattern.test(path));
    if (matching.length === 0) return null;
    return matching.every(({ isPublic }) => isPublic) ? 'public' : 'guarded';
  }
}

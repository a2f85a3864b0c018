import { Injectable } from '@nestjs/common';
import { pathToRegexp } from 'path-to-regexp';

/** The routes that exist, collected at boot: which methods a path knows, for 405 and `Allow`. */
@Injectable()
export class RouteTable {
  private readonly routes: { method: string; pattern: RegExp }[] = [];

  /** `path` in the router's notation, e.g. `/v1/admin/trips/:envelopeId`. */
  add(method: string, path: string): void {
    this.routes.push({ method, pattern: pathToRegexp(path).regexp });
  }

  /** The methods of every route that matches the path, sorted; none where the path is unknown. */
  methodsOf(path: string): string[] {
    const methods = new Set(this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }
}

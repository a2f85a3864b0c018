import type { OpenApiDocument, Operation, PathItem } from './document.js';

export interface Route {
  template: string;
  operation: Operation;
}

/** Finds the documented operation of a request like the router: ignoring case and a trailing slash. */
export class Operations {
  private readonly paths: { template: string; pattern: RegExp; item: PathItem }[];

  constructor(document: OpenApiDocument) {
    this.paths = Object.entries(document.paths)
      .map(([template, item]) => ({ template, pattern: patternOf(template), item }))
      .sort((a, b) => parametersOf(a.template) - parametersOf(b.template));
  }

  find(method: string, path: string): Route | null {
    // HEAD is answered by the route of GET.
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    for (const { template, pattern, item } of this.paths) {
      const operation = item[name];
      if (operation && pattern.test(path)) return { template, operation };
    }
    return null;
  }
}

function patternOf(template: string): RegExp {
  const segments = template.split('/').map((segment) =>
    segment
      .split(/\{[^}]+\}/)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+'),
  );
  return new RegExp(`^${segments.join('/')}/?$`, 'i');
}

/** A path with fewer parameters is the more specific one: `.../sessions/current` before `.../sessions/{id}`. */
function parametersOf(template: string): number {
  return template.split('{').length - 1;
}

import type { Request, RequestHandler, Response } from 'express';

/**
 * Combines several handlers into one. Express's router takes as long to get from one handler to the next as most of the
 * handlers take for their work.
 */
export function chain(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    const from = (index: number): void => {
      const handler = handlers[index];
      if (!handler) return next();
      try {
        void handler(request, response, (error?: unknown) => (error === undefined ? from(index + 1) : next(error)));
      } catch (error) {
        next(error);
      }
    };
    from(0);
  };
}

/** The headers that a handler sets for any request. */
export function headersSetBy(handler: RequestHandler): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const response: unknown = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  void handler({} as Request, response as Response, () => undefined);
  return headers;
}

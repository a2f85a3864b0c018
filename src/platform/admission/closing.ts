import type { ServerResponse } from 'node:http';

/** Resolves when the response has been sent or its connection is closed. */
export function closing(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once('close', resolve);
  });
}

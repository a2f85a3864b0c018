const TIMEOUT_MS = 15_000;

/** Calls a service and prints a line for each call: ok, or FAIL with what came back. Remembers which operations were used. */
export class Conversation {
  passed = 0;
  failed = 0;
  used = new Set();

  constructor(url) {
    this.url = url.replace(/\/+$/, '');
  }

  /**
   * Calls `METHOD /path/{parameter}` and returns the body, parsed where it is JSON. Anything but the expected status is a FAIL and ends the
   * scenario, because what follows stands on it.
   */
  async call(operation, { params = {}, query = '', body, form, token, headers = {}, expect = 200 } = {}) {
    const [method, template] = operation.split(' ');
    const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]));
    const started = performance.now();
    const response = await fetch(`${this.url}${path}${query}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: form ? new URLSearchParams(form) : body === undefined ? undefined : JSON.stringify(body),
    });
    // Of a live stream the head is enough here; it has no end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const text = isStream ? '' : await response.text();
    if (isStream) await response.body.cancel();
    const milliseconds = Math.round(performance.now() - started);
    const hasRequestId = response.headers.has('x-request-id');
    this.used.add(operation);
    const ok = response.status === expect && hasRequestId;
    this.report(
      ok,
      `${operation} ${response.status} ${milliseconds} ms${ok ? '' : ` (expected ${expect}) ${text.slice(0, 500)}`}`,
    );
    if (!ok) throw new Error(`${operation} did not answer as expected`);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { body: isJson && text !== '' ? JSON.parse(text) : text, headers: response.headers };
  }

  /** A line about something that was compared. */
  same(title, actual, expected) {
    const ok = JSON.stringify(actual) === JSON.stringify(expected);
    this.report(ok, ok ? title : `${title}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }

  report(ok, line) {
    if (ok) this.passed += 1;
    else this.failed += 1;
    process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${line}\n`);
  }

  /** A FAIL for each operation of the API document that no scenario used. */
  async reportUncovered() {
    const document = await (await fetch(`${this.url}/openapi.json`)).json();
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const uncovered = operations.filter((operation) => !this.used.has(operation));
    for (const operation of uncovered) this.report(false, `${operation} was not tried`);
    this.report(
      operations.length > 0 && uncovered.length === 0,
      `${operations.length - uncovered.length} of ${operations.length} operations tried`,
    );
  }
}

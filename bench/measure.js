import autocannon from 'autocannon';

const CONNECTIONS = 16;
const WARM_UP_SECONDS = 1;

/**
 * Requests per second and latencies at 16 connections, after a warm-up. `next()` returns the next request; `onResponse` gets the
 * status and the body of each measured response.
 */
export async function measure(url, next, { seconds, onResponse }) {
  await run(url, next, { seconds: WARM_UP_SECONDS });
  const result = await run(url, next, { seconds, onResponse });
  return {
    rate: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}

function run(url, next, { seconds, onResponse }) {
  const setupRequest = (request) => Object.assign(request, next());
  return autocannon({ url, connections: CONNECTIONS, duration: seconds, requests: [{ setupRequest, onResponse }] });
}

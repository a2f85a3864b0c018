// @ts-check
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
/** On a busy machine this process, its proxy, the service and the database are each late during one request. */
const TIMES = 5;

/**
 * Measures the event loop delay of this process, which does little itself. Time limits allow for it, because it comes from the
 * machine and not from the service. On an idle machine it is a few milliseconds.
 * @returns {() => number} stops, and returns the milliseconds
 */
export function watchLag() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    delay.disable();
    return Math.max(0, delay.max / 1e6 - RESOLUTION_MS) * TIMES;
  };
}

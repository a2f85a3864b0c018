// @ts-check
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
/** Within one request this process, the proxy in it, the service and its database are late in turn when the machine is busy. */
const TIMES = 5;

/**
 * Watches how late this process is, which does little itself: what time limits must allow for, since it is no fault of the
 * service. On a machine that does nothing else it is a few milliseconds.
 * @returns {() => number} ends it; tells how many milliseconds that is
 */
export function watchLag() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    delay.disable();
    return Math.max(0, delay.max / 1e6 - RESOLUTION_MS) * TIMES;
  };
}

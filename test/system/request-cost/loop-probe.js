const INTERVAL_MS = 1;
const COLLECTIONS = 5;
const BETWEEN_COLLECTIONS_MS = 20;

/**
 * Watches the event loop of this process and answers its parent over IPC:
 * - `reading`: the longest time since the last reading in which no timer could run, and the CPU time used since then;
 * - `memory`: the memory in use after a garbage collection (needs `--expose-gc`).
 *
 * `monitorEventLoopDelay` loses the time between a reset and its next tick; this probe loses nothing.
 */
export function answerReadings() {
  let last = performance.now();
  let longest = 0;
  let cpu = process.cpuUsage();
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - INTERVAL_MS);
    last = now;
  };
  setInterval(tick, INTERVAL_MS);

  const read = () => {
    tick();
    const used = process.cpuUsage(cpu);
    process.send({ delayMs: longest, cpuMs: (used.user + used.system) / 1000 });
    longest = 0;
    cpu = process.cpuUsage();
  };
  process.on('message', (question) => {
    if (question === 'memory') void collected().then((figures) => process.send(figures));
    // Two turns later everything that the last request left behind in this turn has been counted.
    if (question === 'reading') setImmediate(() => setImmediate(read));
  });
  process.on('disconnect', () => process.exit(0));
}

async function collected() {
  for (let round = 0; round < COLLECTIONS; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_COLLECTIONS_MS));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapUsed, external, rss };
}

import { parentPort, workerData } from 'node:worker_threads';

/*
 * A worker thread that returns the result of recheck for each pattern, because recheck takes four times as long inside
 * Jest's sandbox. Pure JavaScript on every machine: no Java and no platform binary.
 */
process.env.RECHECK_SYNC_BACKEND = 'pure';
const { checkSync } = await import('recheck');

parentPort.postMessage(workerData.map(attackOn));

/** An attack string, or null for a safe pattern. A pattern that cannot be analysed counts as vulnerable. */
function attackOn({ source, flags }) {
  const relaxed = withoutCounts(source);
  if (relaxed !== source && checkSync(relaxed, flags, { timeout: 5_000 }).status === 'safe') return null;
  const result = checkSync(source, flags, { timeout: 60_000 });
  if (result.status === 'vulnerable') return result.attack.pattern;
  return result.status === 'unknown' ? `not decided (${result.error.kind})` : null;
}

/**
 * Repetitions without an upper bound match more and are analysed in milliseconds: if they are safe, so is the pattern.
 */
function withoutCounts(source) {
  return source.replace(/\{\d+(?:,\d{0,6})?\}/g, (count) => (count.startsWith('{0') ? '*' : '+'));
}

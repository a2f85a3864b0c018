// @ts-check

const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const LINE_EVERY_MS = 5_000;

/** @typedef {{ add: (amount: number) => void, end: () => void }} Progress */

/**
 * Shows the progress of long work on standard error: a bar on a terminal, otherwise a line every five seconds and one at the
 * end.
 * @param {string} name
 * @param {number} total
 * @param {(amount: number) => string} [format] default: bytes as MB
 * @returns {Progress}
 */
export function progressOf(name, total, format = megabytes) {
  const begin = performance.now();
  const bar = process.stderr.isTTY;
  let [done, drawnAt] = [0, begin];
  const state = () => `${name} ${format(Math.min(done, total))} of ${format(total)}`;
  const draw = () => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
    process.stderr.write(bar ? `\r\u001b[K[${filled}] ${Math.floor(share * 100)} % ${state()}` : `${state()}\n`);
  };
  return {
    add: (amount) => {
      done += amount;
      if (performance.now() - drawnAt < (bar ? REDRAW_MS : LINE_EVERY_MS)) return;
      drawnAt = performance.now();
      draw();
    },
    end: () => {
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      process.stderr.write(`${bar ? '\r\u001b[K' : ''}${name} ${format(done)} in ${seconds} s\n`);
    },
  };
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

import { answerReadings } from './loop-probe.js';

const MEMBERS = 8_000;
const ROUNDS = 15;
const text = JSON.stringify(Object.fromEntries(Array.from({ length: MEMBERS }, (_, n) => [`n${n}`, 'v'.repeat(10)])));

/** Watches its own event loop, whose delays are caused by the machine, and measures on request how fast the machine is. */
answerReadings();
process.on('message', (question) => {
  if (question === 'work') process.send({ workMs: medianOf(Array.from({ length: ROUNDS }, work)) });
});
process.send({ ready: true });

/** The CPU time of a fixed amount of work of the kind that a request causes. */
function work() {
  const before = process.cpuUsage();
  const read = Object.keys(JSON.parse(text)).filter((name) => /^n\d+$/.test(name));
  if (read.length !== MEMBERS) throw new Error('The work was not done');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function medianOf(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

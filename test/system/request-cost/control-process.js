import { answerReadings } from './loop-probe.js';

/** Only watches its own event loop: its delays are caused by the machine. */
answerReadings();
process.send({ ready: true });

import { answerReadings } from './loop-probe.js';

/** Does nothing but watch its own event loop: whatever it is late by is the machine's doing. */
answerReadings();
process.send({ ready: true });

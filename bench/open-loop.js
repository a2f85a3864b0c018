import { once } from 'node:events';
import { connect } from 'node:net';

/*
 * A separate process that sends requests at fixed times, whether or not the earlier ones have been answered, as many
 * independent clients do. A closed loop, in which each client waits for its response, slows down with the service and hides
 * an overload. Orders of the parent over IPC: {url, head, rate, seconds} or {url, head, clients, seconds}.
 */
const MAX_CONNECTIONS = 4_000;
/** Opened in small groups before the first request: the cost of new connections is not measured. */
const CONNECTIONS = 1_500;
const GIVE_UP_MS = 5_000;

process.on('message', (order) => {
  const run = order.rate ? openLoop(order) : closedLoop(order);
  run.then((report) => process.send(report));
});

/** `rate` requests per second, evenly spread; a request without a response after five seconds counts as lost. */
async function openLoop({ url, head, rate, seconds }) {
  const crowd = new Clients(url, head);
  await crowd.connect();
  const began = performance.now();
  await new Promise((resolve) => {
    let sent = 0;
    const timer = setInterval(() => {
      const elapsed = performance.now() - began;
      const due = Math.floor((Math.min(elapsed, seconds * 1000) * rate) / 1000);
      // The time counts from when it was due, so that a late generator does not improve the result.
      for (; sent < due; sent += 1) crowd.send(began + (sent * 1000) / rate);
      if (elapsed < seconds * 1000) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  return crowd.report(seconds);
}

/** N clients that each send the next request after their response. */
async function closedLoop({ url, head, clients, seconds }) {
  const crowd = new Clients(url, head);
  const until = performance.now() + seconds * 1000;
  const client = async () => {
    while (performance.now() < until) await new Promise((resolve) => crowd.send(performance.now(), resolve));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return crowd.report(seconds);
}

class Clients {
  constructor(url, head) {
    this.url = new URL(url);
    this.request = Buffer.from(head);
    this.idle = [];
    this.sockets = new Set();
    this.answers = [];
    this.lost = 0;
    this.pending = 0;
  }

  async connect() {
    while (this.idle.length < CONNECTIONS) {
      const sockets = Array.from({ length: 50 }, () => this.open());
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      this.idle.push(...sockets);
    }
  }

  /** Uses one connection until the response is complete; connections are used again. */
  send(due, done = () => undefined) {
    const socket = this.idle.pop() ?? this.open();
    this.pending += 1;
    if (socket === null) return this.end(null, { due, status: 0, done });
    socket.exchange = { due, done, received: [], length: 0, whole: -1, status: 0 };
    socket.write(this.request);
  }

  async report(seconds) {
    const until = performance.now() + GIVE_UP_MS;
    while (this.pending > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const socket of this.sockets) socket.destroy();
    const times = (wanted) => this.answers.filter(({ status }) => wanted(status)).map(({ ms }) => ms);
    const done = times((status) => status >= 200 && status < 300);
    const rejected = times((status) => status === 503 || status === 429);
    return {
      sent: this.answers.length + this.lost + this.pending,
      goodput: done.length / seconds,
      rejections: rejected.length / seconds,
      odd: this.answers.length - done.length - rejected.length,
      lost: this.lost + this.pending,
      done: quantiles(done),
      rejected: quantiles(rejected),
    };
  }

  open() {
    if (this.sockets.size >= MAX_CONNECTIONS) return null;
    const socket = connect({ port: Number(this.url.port), host: this.url.hostname, noDelay: true });
    this.sockets.add(socket);
    socket.on('data', (bytes) => this.take(socket, bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.sockets.delete(socket);
      if (socket.exchange) this.end(null, { ...socket.exchange, status: 0 });
      else this.idle = this.idle.filter((other) => other !== socket);
    });
    return socket;
  }

  take(socket, bytes) {
    const { exchange } = socket;
    if (!exchange) return;
    exchange.length += bytes.length;
    if (exchange.whole === -1) {
      exchange.received.push(bytes);
      const text = Buffer.concat(exchange.received).toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      exchange.status = Number(text.slice(9, 12));
      exchange.whole = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
    }
    if (exchange.length < exchange.whole) return;
    socket.exchange = null;
    this.end(socket, exchange);
  }

  end(socket, { due, status, done }) {
    this.pending -= 1;
    if (status === 0) this.lost += 1;
    else this.answers.push({ status, ms: performance.now() - due });
    if (socket) this.idle.push(socket);
    done();
  }
}

function quantiles(values) {
  const sorted = values.sort((a, b) => a - b);
  const at = (share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
  return { p50: at(0.5), p99: at(0.99) };
}

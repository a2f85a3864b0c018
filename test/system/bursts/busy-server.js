import { createServer } from 'node:http';

/** The control of the burst test responds to each request after a millisecond of work, and does not distinguish callers. */
const server = createServer((request, response) => {
  const end = performance.now() + 1;
  while (performance.now() < end);
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
});
server.listen(0, '127.0.0.1', () => process.send({ ready: true, url: `http://127.0.0.1:${server.address().port}` }));

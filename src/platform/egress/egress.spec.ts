import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPublicAddress } from './addresses.js';
import { Egress, type OutgoingRequest } from './egress.js';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function portOf(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A receiver on loopback; returns its port. */
async function receiver(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return portOf(server);
}

/** A receiver that answers with these bytes and whatever the function adds. */
async function rawReceiver(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      answer(socket);
    });
  });
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return portOf(server);
}

const egressTo = (egressAllow: string[], addresses: string[] = [], production = false) =>
  new Egress({ egressAllow, production }, () => Promise.resolve(addresses));

const requestOf = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  timeoutMs: 2_000,
  maxAnswerBytes: 1_000,
  ...more,
});

const faultOf = async (egress: Egress, request: OutgoingRequest) =>
  egress.send(request).then(
    ({ status }) => status,
    (error: unknown) => (error as { fault?: unknown }).fault,
  );

describe('an address', () => {
  it.each([
    ['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['169.254.169.254', '100.64.0.1', '100.127.255.255', '192.0.0.170', '198.18.0.1', '224.0.0.1', '240.0.0.1'],
    ['255.255.255.255', '192.0.2.1', '198.51.100.7', '203.0.113.9', '168.63.129.16'],
    ['::', '::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'ff02::1', 'fec0::1', '2001:db8::1'],
    ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '3fff::1'],
    ['', 'localhost', '1.2.3', '01.2.3.4', 'not an address'],
  ])('%s and others like it are not public', (...addresses) => {
    expect(addresses.filter((address) => isPublicAddress(address))).toEqual([]);
  });

  it.each(['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.0', '172.32.0.1', '223.255.255.255', '2606:4700::1111'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it('an address of a private network is not public in any form in which IPv6 contains one of IPv4', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('10', '127', '0', '224', '240'), byte, byte, byte, (first, ...rest) => {
        const bytes = [Number(first), ...rest];
        const hex = bytes.map((value) => value.toString(16).padStart(2, '0')).join('');
        const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
        const forms = [bytes.join('.'), `::ffff:${bytes.join('.')}`, `::ffff:${groups}`, `64:ff9b::${groups}`];
        expect([...forms, `2002:${groups}::1`, `::${groups}`].filter((form) => isPublicAddress(form))).toEqual([]);
      }),
    );
  });
});

describe('a request', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1./',
  ])('to %s is not sent', async (url) => {
    expect(await faultOf(egressTo([]), requestOf(url))).toBe('address_not_allowed');
  });

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://a:b@example.com/',
    'https://a@example.com/',
    'example.com',
    '',
  ])('to %j is not sent, because it is no address of a receiver', async (url) => {
    expect(await faultOf(egressTo([], ['8.8.8.8']), requestOf(url))).toBe('invalid_url');
  });

  it('in production goes to https only', () => {
    const egress = egressTo(['127.0.0.1'], [], true);
    expect(egress.faultOf('http://127.0.0.1/')).toBe('invalid_url');
    expect(egress.faultOf('https://127.0.0.1/')).toBeNull();
    expect(egress.faultOf(`https://example.com/${'x'.repeat(2_048)}`)).toBe('invalid_url');
  });

  it('is not sent if one of the addresses of the name is not public', async () => {
    const request = requestOf('http://hooks.example.com/');
    expect(await faultOf(egressTo([], ['8.8.8.8', '127.0.0.1']), request)).toBe('address_not_allowed');
    expect(await faultOf(egressTo([], ['::ffff:127.0.0.1']), request)).toBe('address_not_allowed');
    expect(await faultOf(egressTo([], []), request)).toBe('name_not_found');
    expect(await faultOf(new Egress({ egressAllow: [], production: false }), requestOf('http://localhost/'))).toBe(
      'address_not_allowed',
    );
  });

  it.each([
    [[], 'http://8.8.8.8/', null],
    [[], 'https://8.8.8.8:443/', null],
    [[], 'http://8.8.8.8:8080/', 'address_not_allowed'],
    [[], 'https://1.1.1.1/', 'address_not_allowed'],
    [[], 'https://[2606:4700::1111]/', 'address_not_allowed'],
    [['1.1.1.1'], 'https://1.1.1.1:9000/', null],
    [['8.8.8.8:8080'], 'http://8.8.8.8:8080/', null],
    [['8.8.8.8:8080'], 'http://8.8.8.8:8081/', 'address_not_allowed'],
    [['[::1]:8443'], 'https://[::1]:8443/', null],
    [['[::1]:8443'], 'https://[::1]/', 'address_not_allowed'],
  ])('with the entries %j, on a machine with two public addresses, goes to %s: %s', (entries, url, fault) => {
    const own = () => ['1.1.1.1', '2606:4700::1111'];
    expect(new Egress({ egressAllow: entries, production: false }, undefined, own).faultOf(url)).toBe(fault);
  });

  it('to a name goes to the standard ports only, unless an entry names the port', async () => {
    const request = requestOf('http://hooks.example.com:1/');
    expect(await faultOf(egressTo([], ['8.8.8.8']), request)).toBe('address_not_allowed');
    const local = ['127.0.0.1'];
    expect(await faultOf(egressTo(['hooks.example.com:2'], local), request)).toBe('address_not_allowed');
    expect(await faultOf(egressTo(['hooks.example.com:1'], local), request)).toBe('connection_failed');
  });

  it('resolves a name once, and connects to the address that was checked with the name in its header', async () => {
    const seen: (string | undefined)[] = [];
    const port = await receiver((request, response) => {
      seen.push(request.headers.host, request.headers['content-length']);
      response.end('{"ok":true}');
    });
    let resolved = 0;
    const egress = new Egress({ egressAllow: ['hooks.example.com'], production: false }, () => {
      resolved += 1;
      return Promise.resolve(resolved === 1 ? ['127.0.0.1'] : ['10.0.0.1']);
    });
    const answer = await egress.send(requestOf(`http://Hooks.Example.com:${port}/a`));
    expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status: 200, body: '{"ok":true}' });
    expect({ seen, resolved }).toEqual({ seen: [`hooks.example.com:${port}`, '7'], resolved: 1 });
  });

  it('does not follow a redirect', async () => {
    let requests = 0;
    const port = await receiver((_, response) => {
      requests += 1;
      response.writeHead(307, { location: `http://169.254.169.254/latest/meta-data` }).end();
    });
    expect(await faultOf(egressTo(['127.0.0.0/8']), requestOf(`http://127.0.0.1:${port}/`))).toBe(307);
    expect(requests).toBe(1);
  });

  it.each<[string, string, (socket: Socket) => void]>([
    ['timeout', 'never answers', () => undefined],
    [
      'timeout',
      'sends one byte of a header at a time',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => {
          clearInterval(timer);
        });
      },
    ],
    ['timeout', 'never ends its body', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    [
      'answer_too_large',
      'sends an endless body',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const timer = setInterval(() => socket.write('x'.repeat(500)), 5);
        socket.on('close', () => {
          clearInterval(timer);
        });
      },
    ],
    [
      'invalid_answer',
      'sends huge headers',
      (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nX-Huge: ${'x'.repeat(100_000)}\r\n\r\n`);
      },
    ],
    [
      'invalid_answer',
      'switches to another protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    ],
    [
      'answer_too_large',
      'repeats early hints',
      (socket) => {
        const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50);
        const timer = setInterval(() => socket.write(hints), 1);
        socket.on('close', () => {
          clearInterval(timer);
        });
      },
    ],
    ['invalid_answer', 'speaks another protocol', (socket) => socket.end('220 mail.example.com ESMTP\r\n')],
    ['connection_failed', 'closes the connection', (socket) => socket.destroy()],
    [
      'connection_failed',
      'closes the connection within the body',
      (socket) => {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
      },
    ],
  ])('fails with %s if the receiver %s', async (fault, _, answer) => {
    const port = await rawReceiver(answer);
    const request = requestOf(`http://127.0.0.1:${port}/`, { timeoutMs: 300 });
    expect(await faultOf(egressTo(['127.0.0.1']), request)).toBe(fault);
  });

  it.each<[string, number, (socket: Socket) => void]>([
    ['never ends', 200, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['is large', 500, (socket) => socket.write(`HTTP/1.1 500 Oops\r\n\r\n${'x'.repeat(1_000_000)}`)],
  ])(
    'has its status at the headers if the body is not read and %s, and closes the connection',
    async (_, status, answer) => {
      let closed = (): void => undefined;
      const isClosed = new Promise<void>((resolve) => {
        closed = resolve;
      });
      const port = await rawReceiver((socket) => {
        socket.on('close', closed);
        answer(socket);
      });
      const request = requestOf(`http://127.0.0.1:${port}/`, { maxAnswerBytes: null });
      expect(await faultOf(egressTo(['127.0.0.1']), request)).toBe(status);
      await isClosed;
    },
  );

  it('fails at its time-out if the name server does not answer, and if TLS fails', async () => {
    const hanging = new Egress({ egressAllow: [], production: false }, () => new Promise(() => undefined));
    expect(await faultOf(hanging, requestOf('http://hooks.example.com/', { timeoutMs: 50 }))).toBe('timeout');
    const port = await rawReceiver((socket) => socket.end('plain text'));
    expect(await faultOf(egressTo(['127.0.0.1']), requestOf(`https://127.0.0.1:${port}/`))).toBe('tls_failed');
    expect(await faultOf(egressTo(['127.0.0.1']), requestOf('http://127.0.0.1:1/'))).toBe('connection_failed');
  });
});

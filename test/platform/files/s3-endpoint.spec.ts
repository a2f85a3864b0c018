import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createLog } from '../../../src/platform/observability/log.js';
import { S3Files } from '../../../src/platform/files/s3-files.js';

it('files go to AWS and not to an endpoint that the variables of the AWS SDK name', async () => {
  const contacted: string[] = [];
  const server = createServer((socket) => {
    contacted.push('a connection');
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'];
  for (const name of names) process.env[name] = endpoint;
  try {
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
    // No such region exists, so its name leads nowhere.
    const access = {
      endpoint: null,
      region: 'nowhere-1',
      pathStyle: false,
      credentials,
      encryption: null,
      kmsKeyId: null,
    };
    const files = await S3Files.connect({ bucket: 'files', prefix: '' }, access, createLog('silent'));
    await expect(files.put(Buffer.from('text'))).rejects.toThrow();
    await files.close();
    expect(contacted).toEqual([]);
  } finally {
    for (const name of names) Reflect.deleteProperty(process.env, name);
    server.close();
  }
});

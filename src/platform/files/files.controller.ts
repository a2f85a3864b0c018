import { Controller, Get, type PipeTransform, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Public } from '../auth/access.js';
import { notFound } from '../errors/app-error.js';
import { setResponseHeader } from '../http/response-headers.js';
import { PathText } from '../http/path-id.js';
import { FileLinks } from './file-links.js';
import { FileStore } from './file-store.js';

const TOKEN = /^[A-Za-z0-9_-]{20,900}\.[A-Za-z0-9_-]{22}$/;
/** The form of a token; a real one is signed and known only from the response that returned it. */
const EXAMPLE = `${Buffer.from('["<sha256>","INV-2027-0001.pdf","application/pdf",0]').toString('base64url')}.${'A'.repeat(22)}`;
const TYPES = ['application/pdf', 'text/html'];
const BINARY = { type: 'string', format: 'binary', description: 'The whole file; the example shows how it begins.' };

/** A malformed token is rejected like an expired one. */
class TokenPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!TOKEN.test(value)) throw notFound();
    return value;
  }
}

/** Files that are downloaded with a signed link. */
@ApiTags('Storefront')
@Controller('v1/files')
export class FilesController {
  constructor(
    private readonly links: FileLinks,
    private readonly files: FileStore,
  ) {}

  /**
   * Download a file by signed link
   *
   * @remarks Returns the file as an attachment. The token in the path is the only credential needed; it is part of a
   * link that another response returned and is valid for five minutes, but not longer than the session or API token that
   * asked for it. An invalid or expired token, or a deleted file,
   * is not found (404).
   */
  @Get(':token')
  @Public()
  @ApiProduces(...TYPES)
  @ApiOkResponse({ description: 'The bytes of the file, in the format that was ordered', schema: BINARY })
  async download(
    @PathText(
      'token',
      { description: 'Token from the signed link of the file.', maxLength: 1000, pattern: TOKEN, example: EXAMPLE },
      new TokenPipe(),
    )
    token: string,
  ): Promise<StreamableFile> {
    const linked = await this.links.open(token);
    const file = linked && (await this.files.open(linked.key));
    if (!linked || !file) throw notFound();
    setResponseHeader('Cache-Control', 'private, no-store');
    setResponseHeader('Referrer-Policy', 'no-referrer');
    return new StreamableFile(file.stream, {
      type: linked.type,
      // Never displayed in the browser under this origin, because the content is not trusted.
      disposition: `attachment; filename="${linked.name}"`,
      length: file.sizeBytes,
    });
  }
}

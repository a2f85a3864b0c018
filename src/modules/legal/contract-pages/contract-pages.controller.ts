import { Controller, Get, Header, type PipeTransform, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/auth/access.js';
import { PathText } from '../../../platform/http/path-id.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { ErrorPages, Refuses } from '../../../platform/http/route-errors.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { PAGE_LANGUAGES, pageLanguageOf } from './contract-page.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { CONTRACT_PAGES_PATH, ContractPagesService } from './contract-pages.service.js';

const PAGE = { type: 'string', description: 'A page that loads no other resource.' };
/** An example token. Real ones are random and only the recipient of a mail knows them. */
const EXAMPLE = 'Example'.padEnd(43, '0');

/** A malformed token gets the same page as an unknown one. */
class AnyToken implements PipeTransform<string, string> {
  transform(value: string): string {
    return value;
  }
}

@ApiGroup('Storefront')
@Controller(CONTRACT_PAGES_PATH)
export class ContractPagesController {
  constructor(private readonly pages: ContractPagesService) {}

  /**
   * Show the page of a contract
   *
   * @remarks Links in mails open this page. It shows the frozen text with the number of the contract and the company, in the
   * language of the contract. The token is the only credential needed. An unknown token gets a page with status 404, as does a
   * contract whose public access was withdrawn or has ended; a void contract gets one with 410. Each access is logged without
   * the client address, and requests are rate limited.
   */
  @ApiOperation({ operationId: 'contractPages_get' })
  @Get(':token')
  @Public()
  @RateLimit('public-contract')
  @Refuses({ 410: ['contract_gone'] })
  @ErrorPages(404, 410)
  @Header('Cache-Control', 'no-store')
  @Header('Referrer-Policy', 'no-referrer')
  @Header('X-Robots-Tag', 'noindex')
  @ApiProduces('text/html')
  @ApiOkResponse({ description: 'The page', schema: PAGE })
  async show(
    @PathText(
      'token',
      {
        description:
          'Token of the page. Copy it from the link in a mail of `POST /v1/admin/legal/contracts/{id}/dispatch`.',
        maxLength: 43,
        example: EXAMPLE,
      },
      new AnyToken(),
    )
    token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const language = pageLanguageOf(request.acceptsLanguages(...PAGE_LANGUAGES) || 'en');
    const { status, html, nonce } = await this.pages.open(token, language);
    response.status(status).type('html');
    setResponseHeader('Content-Security-Policy', policyOf(nonce));
    return html;
  }
}

function policyOf(nonce: string): string {
  return `default-src 'none';style-src 'nonce-${nonce}';base-uri 'none';form-action 'none';frame-ancestors 'none'`;
}

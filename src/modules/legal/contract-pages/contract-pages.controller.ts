import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/auth/access.js';
import { PathText } from '../../../platform/http/path-id.js';
import { answerPage, AnswersPages, AnyToken } from '../../../platform/http/html-page.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { PAGE_LANGUAGES, pageLanguageOf } from './contract-page.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { CONTRACT_PAGES_PATH, ContractPagesService } from './contract-pages.service.js';
import { signatureFormIn } from './signature-form.js';

/** An example token. Real ones are random and only the recipient of a mail knows them. */
const EXAMPLE = 'Example'.padEnd(43, '0');

const FORM = {
  type: 'object',
  required: ['name', 'accepted', 'bodySha256'],
  description: 'The form of the page; other fields are ignored.',
  additionalProperties: true,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200, description: 'Full name of the signer.', example: 'Ana Pop' },
    accepted: { type: 'string', enum: ['yes'], description: 'The ticked checkbox.', example: 'yes' },
    bodySha256: {
      type: 'string',
      minLength: 64,
      maxLength: 64,
      description: 'SHA-256 of the text that the page showed.',
      example: '7fcc3f0f72f841f7d8d5a56f11c85e3646189693e848362357265b9657014961',
    },
  },
};
const TOKEN_PARAMETER = {
  description: 'Token of the page. Copy it from the link in a mail of `POST /v1/admin/legal/contracts/{id}/dispatch`.',
  maxLength: 43,
  example: EXAMPLE,
};

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
  @AnswersPages(404, 410)
  async show(
    @PathText('token', TOKEN_PARAMETER, new AnyToken()) token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return answerPage(response, await this.pages.open(token, languageOf(request)));
  }

  /**
   * Sign a contract on its page
   *
   * @remarks The form of the page sends this request. The other party types its name and declares that it has read the contract and
   * agrees; the contract becomes `signed`. What was declared, when, from which address and with which browser is kept as evidence,
   * with the digest of the text. A contract is signed once: repeating the request shows the page and changes nothing. One that can no
   * longer be signed has a page with status 409; unknown tokens and void contracts have the same pages as above.
   */
  @ApiOperation({ operationId: 'contractPages_sign' })
  @Post(':token')
  @HttpCode(200)
  @Public()
  @RateLimit('public-contract')
  @Refuses({ 409: ['contract_expired'], 410: ['contract_gone'] })
  @AnswersPages(404, 409, 410)
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody({ required: true, schema: FORM })
  async sign(
    @PathText('token', TOKEN_PARAMETER, new AnyToken()) token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const readForm = () => signatureFormIn(request.body, request.headers['content-type']);
    return answerPage(response, await this.pages.sign(token, readForm, languageOf(request)));
  }
}

function languageOf(request: Request) {
  return pageLanguageOf(request.acceptsLanguages(...PAGE_LANGUAGES) || 'en');
}

import type { PipeTransform } from '@nestjs/common';
import { invalidField } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { CHANNEL_NAME } from '../../../platform/ids/id.js';

const DESCRIPTION =
  'Name of the channel: 1 to 164 letters, digits and characters of `_-=@,.;:`; any other name is 400.';

class ChannelNamePipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (CHANNEL_NAME.test(value)) return value;
    throw invalidField('channel', 'must be 1 to 164 letters, digits or _-=@,.;:', 'wrong_format');
  }
}

/** Reads the channel from the path. Every well-formed name is a channel; any other text is 400. */
export function PathChannel(): ParameterDecorator {
  const rule = { description: DESCRIPTION, maxLength: 164, pattern: CHANNEL_NAME, example: 'demo.news' };
  return PathText('channel', rule, new ChannelNamePipe());
}

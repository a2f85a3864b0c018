import { choice, flag, optionalText, fileStore } from './settings.js';

/** Settings of the store of rendered documents and logos: a folder or an S3-compatible store. */
export const fileSettings = {
  filesDir: optionalText({
    name: 'FILES_DIR',
    purpose: 'Folder of files (rendered documents, logos); absent: `files` in DATA_DIR',
    example: '/var/lib/travel/files',
    expected: 'a folder',
    form: /^[^\0]{1,500}$/,
  }),
  filesUrl: fileStore({
    name: 'FILES_URL',
    purpose:
      'Where files are stored: a bucket of an S3-compatible store, with a prefix; `local` or absent: in FILES_DIR',
    example: 's3://travel-files/production',
  }),
  filesFallback: fileStore({
    name: 'FILES_FALLBACK',
    purpose:
      'A second store, from which files are read that FILES_URL does not have, while `files move` copies them; `local` is FILES_DIR. Absent: none',
    example: 'local',
  }),
  filesS3Endpoint: optionalText({
    name: 'FILES_S3_ENDPOINT',
    purpose: 'Address of the S3-compatible store, https in production; absent: AWS',
    example: 'https://objects.example.com',
    isPlaceholder: true,
    expected: 'an http or https origin without a path',
    form: /^https?:\/\/[A-Za-z0-9.\-[\]:]{1,300}\/?$/,
  }),
  filesS3Region: optionalText({
    name: 'FILES_S3_REGION',
    purpose: 'Region of the bucket; absent: us-east-1, if there is an endpoint',
    example: 'eu-central-1',
    expected: 'letters, digits and dashes',
    form: /^[A-Za-z0-9-]{1,63}$/,
  }),
  filesS3PathStyle: flag({
    name: 'FILES_S3_PATH_STYLE',
    purpose: 'The bucket is part of the path instead of the host name, as most stores other than AWS need',
    example: 'true',
    fallback: 'false',
  }),
  filesS3AccessKeyId: optionalText({
    name: 'FILES_S3_ACCESS_KEY_ID',
    purpose:
      'Access key; absent: the default chain of the AWS SDK (variables `AWS_*`, shared files, roles of containers and machines)',
    example: 'travel-files',
    expected: 'text without spaces',
    form: /^[\x21-\x7e]{1,200}$/,
  }),
  filesS3SecretAccessKey: optionalText({
    name: 'FILES_S3_SECRET_ACCESS_KEY',
    purpose: 'Secret of FILES_S3_ACCESS_KEY_ID',
    example: '',
    expected: 'text without spaces',
    form: /^[\x21-\x7e]{1,200}$/,
  }),
  filesS3Encryption: choice(
    {
      name: 'FILES_S3_ENCRYPTION',
      purpose: 'Encryption that the store applies to new files; `default`: that of the bucket',
      example: 'aws:kms',
      fallback: 'default',
    },
    ['default', 'AES256', 'aws:kms'],
  ),
  filesS3KmsKeyId: optionalText({
    name: 'FILES_S3_KMS_KEY_ID',
    purpose: 'Key for FILES_S3_ENCRYPTION=aws:kms; absent: the one that AWS manages',
    example: 'alias/travel-files',
    expected: 'id, ARN or alias of a key',
    form: /^[A-Za-z0-9:/_-]{1,300}$/,
  }),
};

// Where models and recordings come from, as apps name them: paths, file URLs, required assets, samples. It reads no file.
import { Image } from 'react-native';
import { WspError } from './errors.js';
import type { Audio, Source } from './generated/types.js';

/** A recording: a path, file URL or other path of the platform (asset://...) of a WAV file or one that the platform decodes, samples of one channel at 16 kHz, or an Audio, which says all. */
export type AudioInput = string | Float32Array | Int16Array | Audio;

/** A model: a path, file URL or other path of the platform (asset://...), what require() gave for an asset, or a Source. */
export type ModelInput = string | number | Source;

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Files of the app, its raw resources, and what other apps share, the last two on Android: the native part opens them. */
const OPENED = ['asset://', 'resource://', 'content://'];

/** The path that the native part opens, of a path or URL. Errors: unsupported for URLs of other kinds, with the field. */
export function localPath(text: string, field: string): string {
  const scheme = SCHEME.exec(text)?.[0].toLowerCase();
  if (scheme === undefined || OPENED.includes(scheme)) {
    return text;
  }
  if (scheme !== 'file://') {
    throw new WspError('unsupported', `${text} is no file of this device: download or copy it into one first.`, { field });
  }
  const path = text.slice(scheme.length);
  try {
    return decodeURIComponent(path);
  } catch {
    // A path that was never escaped, and holds a percent sign.
    return path;
  }
}

/** The audio that the native part takes. Errors: unsupported. */
export function toAudio(input: AudioInput): Audio {
  if (typeof input === 'string') {
    return { path: localPath(input, 'audio') };
  }
  if (input instanceof Float32Array || input instanceof Int16Array) {
    return { data: input };
  }
  // Whatever else it is, the native part says what is wrong with it.
  return typeof input?.path === 'string' ? { ...input, path: localPath(input.path, 'audio.path') } : input;
}

/** The source that the native part takes. Errors: unsupported, not_found, io. */
export async function toSource(input: ModelInput): Promise<Source> {
  if (typeof input === 'number') {
    return readAsset(input);
  }
  if (typeof input === 'string') {
    return { path: localPath(input, 'source') };
  }
  return typeof input?.path === 'string' ? { ...input, path: localPath(input.path, 'source.path') } : input;
}

/**
 * An asset that was required: its path where the bundler made a file of it, or its bytes from the bundler's server during
 * development. For audio, add what the bytes are: `{ format: 'wav', ...(await readAsset(require('./speech.wav'))) }`.
 * Errors: not_found for a number that is no asset; io if the server does not answer; unsupported for an asset elsewhere.
 */
export async function readAsset(asset: number): Promise<{ path: string } | { data: ArrayBuffer }> {
  const uri = Image.resolveAssetSource(asset)?.uri;
  if (uri === undefined || uri === '') {
    throw new WspError('not_found', `${asset} is no asset: give what require() returned.`, { field: 'asset' });
  }
  if (/^https?:/i.test(uri)) {
    return { data: await download(uri) };
  }
  if (uri.startsWith('/') || /^file:/i.test(uri)) {
    return { path: localPath(uri, 'asset') };
  }
  // In a released app on Android: the name of a raw resource.
  if (/^\w+$/.test(uri)) {
    return { path: `resource://${uri}` };
  }
  throw new WspError('unsupported', `The asset ${uri} lies in no file on this platform: copy it into one first and give its path.`, {
    field: 'asset',
  });
}

function download(url: string): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const refuse = (why: string): void => reject(new WspError('io', `${url}: ${why}.`, { field: 'asset' }));
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.responseType = 'arraybuffer';
    request.onerror = () => refuse('the server of the bundler does not answer');
    request.onload = () => {
      if (request.status === 200 && request.response instanceof ArrayBuffer) {
        resolve(request.response);
      } else {
        refuse(`the server of the bundler answered ${request.status}`);
      }
    };
    request.send();
  });
}

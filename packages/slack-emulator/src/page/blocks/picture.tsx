import type { JsonObject } from '../../json.ts';
import { SafeLink } from '../text/text.tsx';
import { BLOCK } from '../texts.ts';
import { readObject, readString, readText, safeUrl } from './block-kit.ts';

/**
 * An image. Only the workspace's own files are loaded: a picture from elsewhere would tell its server
 * that the message was read, and could carry out what the message knows in its address. Those are links.
 */
export function Picture({ image, large = false }: { image: JsonObject; large?: boolean }) {
  const alt = readString(image.alt_text);
  const file = readString(readObject(image.slack_file).id);
  const title = readText(image.title);
  const url = safeUrl(image.image_url);
  const shown =
    file !== '' ? (
      <img
        src={`/workspace/files/${encodeURIComponent(file)}`}
        alt={alt}
        className={large ? 'picture' : 'icon'}
      />
    ) : url !== null ? (
      <SafeLink url={url} label={BLOCK.image(alt === '' ? url : alt)} />
    ) : (
      <span>{alt}</span>
    );
  return large ? (
    <figure className="block-image">
      {title !== '' && <figcaption>{title}</figcaption>}
      {shown}
    </figure>
  ) : (
    shown
  );
}

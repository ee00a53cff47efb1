import type { JsonObject } from '../../json.ts';
import { PlainText, TextObject } from '../text/text.tsx';
import { BLOCK } from '../texts.ts';
import { readObject, readObjects, readString, readText } from './block-kit.ts';
import { Element } from './element.tsx';
import { InputBlock } from './input-block.tsx';
import { Markdown } from './markdown.tsx';
import { Picture } from './picture.tsx';
import { RichText } from './rich-text.tsx';
import { Table } from './table.tsx';
import { Plan, TaskCard } from './task-card.tsx';

/** A list of blocks, top to bottom. */
export function Blocks({ blocks }: { blocks: readonly unknown[] }) {
  return (
    <div className="blocks">
      {readObjects(blocks).map((block, index) => (
        <Block key={readString(block.block_id) || `${block.type}-${index}`} block={block} />
      ))}
    </div>
  );
}

function Block({ block }: { block: JsonObject }) {
  switch (block.type) {
    case 'header':
      return (
        <h3 className="block-header">
          <PlainText text={readText(block.text)} />
        </h3>
      );
    case 'section':
      return <Section block={block} />;
    case 'context':
      return <Context block={block} />;
    case 'divider':
      return <hr className="block-divider" />;
    case 'actions':
    case 'context_actions':
      return (
        <div className={`block-actions block-${block.type}`}>
          {readObjects(block.elements).map((element, index) => (
            <Element key={readString(element.action_id) || index} block={block} element={element} />
          ))}
        </div>
      );
    case 'input':
      return <InputBlock block={block} />;
    case 'rich_text':
      return <RichText block={block} />;
    case 'markdown':
      return <Markdown source={readString(block.text)} />;
    case 'table':
    case 'data_table':
      return <Table block={block} />;
    case 'image':
      return <Picture image={block} large />;
    case 'alert':
      return (
        <div className={`block-alert block-alert-${readString(block.level) || 'default'}`} role="note">
          <TextObject value={block.text} />
        </div>
      );
    case 'card':
      return <Card block={block} />;
    case 'container':
      return <Container block={block} />;
    case 'carousel':
      return <Blocks blocks={readObjects(block.elements)} />;
    case 'task_card':
      return <TaskCard task={block} />;
    case 'plan':
      return <Plan block={block} />;
    default:
      return <p className="block-unknown">{BLOCK.unknown(readString(block.type))}</p>;
  }
}

function Section({ block }: { block: JsonObject }) {
  const fields = readObjects(block.fields);
  const accessory = readObject(block.accessory);
  return (
    <div className="block-section">
      <div className="block-section-text">
        {block.text !== undefined && <TextObject value={block.text} />}
        {fields.length > 0 && (
          <div className="block-fields">
            {fields.map((field, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: fields have no id and never move by themselves
              <div key={index} className="block-field">
                <TextObject value={field} />
              </div>
            ))}
          </div>
        )}
      </div>
      {accessory.type !== undefined && (
        <div className="block-section-accessory">
          <Element block={block} element={accessory} />
        </div>
      )}
    </div>
  );
}

function Context({ block }: { block: JsonObject }) {
  return (
    <div className="block-context">
      {readObjects(block.elements).map((element, index) =>
        element.type === 'image' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: context elements have no id
          <Picture key={index} image={element} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: context elements have no id
          <TextObject key={index} value={element} />
        ),
      )}
    </div>
  );
}

function Card({ block }: { block: JsonObject }) {
  return (
    <div className="block-card">
      {block.hero_image !== undefined && <Picture image={readObject(block.hero_image)} large />}
      <div className="block-card-title">
        <TextObject value={block.title} />
      </div>
      {block.subtitle !== undefined && (
        <div className="block-context">
          <TextObject value={block.subtitle} />
        </div>
      )}
      {block.body !== undefined && <TextObject value={block.body} />}
      <div className="block-actions">
        {readObjects(block.actions).map((element) => (
          <Element key={readString(element.action_id)} block={block} element={element} />
        ))}
      </div>
    </div>
  );
}

function Container({ block }: { block: JsonObject }) {
  const children = <Blocks blocks={readObjects(block.child_blocks)} />;
  const title = readText(block.title);
  if (block.is_collapsible === true) {
    return (
      <details className="block-container" open={block.default_collapsed !== true}>
        <summary>{title === '' ? BLOCK.details : title}</summary>
        {children}
      </details>
    );
  }
  return (
    <section className="block-container">
      {title !== '' && <h4>{title}</h4>}
      {block.rich_text_title !== undefined && <RichText block={readObject(block.rich_text_title)} />}
      {block.subtitle !== undefined && <TextObject value={block.subtitle} />}
      {children}
    </section>
  );
}

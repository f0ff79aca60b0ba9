// SPDX-License-Identifier: MIT
// fields.js -- controls in which values are edited. What they give is text of JSON, from which nothing is lost: numbers
// and strings that nobody touches come back as they were written.

import { ask, element } from './page.js';

// The texts of the elements of an array, or [key, text] of the members of an object; null if it is neither.
export function parts(text) {
  const inner = text.trim().slice(1, -1), isMap = text.trim()[0] === '{', found = [];
  if (!isMap && text.trim()[0] !== '[') return null;
  for (let i = 0, start = 0, depth = 0, quoted = false, key = null; i <= inner.length; i++) {
    const letter = inner[i];
    if (quoted) {
      if (letter === '\\') i++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '[' || letter === '{') depth++;
    else if (letter === ']' || letter === '}') depth--;
    else if (letter === ':' && isMap && depth === 0 && key === null) {
      key = JSON.parse(inner.slice(start, i));
      start = i + 1;
    } else if (i === inner.length || (letter === ',' && depth === 0)) {
      const value = inner.slice(start, i).trim();
      if (value !== '') found.push(isMap ? [key, value] : value);
      start = i + 1;
      key = null;
    }
  }
  return found;
}

const bare = type => type.replace(/\?$/, '');

// What a collection holds: `list<int?>` gives ['list', 'int?'].
const collection = type => /^(list|set|map)<(.*)>\??$/.exec(type)?.slice(1) ?? null;

const button = (text, action, label) => element('button', { type: 'button', onclick: action, 'aria-label': label }, text);

function textOf(value) {
  const area = element('textarea', { rows: Math.min(12, value.split('\n').length + Math.floor(value.length / 40)), spellcheck: 'false' });
  area.value = value;
  return area;
}

// A control for one value: { node, text() }, where text() is JSON, or '' for nothing. `classes` finds a class by its name.
export function field(property, text, classes) {
  const held = collection(property.type), target = property.target && classes(property.target);
  let made;
  if (held && (!target || !target.embedded)) made = collectionField(held[0], { ...property, type: held[1] }, text, classes);
  else if (target && target.embedded && !held) made = embeddedField(target, text, classes);
  else if (target && !held) made = linkField(property.target, text, classes);
  else if (bare(property.type) === 'bool') made = choiceField(property.type, text);
  else if (bare(property.type) === 'string') made = stringField(property.type, text);
  else made = plainField(text);
  made.control?.setAttribute('aria-label', property.name);
  return made;
}

function plainField(text) {
  const area = textOf(text);
  return { node: area, control: area, text: () => area.value.trim() };
}

function choiceField(type, text) {
  const values = ['true', 'false', ...(type.endsWith('?') ? ['null'] : []), ...(text === '' ? [''] : [])];
  const select = element('select', {}, ...values.map(value => element('option', { value, selected: value === text }, value || '\u2013')));
  return { node: select, control: select, text: () => select.value };
}

// The letters themselves; null is a box to tick.
function stringField(type, text) {
  const before = text === '' || text === 'null' ? '' : JSON.parse(text), area = textOf(before);
  const isNull = element('input', { type: 'checkbox' });
  isNull.checked = text === 'null';
  area.addEventListener('input', () => { isNull.checked = false; });
  const canBeNull = type.endsWith('?');
  const node = canBeNull ? element('div', {}, area, element('label', { class: 'dim' }, isNull, ' null')) : area;
  return { node, control: area, text: () => isNull.checked ? 'null'
    : area.value === before && text !== 'null' ? text : JSON.stringify(area.value) };
}

// The primary key of another object, which can be looked for.
function linkField(target, text, classes) {
  const area = textOf(text);
  const node = element('div', { class: 'pick' }, area,
    button('Pick\u2026', () => pick(classes(target), key => { area.value = key; area.dispatchEvent(new Event('input')); }), `Pick a ${target}`));
  return { node, control: area, text: () => area.value.trim() };
}

function embeddedField(target, text, classes) {
  const node = element('div', { class: 'embedded' });
  let fields = null, first = null;
  const fill = members => {
    const texts = new Map(members);
    fields = target.properties.map(property => [property.name, field(property, texts.get(property.name) ?? '', classes)]);
    node.replaceChildren(element('dl', {}, ...fields.flatMap(([name, made]) => [element('dt', {}, name), element('dd', {}, made.node)])),
      button('Remove', empty, `Remove the ${target.name}`));
    first = now();
  };
  const empty = () => {
    fields = null;
    node.replaceChildren(button('Add', () => fill([]), `Add a ${target.name}`));
  };
  const now = () => fields === null ? 'null'
    : `{${fields.map(([name, made]) => [name, made.text()]).filter(([, value]) => value !== '').map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const isThere = text !== '' && text !== 'null';
  if (isThere) fill(parts(text)); else empty();
  return { node, text: () => fields === null && text === '' ? '' : isThere && now() === first ? text : now() };
}

// A line for each element or entry.
function collectionField(kind, element_, text, classes) {
  const list = element('ol', { class: 'elements' }), lines = new Map(), isMap = kind === 'map';
  const add = (value, key) => {
    const made = field({ ...element_, name: isMap ? 'value' : 'element', single: true }, value, classes);
    const name = isMap ? element('input', { value: key ?? '', 'aria-label': 'key' }) : null;
    const line = element('li', {}, name, made.node, kind === 'list' ? button('\u2191', () => line.previousSibling?.before(line), 'up') : null,
      button('\u00d7', () => { lines.delete(line); line.remove(); }, 'remove'));
    lines.set(line, { made, name });
    list.append(line);
    return line;
  };
  const node = element('div', {}, list, button('+', () => add('').querySelector('textarea, input, select')?.focus(), `add to ${element_.name}`));
  for (const part of parts(text === '' || text === 'null' ? '[]' : text)) isMap ? add(part[1], part[0]) : add(part);
  const now = () => {
    const values = [...list.children].map(line => lines.get(line)).map(({ made, name }) =>
      isMap ? `${JSON.stringify(name.value)}:${made.text()}` : made.text()).filter(value => value !== '');
    return isMap ? `{${values.join(',')}}` : `[${values.join(',')}]`;
  };
  const first = now();
  return { node, control: null, text: () => now() === first ? text : now() };
}

// Objects of a class to choose from, those of a query first; gives the text of a link.
function pick(found, take) {
  const query = element('input', { value: found.query, 'aria-label': 'query', spellcheck: 'false' });
  const list = element('ul', { class: 'choices' }), complaint = element('p', { role: 'alert', class: 'bad' });
  const dialog = element('dialog', { id: 'pick' }, element('h2', {}, `Pick a ${found.name}`), query, complaint, list, button('Cancel', () => dialog.close()));
  const look = async () => {
    try {
      const answer = await ask('/rows.json', { q: query.value, limit: 50 });
      complaint.textContent = answer.class === found.name ? '' : `these are no ${found.name}`;
      list.replaceChildren(...(answer.class !== found.name ? [] : answer.rows).map((row, i) => element('li', {}, element('button', { type: 'button', onclick: () => {
        const key = found.primary && row[found.primary] !== null ? JSON.stringify(row[found.primary]) : `{"$key":${answer.keys[i]}}`;
        take(key);
        dialog.close();
      } }, Object.values(row).slice(0, 4).map(value => typeof value === 'object' ? JSON.stringify(value) : String(value)).join('  ')))));
    } catch (error) { complaint.textContent = error.message; }
  };
  query.addEventListener('change', look);
  query.addEventListener('keydown', event => { if (event.key === 'Enter') { event.preventDefault(); look(); } });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  look();
}

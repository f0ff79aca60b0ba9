// SPDX-License-Identifier: MIT
// fields.js -- controls in which values are edited. What they give is text of JSON, from which nothing is lost: numbers
// and strings that nobody touches come back as they were written.

import { ask, element, shown } from './page.js';

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

// The letters themselves; null is a box to tick. What an area shows has other line ends than the string may have.
function stringField(type, text) {
  const area = textOf(text === '' || text === 'null' ? '' : JSON.parse(text)), shown = area.value;
  const isNull = element('input', { type: 'checkbox' });
  isNull.checked = text === 'null';
  area.addEventListener('input', () => { isNull.checked = false; });
  const canBeNull = type.endsWith('?');
  const node = canBeNull ? element('div', {}, area, element('label', { class: 'dim' }, isNull, ' null')) : area;
  return { node, control: area, text: () => isNull.checked ? 'null'
    : area.value === shown && text !== 'null' ? text : JSON.stringify(area.value) };
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

// The key of an entry, which an input shows in one line: { node, text() }.
function keyField(key) {
  const node = element('input', { value: key, 'aria-label': 'key' }), shown = node.value;
  return { node, text: () => JSON.stringify(node.value === shown ? key : node.value) };
}

// A line for each element or entry. A new string is empty; a new line of another type has no value until somebody says
// one, and cannot be taken for none.
function collectionField(kind, element_, text, classes) {
  const list = element('ol', { class: 'elements' }), lines = new Map(), isMap = kind === 'map';
  const add = (value, key) => {
    const made = field({ ...element_, name: isMap ? 'value' : 'element', single: true }, value, classes);
    const name = isMap ? keyField(key ?? '') : null;
    const line = element('li', {}, name?.node, made.node, kind === 'list' ? button('\u2191', () => line.previousSibling?.before(line), 'up') : null,
      button('\u00d7', () => { lines.delete(line); line.remove(); }, 'remove'));
    lines.set(line, { made, name });
    list.append(line);
    return line;
  };
  const fresh = bare(element_.type) === 'string' ? '""' : '';
  const node = element('div', {}, list, button('+', () => add(fresh).querySelector('textarea, input, select')?.focus(), `add to ${element_.name}`));
  for (const part of parts(text === '' || text === 'null' ? '[]' : text)) isMap ? add(part[1], part[0]) : add(part);
  const now = () => {
    const found = [...list.children].map(line => lines.get(line)), values = found.map(({ made }) => made.text());
    if (values.includes('')) throw new Error(`a line of ${element_.name} is empty: say its value, or remove it`);
    if (!isMap) return `[${values.join(',')}]`;
    const keys = found.map(({ name }) => name.text()), twice = keys.find((key, i) => keys.indexOf(key) !== i);
    if (twice) throw new Error(`${element_.name} has two entries with the key ${twice}: remove one of them`);
    return `{${keys.map((key, i) => `${key}:${values[i]}`).join(',')}}`;
  };
  const first = now();
  return { node, control: null, text: () => now() === first ? text : now() };
}

// Objects of a class to choose from, those of a query first; gives the text of a link.
function pick(found, take) {
  const query = element('input', { value: found.query, 'aria-label': 'query', spellcheck: 'false' });
  const list = element('ul', { class: 'choices' }), complaint = element('p', { role: 'alert', class: 'bad' });
  const dialog = element('dialog', { id: 'pick' }, element('h2', {}, `Pick a ${found.name}`), query, complaint, list, button('Cancel', () => dialog.close()));
  // A row shows the beginning of a long key, so the object says the whole.
  const choose = async key => {
    const primary = (await ask('/object.json', { class: found.name, key })).texts[found.primary] ?? 'null';
    take(primary === 'null' ? `{"$key":${key}}` : primary);
    dialog.close();
  };
  const look = async () => {
    try {
      const answer = await ask('/rows.json', { q: query.value, limit: 50 });
      complaint.textContent = answer.class === found.name ? '' : `these are no ${found.name}`;
      list.replaceChildren(...(answer.class !== found.name ? [] : answer.rows).map((row, i) => element('li', {}, element('button', { type: 'button',
        onclick: () => choose(answer.keys[i]).catch(error => { complaint.textContent = error.message; }) }, Object.values(row).slice(0, 4).map(value => shown(value)).join('  ')))));
    } catch (error) { complaint.textContent = error.message; }
  };
  query.addEventListener('change', look);
  query.addEventListener('keydown', event => { if (event.key === 'Enter') { event.preventDefault(); look(); } });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  look();
}

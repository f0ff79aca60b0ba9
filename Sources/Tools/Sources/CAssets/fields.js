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
  if (held) made = collectionField(held[0], { ...property, type: held[1] }, text, classes);
  else if (target?.embedded) made = embeddedField(property.type, target, text, classes);
  else if (target) made = linkField(property, text, classes);
  else if (bare(property.type) === 'bool') made = choiceField(property.type, text);
  else if (bare(property.type) === 'string') made = stringField(property.type, text);
  else if (EXAMPLES[bare(property.type)]) made = writtenField(property, text);
  else made = jsonField(property, text, '12, "text" or null');
  made.control?.setAttribute('aria-label', property.name);
  return made;
}

// What is JSON itself: of a link, or of a value of any type.
function jsonField(property, text, example) {
  const area = textOf(text);
  const now = () => {
    const value = area.value.trim();
    if (value === text) return text;
    try { JSON.parse(value); } catch { throw new Error(`${property.name} is not JSON, such as ${example}`); }
    return value;
  };
  return { node: area, control: area, text: now };
}

// How a value of a type is written. Those that are numbers of JSON need no quotes there, if they are no NaN.
const EXAMPLES = {
  int: '12', float: '1.5, NaN or -Infinity', double: '1.5, NaN or -Infinity', decimal: '1.10',
  date: '2000-01-31T20:15:00Z', uuid: '123e4567-e89b-12d3-a456-426614174000',
  objectId: '507f1f77bcf86cd799439011', data: 'aGVsbG8=, which is base64',
};
const isNumber = (type, value) =>
  /^(int|float|double)$/.test(type) && /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(value);

// An area, and a box to tick for null beside it, where null can be; a value that is typed takes the tick away.
function nullable(area, type, text, becomesNull) {
  const isNull = element('input', { type: 'checkbox' });
  isNull.checked = text === 'null';
  if (!type.endsWith('?')) return { node: area, isNull };
  area.addEventListener('input', () => { isNull.checked = becomesNull(area.value); });
  return { node: element('div', {}, area, element('label', { class: 'dim' }, isNull, ' null')), isNull };
}

// The text of a value that JSON has in quotes or as a number. Where null can be, it is what an emptied area says.
function writtenField(property, text) {
  const type = bare(property.type), first = text === 'null' ? '' : text[0] === '"' ? JSON.parse(text) : text;
  const area = textOf(first), { node, isNull } = nullable(area, property.type, text, value => value.trim() === '');
  area.placeholder = EXAMPLES[type];
  const now = () => {
    const value = area.value.trim();
    if (isNull.checked) return 'null';
    if (value === first && text !== 'null') return text;
    if (value === '') throw new Error(`${property.name} is empty: say a value, such as ${EXAMPLES[type]}`);
    return isNumber(type, value) ? value : JSON.stringify(value);
  };
  return { node, control: area, text: now };
}

function choiceField(type, text) {
  const values = ['true', 'false', ...(type.endsWith('?') ? ['null'] : []), ...(text === '' ? [''] : [])];
  const select = element('select', {}, ...values.map(value => element('option', { value, selected: value === text }, value || '\u2013')));
  return { node: select, control: select, text: () => select.value };
}

// The letters themselves. An area shows line feeds alone; a string whose lines all end with CR LF keeps that when it is
// changed, and one that nobody changes stays as it is.
function stringField(type, text) {
  const letters = text === '' || text === 'null' ? '' : JSON.parse(text);
  const area = textOf(letters), first = area.value, { node, isNull } = nullable(area, type, text, () => false);
  const end = letters.replaceAll('\r\n', '').match(/[\r\n]/) || !letters.includes('\r\n') ? '\n' : '\r\n';
  return { node, control: area, text: () => isNull.checked ? 'null'
    : area.value === first && text !== 'null' ? text : JSON.stringify(area.value.replaceAll('\n', end)) };
}

// The primary key of another object, which can be looked for.
function linkField(property, text, classes) {
  const made = jsonField(property, text, '12, "Rex" or null; or pick an object'), area = made.control;
  const take = key => { area.value = key; area.dispatchEvent(new Event('input')); };
  const name = property.target;
  const choose = button('Pick\u2026', () => pick(classes(name), take), `Pick an object of ${name}`);
  return { ...made, node: element('div', { class: 'pick' }, area, choose) };
}

// Where null cannot be, as in a list, the line is what is removed.
function embeddedField(type, target, text, classes) {
  const node = element('div', { class: 'embedded' });
  let fields = null, first = null;
  const fill = members => {
    const texts = new Map(members);
    fields = target.properties.map(property => [property.name, field(property, texts.get(property.name) ?? '', classes)]);
    const lines = fields.flatMap(([name, made]) => [element('dt', {}, name), element('dd', {}, made.node)]);
    node.replaceChildren(element('dl', { class: 'form' }, ...lines));
    if (type.endsWith('?')) node.append(button('Remove', empty, `Remove ${target.name}`));
    first = now();
  };
  const empty = () => {
    fields = null;
    node.replaceChildren(button('Add', () => fill([]), `Add ${target.name}`));
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

// A line for each element or entry. A new string is empty, and so is a new embedded object; a new line of another type
// has no value until somebody says one, and cannot be taken for none.
function collectionField(kind, element_, text, classes) {
  const list = element('ol', { class: 'elements' }), lines = new Map(), isMap = kind === 'map';
  const add = (value, key) => {
    const made = field({ ...element_, name: isMap ? 'value' : 'element', single: true }, value, classes);
    const name = isMap ? keyField(key ?? '') : null;
    const up = kind === 'list' ? button('\u2191', () => line.previousSibling?.before(line), 'up') : null;
    const line = element('li', { class: isMap ? 'entry' : null }, name?.node, made.node, up,
      button('\u00d7', () => { lines.delete(line); line.remove(); }, 'remove'));
    lines.set(line, { made, name });
    list.append(line);
    return line;
  };
  const isEmbedded = element_.target && classes(element_.target).embedded;
  const fresh = isEmbedded ? '{}' : bare(element_.type) === 'string' ? '""' : '';
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
  const dialog = element('dialog', { id: 'pick' }, element('h2', {}, `Pick an object of ${found.name}`),
    query, complaint, list, button('Cancel', () => dialog.close()));
  // A row shows the beginning of a long key, so the object says the whole.
  const choose = async key => {
    const primary = (await ask('/object.json', { class: found.name, key })).texts[found.primary] ?? 'null';
    take(primary === 'null' ? `{"$key":${key}}` : primary);
    dialog.close();
  };
  const look = async () => {
    try {
      const answer = await ask('/rows.json', { q: query.value, limit: 50 });
      complaint.textContent = answer.class === found.name ? '' : `these are no objects of ${found.name}`;
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

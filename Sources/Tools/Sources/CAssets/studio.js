// SPDX-License-Identifier: MIT
// studio.js -- the page of the studio: a window onto a result, one object beside it, and live counts.

import { showChanges } from './changes.js';
import { field } from './fields.js';
import {
  $, ask, element, formsOf, isNested, number, question, send, shape, shown, size, Unanswered, visible,
} from './page.js';

// How high a row is, how many are asked for together, and how many the server sends as one table.
const ROW = 28, CHUNK = 100, LARGEST = 100_000;
const state = {
  catalog: null, query: '', total: 0, chunks: new Map(), selected: 0, commit: 0, view: 'rows', turn: 0, place: 0,
  scrolled: 0, address: location.href, form: null,
};

// ---- Words ----------------------------------------------------------------

function complain(error) {
  if (error instanceof Unanswered) return;
  const message = error === null ? '' : visible(String(error.message ?? error));
  const place = /^at column (\d+)/.exec(message);
  $('mistake').hidden = message === '';
  $('mistake').textContent = place ? `${state.query}\n${' '.repeat(place[1] - 1)}^\n${message}` : message;
  $('query').setAttribute('aria-invalid', String(message !== ''));
}

const classNamed = name => state.catalog?.classes.find(found => found.name === name);
// The class that a query begins with.
const classOf = query => state.catalog?.classes.find(found => {
  const text = query.trimStart();
  return text.startsWith(found.query) && /^(\s|$)/.test(text.slice(found.query.length));
});

// ---- Addresses ------------------------------------------------------------

function go(path, parameters, replace = false) {
  clearTimeout(state.settling);
  const query = new URLSearchParams(parameters).toString(), address = query ? `${path}?${query}` : path;
  if (!mayLeave(address)) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  show();
}

// What an address shows, apart from the values of a property, which stand before it.
function placeOf(address) {
  const place = new URL(address, location.href);
  place.searchParams.delete('facets');
  place.searchParams.sort();
  return place.href;
}

// `state.form` is what somebody edits. The question is that of the browser, since its answer is needed at once, when
// the way back has already been taken.
function leaveForm() {
  if (state.form?.isChanged() && !confirm('Throw away what was changed here?')) return false;
  state.form = null;
  return true;
}

const mayLeave = address => placeOf(address) === placeOf(state.address) || leaveForm();

function showQuery(query) { go('/rows', { q: query }); }
function showObject(name, key) { go('/rows', { ...listParameters(), object: `${name}/${key}` }); }

// What names the list on the page: a query, or what links to an object.
const listParameters = () => ({ q: state.query, ...(state.links ? { links: state.links, via: state.via, of: state.owner.join('/') } : {}) });

async function show() {
  const address = new URL(location.href), parameters = address.searchParams;
  state.address = address.href;
  state.view = address.pathname === '/' ? 'rows' : address.pathname.slice(1);
  if (!state.catalog) await loadCatalog();
  if (state.view === 'object') {
    const name = parameters.get('class');
    return go('/rows', { q: classNamed(name)?.query ?? name, object: parameters.has('key') ? `${name}/${parameters.get('key')}` : `${name}=${parameters.get('primary')}` }, true);
  }
  for (const link of document.querySelectorAll('nav a'))
    link.toggleAttribute('aria-current', link.dataset.view === state.view);
  $('objects').hidden = state.view !== 'rows';
  $('text').hidden = state.view === 'rows';
  if (state.view === 'file') return showFile();
  if (state.view === 'schema') return showSchema();
  if (state.view === 'changes') return showChanges();
  const first = state.catalog.classes.find(found => !found.embedded) ?? state.catalog.classes[0];
  const query = parameters.get('q') || (first?.query ?? '');
  const list = JSON.stringify([query, ...['links', 'via', 'of'].map(name => parameters.get(name))]);
  if (list !== state.list) {
    state.list = list;
    await openQuery(query, parameters);
    if (state.address !== address.href) return; // somebody has gone on meanwhile
  }
  await showDetail(parameters.get('object'));
  await showFacets(parameters.get('facets'));
}

// ---- Classes --------------------------------------------------------------

async function loadCatalog() {
  state.catalog = await ask('/catalog.json');
  $('file').textContent = state.catalog.path.split('/').pop();
  $('file').title = state.catalog.path;
  document.title = `${$('file').textContent} - Strata studio`;
  drawClasses();
}

function drawClasses() {
  const now = classOf(state.query)?.name;
  $('classes').replaceChildren(...state.catalog.classes.map(found => element('li', {},
    element('a', { href: `/rows?q=${encodeURIComponent(found.query)}`, 'aria-current': found.name === now ? 'page' : null,
                   class: found.embedded ? 'embedded' : null, onclick: event => { event.preventDefault(); showQuery(found.query); } },
      found.name, element('span', {}, number(found.objects))))));
}

// ---- A result -------------------------------------------------------------

const parametersOf = () => state.links
  ? { links: state.links, via: state.via, class: state.owner[0], key: state.owner[1] } : { q: state.query };

async function openQuery(query, parameters) {
  state.query = query;
  state.links = parameters?.get('links') ?? null;
  state.via = parameters?.get('via');
  const of = parameters?.get('of') ?? '', slash = of.lastIndexOf('/');
  state.owner = slash < 0 ? [] : [of.slice(0, slash), of.slice(slash + 1)];
  state.chunks.clear();
  state.selected = 0;
  state.turn++;
  $('query').value = query;
  drawClasses();
  for (const form of ['csv', 'ndjson', 'json']) $(form).href = `/rows.${form}?${new URLSearchParams(parametersOf())}`;
  try {
    await loadChunk(0);
    complain(null);
    $('forms').hidden = false;
  } catch (error) {
    state.total = 0;
    complain(error);
    $('forms').hidden = true;
    $('count').textContent = '';
    $('plan').textContent = '';
  }
  $('new').hidden = !state.catalog.write || !state.class || state.class.embedded;
  drawHead();
  scrollTo(history.state?.place ?? 0);
}

async function loadChunk(index) {
  const turn = state.turn;
  const answer = await ask('/rows.json', { ...parametersOf(), skip: index * CHUNK, limit: CHUNK });
  if (turn !== state.turn) return;
  state.commit = Math.max(state.commit, answer.commit);
  const before = state.chunks.get(index);
  if (before && before.commit > answer.commit) return;
  state.total = answer.total;
  state.class = classNamed(answer.class);
  [state.where, state.order, state.rest] = [answer.where, answer.order, answer.rest];
  const texts = answer.rows.map(row => JSON.stringify(row));
  const changed = new Set();
  if (before) texts.forEach((text, i) => {
    const old = before.keys.indexOf(answer.keys[i]);
    if (old < 0 || before.texts[old] !== text) changed.add(answer.keys[i]);
  });
  state.chunks.set(index, { rows: answer.rows, keys: answer.keys, texts, changed, commit: answer.commit });
  $('count').textContent = `${number(answer.total)} ${answer.total === 1 ? 'object' : 'objects'}`;
  const cut = answer.total > LARGEST ? ` (the first ${number(LARGEST)})` : '';
  $('csv').textContent = `CSV${cut}`;
  $('ndjson').textContent = `NDJSON${cut}`;
  if (index === 0) $('plan').textContent = `${answer.plan}, ${answer.milliseconds} ms`;
}

const rowAt = index => {
  const chunk = state.chunks.get(Math.floor(index / CHUNK));
  const place = index % CHUNK;
  if (!chunk || place >= chunk.rows.length) return null;
  const key = chunk.keys[place];
  return { row: chunk.rows[place], text: chunk.texts[place], key, changed: chunk.changed.has(key) };
};

// ---- Scrolling ------------------------------------------------------------

// Browsers cannot scroll through more than some millions of pixels. `state.place` is how far a result is scrolled in
// pixels of all its rows. The scroll bar is shorter for a long result: near both ends it has a pixel for a pixel, and in
// between the rest is stretched.
const TALLEST = 8_000_000, END = 500_000;
const roomOf = all => Math.max(0, all - ($('rows').clientHeight - ROW));
const fullRoom = () => roomOf(state.total * ROW);
const barRoom = () => roomOf(Math.min(state.total * ROW, TALLEST));
const isStretched = () => state.total * ROW > TALLEST;
const convert = (at, from, to) => at <= END ? at : at >= from - END ? to - (from - at)
  : END + (at - END) * (to - 2 * END) / (from - 2 * END);

function scrollTo(place) {
  state.place = Math.max(0, Math.min(fullRoom(), place));
  $('space').style.height = `${Math.min(state.total * ROW, TALLEST)}px`;
  $('rows').scrollTop = isStretched() ? convert(state.place, fullRoom(), barRoom()) : state.place;
  state.scrolled = $('rows').scrollTop;
  draw();
}

// Wheels and keys move by pixels. Who drags the bar, or jumps, moves by more than is seen.
$('rows').addEventListener('scroll', () => {
  const at = $('rows').scrollTop, by = at - state.scrolled;
  if (by === 0) return;
  const isJump = Math.abs(by) > 4 * $('rows').clientHeight;
  const isEnd = at <= 0 || at >= barRoom() - 1;
  const place = !isStretched() ? at : isJump || isEnd ? convert(at, barRoom(), fullRoom()) : state.place + by;
  state.place = Math.max(0, Math.min(fullRoom(), place));
  state.scrolled = at;
  draw();
  clearTimeout(state.settling);
  state.settling = setTimeout(settle, 200);
});

// When nobody scrolls, the bar shows again where the place is, and the address of the page remembers it.
function settle() {
  if (state.view !== 'rows') return;
  history.replaceState({ place: state.place }, '');
  if (isStretched()) scrollTo(state.place);
}

const firstVisible = () => Math.floor(state.place / ROW);

function columnsOf(found) { return found?.properties ?? []; }
const isNumber = type => /^(int|float|double|decimal)\??$/.test(type);
const cellClass = property => isNumber(property.type) ? 'cell number' : /^bool/.test(property.type) ? 'cell narrow'
  : /^(date|uuid|objectId)/.test(property.type) ? `cell ${property.type.replace('?', '')}` : 'cell';

function drawHead() {
  const sorted = /^ sort (.*?)( desc)?$/.exec(state.order ?? '') ?? [];
  $('head').replaceChildren(...columnsOf(state.class).map(property => {
    const arrow = sorted[1] === property.word ? (sorted[2] ? ' \u2193' : ' \u2191') : '';
    const canSort = !state.links && property.single && !/^(any|data)/.test(property.type) && !property.target;
    const title = `${property.name}: ${property.type}`;
    const node = element('div', { class: cellClass(property), role: 'columnheader', title },
      canSort ? element('button', { type: 'button', onclick: () => sortBy(property.word, arrow === ' \u2191') }, property.name + arrow) : property.name,
      !state.links && property.single && property.type !== 'any' && !property.type.startsWith('data')
        ? element('button', { type: 'button', class: 'more', 'aria-label': `Values of ${property.name}`, 'data-property': property.name, onclick: () => openFacets(property.name) }, '\u25be') : null, grip(property));
    setWidth(node, property);
    return node;
  }));
}

// The widths that somebody gave to columns, as long as the page is there.
const widths = new Map();
const columnName = property => `${state.class.name}.${property.name}`;

function setWidth(node, property) {
  const width = widths.get(columnName(property));
  if (width) node.style.width = `${width}px`;
  node.classList.toggle('given', width !== undefined);
}

function widen(property, width) {
  widths.set(columnName(property), Math.max(40, Math.min(4000, Math.round(width))));
  const place = columnsOf(state.class).indexOf(property) + 1;
  for (const node of $('rows').querySelectorAll(`.cell:nth-child(${place})`)) setWidth(node, property);
}

// What is dragged to make a column wider; arrows do the same.
function grip(property) {
  const width = () => node.parentNode.getBoundingClientRect().width;
  const take = event => {
    const rest = width() - event.clientX;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    node.onpointermove = move => widen(property, rest + move.clientX);
    node.onpointerup = node.onpointercancel = () => { node.onpointermove = null; };
  };
  const step = event => {
    const by = { ArrowLeft: -10, ArrowRight: 10 }[event.key];
    if (by) { event.preventDefault(); widen(property, width() + by); }
  };
  const tell = () => node.setAttribute('aria-valuenow', Math.round(width()));
  const node = element('span', { class: 'grip', tabindex: '0', role: 'slider', 'aria-valuenow': '0',
    'aria-label': `Width of ${property.name}`, onpointerdown: take, onkeydown: step, onkeyup: tell, onfocus: tell });
  return node;
}

// The query with another condition, or another order.
const queryOf = (where, order) => `${state.class.query}${where ? ` where ${where}` : ''}${order}${state.rest}`;

function sortBy(name, descending) { showQuery(queryOf(state.where, ` sort ${name}${descending ? ' desc' : ''}`)); }

function cell(property, value) {
  const node = element('div', { class: cellClass(property), role: 'gridcell' });
  setWidth(node, property);
  if (value === null || value === undefined) {
    node.classList.add('null');
    node.textContent = '\u2013';
  } else if (property.target && property.single && !classNamed(property.target)?.embedded) {
    node.append(linkTo(property.target, value));
  } else {
    node.textContent = shown(value, property.type);
    node.title = node.textContent.length > 20 ? node.textContent : '';
  }
  return node;
}

function linkTo(target, value) {
  const parameters = isNested(value) ? { class: target, key: value.$key } : { class: target, primary: value };
  return element('a', { href: `/object?${new URLSearchParams(parameters)}`,
    onclick: event => { event.preventDefault(); event.stopPropagation(); go('/object', parameters); } },
    isNested(value) ? `${target} ${value.$key}` : shown(value));
}

function rowNode(index, found) {
  const node = element('div', { class: `row${found?.changed ? ' changed' : ''}`, role: 'row', 'data-key': found?.key,
    'aria-rowindex': index + 1, onclick: () => { state.selected = index; openSelected(); } },
    ...(found ? columnsOf(state.class).map(property => cell(property, found.row[property.name])) : []));
  if (!found) node.style.height = `${ROW}px`;
  return node;
}

// The rows that have to stand on the page: those that are seen, and some above and below.
function range() {
  const first = Math.max(0, firstVisible() - 5);
  return [first, Math.min(state.total, first + Math.min(300, Math.ceil($('rows').clientHeight / ROW)) + 10)];
}

// The rows that stand on the page, by their place. One that is still the same stays, with the focus that may be in it.
let drawn = new Map();
let drawing = false;
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(async () => {
    drawing = false;
    const [first, last] = range();
    $('space').style.height = `${Math.min(state.total * ROW, TALLEST)}px`;
    const now = new Map(), missing = new Set();
    for (let index = first; index < last; index++) {
      const found = rowAt(index), sign = found ? `${state.turn} ${found.key} ${found.text}` : '';
      if (!found) missing.add(Math.floor(index / CHUNK));
      const before = drawn.get(index);
      const node = before?.sign === sign && !found?.changed ? before.node : rowNode(index, found);
      node.setAttribute('aria-selected', String(index === state.selected));
      now.set(index, { sign, node });
    }
    const rows = [...now.values()].map(item => item.node);
    const isSame = rows.length === $('window').children.length && rows.every((node, i) => node === $('window').children[i]);
    drawn = now;
    $('window').style.transform = `translateY(${state.scrolled - state.place + first * ROW}px)`;
    if (!isSame) $('window').replaceChildren(...rows);
    for (const chunk of state.chunks.values()) chunk.changed.clear();
    if (missing.size === 0) return;
    try { await Promise.all([...missing].map(loadChunk)); } catch (error) { return complain(error); }
    draw();
  });
}

function openSelected() {
  const found = rowAt(state.selected);
  draw();
  if (found) showObject(state.class.name, found.key);
}

// ---- One object -----------------------------------------------------------

// What comes while somebody edits leaves the fields alone.
async function showDetail(named) {
  const panel = $('detail');
  if (state.form) return;
  state.detail = named;
  if (!named) return panel.hidden = true;
  const owners = state.catalog.classes.map(found => found.name).filter(name => named.startsWith(name) && /[/=]/.test(named[name.length] ?? ''));
  const name = owners.sort((a, b) => b.length - a.length)[0] ?? /^[^/=]*/.exec(named)[0];
  const rest = named.slice(name.length);
  const parameters = { class: name, [rest[0] === '/' ? 'key' : 'primary']: rest.slice(1) };
  let answer;
  let failure;
  try { answer = await ask('/object.json', parameters); } catch (error) { failure = error; }
  if (state.detail !== named || state.form) return; // something else is shown meanwhile
  if (failure instanceof Unanswered) return;
  if (failure) panel.replaceChildren(detailHead(visible(named)), element('p', {}, failure.message));
  panel.hidden = false;
  if (!answer) return;
  const found = classNamed(answer.class);
  const list = element('dl');
  for (const property of columnsOf(found)) {
    const value = answer.object[property.name];
    list.append(element('dt', { title: property.type }, property.name), element('dd', {}, valueNode(property, value)));
  }
  const place = answer.class === state.class?.name ? loadedPlace(answer.key) : null;
  if (place !== null) {
    state.selected = place;
    draw();
  }
  const links = answer.links.filter(link => link.count > 0);
  const canEdit = state.catalog.write && !found.embedded;
  panel.replaceChildren(
    detailHead(`${answer.class} ${found.primary ? shown(answer.object[found.primary]) : answer.key}`),
    list,
    ...(canEdit ? [element('p', {}, element('button', { type: 'button', id: 'edit', onclick: () => editObject(answer) }, 'Edit'), ' ',
      element('button', { type: 'button', id: 'delete', onclick: () => deleteObject(answer) }, 'Delete'))] : []),
    ...(links.length === 0 ? [] : [element('h2', {}, 'Linked from')]),
    element('dl', {}, ...links.flatMap(link => [
      element('dt', {}, `${link.class}.${link.via}`),
      element('dd', {}, element('a', { href: '#', onclick: event => {
        event.preventDefault();
        go('/rows', { q: classNamed(link.class).query, links: link.class, via: link.via, of: `${answer.class}/${answer.key}` });
      } }, number(link.count)))])),
    formsOf('/object', { class: answer.class, key: answer.key }));
}

const detailHead = title => element('h2', {}, title,
  element('button', { type: 'button', 'aria-label': 'Close', onclick: closeDetail }, '\u00d7'));

function valueNode(property, value) {
  if (value === null || value === undefined) return element('span', { class: 'dim' }, '\u2013');
  const isLink = property.target && !classNamed(property.target)?.embedded;
  if (isLink && property.single) return linkTo(property.target, value);
  if (isLink && Array.isArray(value)) {
    const node = element('span');
    value.forEach((item, i) => node.append(i ? ', ' : '', item === '\u2026' ? item : linkTo(property.target, item)));
    return value.length ? node : element('span', { class: 'dim' }, 'none');
  }
  return isNested(value) ? element('pre', {}, shown(value, property.type, 1)) : shown(value, property.type);
}

// ---- Changing one object --------------------------------------------------

// What says whether anything was changed in some fields. One that cannot say what it holds was.
function formOf(fields) {
  const first = new Map([...fields].map(([name, made]) => [name, made.text()]));
  return { isChanged: () => {
    try { return [...fields].some(([name, made]) => made.text() !== first.get(name)); } catch { return true; }
  } };
}

function closeForm() {
  state.form = null;
  return showDetail(state.detail);
}

// What differs is shown before anything is changed.
function editObject(answer) {
  const panel = $('detail'), found = classNamed(answer.class), fields = new Map();
  const list = element('dl', { class: 'form' });
  for (const property of columnsOf(found)) {
    const text = answer.texts[property.name];
    if (property.primary) {
      list.append(element('dt', {}, property.name), element('dd', {}, visible(text)));
      continue;
    }
    addField(list, fields, property, text);
  }
  const complaint = element('p', { role: 'alert', class: 'bad' });
  const review = () => {
    const changed = textsOf(fields, complaint)?.filter(([name, text]) => text !== answer.texts[name]);
    if (!changed) return;
    if (changed.length === 0) return closeForm();
    const values = Object.fromEntries(changed);
    confirmChange(`Change ${answer.class} ${answer.texts[found.primary] ?? answer.key}?`,
      changed.map(([name, text]) => [name, answer.texts[name], text]),
      () => whileStill(panel, () => applyChange(answer, answer.seal, values, () => state.form === form && closeForm()))
        .catch(error => { complaint.textContent = visible(error.message); }));
  };
  panel.replaceChildren(element('h2', {}, `Edit ${answer.class}`), list, complaint,
    element('p', {}, element('button', { type: 'button', id: 'review', onclick: review }, 'Review\u2026'), ' ',
      element('button', { type: 'button', onclick: closeForm }, 'Cancel')));
  const form = state.form = formOf(fields);
  list.querySelector('textarea, input, select')?.focus();
}

// Nothing is typed into a form while it is sent. Another one may be open when the answer comes, and stays.
async function whileStill(panel, sending) {
  panel.inert = true;
  try { return await sending(); } finally { panel.inert = false; }
}

// What the fields say, as [name, text]; nothing, and why, if one of them says what cannot be.
function textsOf(fields, complaint) {
  complaint.textContent = '';
  try {
    return [...fields].map(([name, made]) => [name, made.text()]);
  } catch (error) { complaint.textContent = error.message; }
}

function addField(list, fields, property, text) {
  const made = field(property, text, classNamed);
  fields.set(property.name, made);
  list.append(element('dt', {}, element('label', {}, property.name), element('small', { class: 'dim' }, ` ${property.type}`)), element('dd', {}, made.node));
}

// What is left empty is null, zero or empty in the new object.
function createObject(found) {
  if (!leaveForm()) return;
  const panel = $('detail'), list = element('dl', { class: 'form' }), fields = new Map();
  for (const property of found.properties) addField(list, fields, property, '');
  const complaint = element('p', { role: 'alert', class: 'bad' });
  const review = () => {
    const given = textsOf(fields, complaint)?.filter(([, text]) => text !== '');
    if (!given) return;
    confirmChange(`Create an object of ${found.name}?`, given.map(([name, text]) => [name, '', text]),
      () => whileStill(panel, () => applyCreate(found.name, Object.fromEntries(given)))
        .then(() => { if (state.form === form) [state.form, panel.hidden] = [null, true]; })
        .catch(error => { complaint.textContent = visible(error.message); }));
  };
  panel.replaceChildren(element('h2', {}, `New ${found.name}`), element('p', { class: 'dim' }, 'What is left empty is null, zero or empty.'), list,
    complaint, element('p', {}, element('button', { type: 'button', id: 'review', onclick: review }, 'Review\u2026'), ' ',
      element('button', { type: 'button', onclick: () => { state.form = null; closeDetail(); } }, 'Cancel')));
  panel.hidden = false;
  const form = state.form = formOf(fields);
  list.querySelector('textarea, input, select')?.focus();
}

function confirmChange(title, changes, apply) {
  const dialog = element('dialog', { id: 'confirm' }, element('h2', {}, visible(title)),
    element('table', {}, ...changes.map(([name, before, after]) => element('tr', {}, element('th', {}, name),
      element('td', {}, element('del', {}, visible(before ?? ''))),
      element('td', {}, element('ins', {}, visible(after ?? '')))))),
    element('p', {}, element('button', { type: 'button', id: 'apply', onclick: () => { dialog.close(); apply(); } }, 'Apply'), ' ',
      element('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

async function applyChange(answer, seal, values, refresh = closeForm) {
  const done = await send('/edit', { class: answer.class, key: answer.key, seal, values });
  await refresh();
  const look = () => showDetail(state.detail); // what is edited meanwhile stays
  say('changed', () => applyChange(answer, done.seal, done.undo, look).then(() => say('undone')));
}

async function applyCreate(name, values) {
  const done = await send('/create', { class: name, values });
  say('created', () => send('/delete', { class: name, key: done.created, seal: done.seal, unlinked: true })
    .then(() => say('undone')));
}

function linksTo(answer) { return answer.links.reduce((sum, link) => sum + link.count, 0); }

// It comes back as a new object, without links to it; where there were some, there is no way back. Links that came since
// the question refuse it.
async function applyDelete(answer) {
  const seen = linksTo(answer) ? {} : { unlinked: true };
  const done = await send('/delete', { class: answer.class, key: answer.key, seal: answer.seal, ...seen });
  closeDetail();
  say(done.undo || linksTo(answer) ? 'deleted' : 'deleted; it was too large to be brought back', done.undo && (() => send('/create', { class: answer.class, values: done.undo }).then(() => say('undone'))));
}

function deleteObject(answer) {
  const links = linksTo(answer);
  confirmChange(`Delete ${answer.class} ${answer.texts[classNamed(answer.class).primary] ?? answer.key}?` +
    (links ? ` ${number(links)} links to it become empty.` : '') +
    (links || !answer.returnable ? ' That cannot be undone.' : ''), Object.entries(answer.texts).map(([name, text]) => [name, text, '']),
    () => applyDelete(answer).catch(complain));
}

// What was done, with a way back as long as it stands there.
function say(text, undo) {
  const note = $('note');
  const once = event => { event.currentTarget.disabled = true; undo().catch(complain); };
  note.replaceChildren(text, undo ? element('button', { type: 'button', id: 'undo', onclick: once }, 'Undo') : '');
  note.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { note.hidden = true; }, 60000);
}

function closeDetail() {
  if (!leaveForm()) return;
  go('/rows', listParameters());
  $('rows').focus();
}

// ---- Values of a property -------------------------------------------------

function openFacets(name) {
  const parameters = new URL(location.href).searchParams;
  parameters.set('facets', name);
  go('/rows', parameters);
}

function closeFacets() {
  if ($('facets').hidden) return;
  $('facets').hidden = true;
  const address = new URL(location.href);
  address.searchParams.delete('facets');
  history.replaceState(history.state, '', address);
}

let facetTurn = 0;
async function showFacets(name) {
  const panel = $('facets'), turn = ++facetTurn;
  const button = [...document.querySelectorAll('#head .more')].find(found => found.dataset.property === name);
  panel.hidden = !button;
  if (!button) return;
  const property = state.class.properties.find(found => found.name === name), place = button.getBoundingClientRect();
  panel.style.left = `${Math.max(4, Math.min(place.left, innerWidth - 310))}px`;
  panel.style.top = `${place.bottom + 4}px`;
  panel.replaceChildren('\u2026');
  let answer;
  try { answer = await ask('/facets.json', { q: state.query, property: property.name }); } catch (error) {
    if (turn === facetTurn) panel.replaceChildren(error.message);
    return;
  }
  if (turn !== facetTurn) return;
  const condition = literal => {
    const more = `${answer.word} == ${literal}`;
    showQuery(queryOf(state.where ? `(${state.where}) AND ${more}` : more, state.order));
  };
  panel.replaceChildren(element('strong', {}, `${property.name}: ${answer.tooMany ? 'more than ' : ''}${number(answer.distinct)} values`),
    answer.histogram ? histogram(answer.histogram) : '',
    answer.tooMany ? element('p', { class: 'dim', role: 'status' }, 'Too many different values to count each of them. Where the property has an index, that can.') : '',
    ...answer.values.map(found => element('button', { type: 'button', disabled: found.literal === null, onclick: () => condition(found.literal) },
      element('span', {}, found.value === null ? '\u2013' : shown(found.value)), element('span', { class: 'dim' }, number(found.count)))));
  panel.append(formsOf('/facets', { q: state.query, property: property.name }));
  panel.querySelector('button')?.focus();
}

function histogram(bins) {
  const most = Math.max(...bins.counts, 1);
  const width = 200 / bins.counts.length;
  return element('figure', {}, shape('svg', { viewBox: '0 0 200 60', preserveAspectRatio: 'none', role: 'img', 'aria-label': `from ${bins.least} to ${bins.greatest}` },
    ...bins.counts.map((count, i) => shape('rect', { x: (i + 0.1) * width, y: 60 - 58 * count / most, width: 0.8 * width, height: 58 * count / most }))),
    element('figcaption', {}, element('span', {}, shown(bins.least)), element('span', {}, shown(bins.greatest))));
}

// ---- Schema and file ------------------------------------------------------

const LINE = 18, WIDTH = 230, GAP = 70;
const leftOf = column => 10 + column * (WIDTH + GAP);

// Which way lines go from a column to another: the spaces beside columns that they leave by and arrive by. One that is
// right of its column has the number of it.
const wayOf = (from, to) => ({ out: to < from ? from - 1 : from, into: to <= from ? to : to - 1 });

// Lines keep to the space between columns, and to that above them to come to one further away: none goes behind a box.
// Those that lead to one class share a lane, and become one line.
function lanesOf(links) {
  const beside = new Map(), above = new Set();
  const note = (space, target) => beside.set(space, (beside.get(space) ?? new Set()).add(target));
  for (const { way, target } of links) {
    note(way.out, target);
    note(way.into, target);
    if (way.out !== way.into) above.add(target);
  }
  const x = (space, target) => {
    const lanes = [...beside.get(space)];
    return leftOf(space) + WIDTH + GAP * (lanes.indexOf(target) + 1) / (lanes.length + 1);
  };
  return { x, y: target => 10 + 6 * [...above].indexOf(target), height: 6 * above.size };
}

// A box for each class in columns of about the same height, and a line from each link to the class that it leads to.
function drawSchema() {
  const classes = state.catalog.classes, boxes = new Map();
  const tall = found => 30 + LINE * found.properties.length + 12;
  const count = Math.max(1, Math.round(Math.sqrt(classes.length * 1.4))), tops = new Array(count).fill(10);
  for (const found of classes) {
    const column = tops.indexOf(Math.min(...tops));
    boxes.set(found.name, { column, y: tops[column], tall: tall(found) });
    tops[column] += tall(found) + 26;
  }
  const links = classes.flatMap(found => found.properties
    .map((property, place) => ({ found, property, place, target: property.target }))
    .filter(({ target }) => boxes.has(target))
    .map(link => ({ ...link, way: wayOf(boxes.get(found.name).column, boxes.get(link.target).column) })));
  const lanes = lanesOf(links);
  for (const box of boxes.values()) box.y += lanes.height;
  const width = leftOf(count), height = Math.max(...tops) + lanes.height;
  return shape('svg', { class: 'schema', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': 'The classes and their links' },
  ...classes.map(found => classBox(found, boxes.get(found.name))),
  ...links.flatMap(link => linkLine(link, boxes, lanes)));
}

const lineOf = (box, place) => box.y + 30 + LINE * place + 12;

function classBox(found, box) {
  const x = leftOf(box.column), mark = property => property.primary ? '\u25c6 ' : property.indexed ? '\u25c7 ' : '';
  return shape('a', { href: `/rows?q=${encodeURIComponent(found.query)}` },
    shape('rect', { x, y: box.y, width: WIDTH, height: box.tall, rx: 6,
      class: found.embedded ? 'box embedded' : 'box' }),
    shape('text', { x: x + 10, y: box.y + 20, class: 'title' }, `${found.name}  ${number(found.objects)}`),
    ...found.properties.map((property, i) =>
      shape('text', { x: x + 10, y: lineOf(box, i) }, `${mark(property)}${property.name}: ${property.type}`)));
}

function linkLine({ found, property, place, target, way }, boxes, lanes) {
  const box = boxes.get(found.name), goal = boxes.get(target), begin = lineOf(box, place) - 4;
  const from = leftOf(box.column) + (way.out < box.column ? 0 : WIDTH);
  const to = leftOf(goal.column) + (way.into < goal.column ? 0 : WIDTH);
  const end = goal.y + (way.into < goal.column ? 12 : 22); // lines of both sides do not meet
  const across = way.out === way.into ? '' : `V${lanes.y(target)} H${lanes.x(way.into, target)} `;
  const path = `M${from},${begin} H${lanes.x(way.out, target)} ${across}V${end} H${to}`;
  const title = `${found.name}.${property.name}: ${property.type}`;
  return [shape('path', { d: path, class: 'link' }, shape('title', {}, title)),
    shape('circle', { cx: to, cy: end, r: 3, class: 'end' })];
}

async function showSchema() {
  const text = await (await question('/schema.txt')).text();
  if (state.view !== 'schema') return;
  state.schema = text;
  $('text').replaceChildren(element('h2', {}, 'Schema', element('span', {}, element('a', { href: '/schema.txt' }, 'text'), ' ', formsOf('/schema'))),
    element('div', { class: 'drawing', tabindex: '0' }, drawSchema()), element('pre', {}, text));
}

// Figures of the last hour, as far as the page was open and seen.
const samples = [];
async function sample() {
  const figures = await ask('/file.json'), time = Date.now() / 1000;
  const before = samples.at(-1);
  const rate = before ? Math.max(0, (figures.commit - before.commit) / Math.max(0.001, time - before.time)) : 0;
  samples.push({ time, rate, ...figures });
  if (samples.length > 720) samples.shift();
  return figures;
}

function chart(title, values, words) {
  const most = Math.max(...values, 1e-9), step = 200 / Math.max(1, values.length - 1);
  return element('figure', {}, shape('svg', { width: 200, height: 50, viewBox: '0 0 200 50', role: 'img', 'aria-label': `${title}, now ${words(values.at(-1))}` },
    shape('polyline', { points: values.map((value, i) => `${(i * step).toFixed(1)},${(49 - 46 * value / most).toFixed(1)}`).join(' ') })),
    element('figcaption', {}, `${title}: ${words(values.at(-1))}`));
}

// Squares for the pages of the file, a hundred of them in all, in the order of what they are for; and what each part takes.
function pageMap(figures) {
  const parts = figures.parts.filter(part => part.size > 0), whole = parts.reduce((sum, part) => sum + part.size, 0);
  const squares = element('div', { class: 'pages', 'aria-hidden': 'true' });
  let seen = 0;
  for (const part of parts) {
    const before = Math.round(100 * seen / whole), after = Math.round(100 * (seen += part.size) / whole);
    const kind = figures.parts.indexOf(part);
    for (let i = before; i < after; i++) squares.append(element('i', { class: `part${kind}`, title: `${part.name}: ${size(part.size)}` }));
  }
  return element('div', { class: 'map' }, squares, element('ul', { class: 'parts' }, ...parts.map(part =>
    element('li', {}, element('i', { class: `part${figures.parts.indexOf(part)}` }), `${part.name} `,
      element('span', {}, `${size(part.size)}, ${Math.round(100 * part.size / whole) || 'under 1'}%`)))));
}

async function showFile() {
  const figures = await sample();
  const rows = [['size', size(figures.size)], ['in use', size(figures.used)], ['free', size(figures.free)],
    ['held by snapshots', size(figures.held)], ['newest commit', number(figures.commit)],
    ['snapshots', `${figures.snapshots} of ${number(figures.mostSnapshots)}`]];
  if (figures.log !== null) rows.push(['log beside it', size(figures.log)]);
  const charts = element('div', { class: 'figures' }, chart('commits a second', samples.map(now => now.rate), value => value.toFixed(1)),
    chart('in use', samples.map(now => now.used), size), chart('free', samples.map(now => now.free), size),
    chart('held by snapshots', samples.map(now => now.held), size));
  $('text').replaceChildren(element('h2', {}, state.catalog.path, formsOf('/file')), pageMap(figures), charts,
    element('table', {}, ...rows.map(([name, value]) => element('tr', {}, element('th', {}, name), element('td', { class: 'number' }, value)))),
    element('h2', {}, 'Who holds a snapshot'),
    element('table', {}, element('tr', {}, ...['process', 'program', 'commit', 'behind'].map(name => element('th', {}, name))),
      figures.readers.length ? '' : element('tr', {}, element('td', { colspan: 4, class: 'dim' }, 'nobody but this page')),
      ...figures.readers.map(reader => element('tr', {}, ...['process', 'program', 'commit', 'behind'].map(name => element('td', {}, String(reader[name])))))));
}

// ---- Completion -----------------------------------------------------------

function hintsFor(text, caret) {
  const before = text.slice(0, caret), word = /[\w.]*$/.exec(before)[0], start = before.slice(0, before.length - word.length);
  if (!state.catalog) return { word, list: [] };
  if (/^\s*$/.test(start)) return { word, list: state.catalog.classes.map(found => [found.query, number(found.objects)]) };
  if ((start.match(/'/g) ?? []).length % 2) return { word, list: [] };
  let found = classOf(text);
  const path = word.split('.').slice(0, -1);
  for (const step of path) found = classNamed(found?.properties.find(property => property.name === step)?.target);
  const prefix = path.length ? `${path.join('.')}.` : '';
  const names = columnsOf(found).map(property => [prefix + property.word, property.type]);
  const words = path.length ? [] : ['where', 'sort', 'limit', 'AND', 'OR', 'NOT', 'ANY', 'IN', 'CONTAINS', 'BEGINSWITH', 'LIKE', 'desc'].map(name => [name, '']);
  return { word, list: [...names, ...words] };
}

const hints = { list: [], at: -1 };
function drawHints() {
  const input = $('query'), { word, list } = hintsFor(input.value, input.selectionStart ?? 0);
  hints.word = word;
  hints.list = list.filter(([name]) => name.toLowerCase().startsWith(word.toLowerCase()) && name !== word).slice(0, 12);
  hints.at = -1;
  const isOpen = hints.list.length > 0 && document.activeElement === input && word !== '';
  $('hints').hidden = !isOpen;
  input.setAttribute('aria-expanded', String(isOpen));
  $('hints').replaceChildren(...hints.list.map(([name, more], i) => element('li', { role: 'option', id: `hint${i}`, 'aria-selected': 'false',
    onmousedown: event => { event.preventDefault(); takeHint(i); } }, name, ' ', element('small', {}, more))));
}
function moveHint(by) {
  hints.at = (hints.at + by + hints.list.length) % hints.list.length;
  [...$('hints').children].forEach((item, i) => item.setAttribute('aria-selected', String(i === hints.at)));
  $('query').setAttribute('aria-activedescendant', `hint${hints.at}`);
}
function takeHint(i) {
  const input = $('query'), caret = input.selectionStart, name = hints.list[i][0];
  input.setRangeText(`${name} `, caret - hints.word.length, caret, 'end');
  drawHints();
}

$('query').addEventListener('input', drawHints);
$('query').addEventListener('blur', () => { $('hints').hidden = true; });
$('query').addEventListener('keydown', event => {
  if (event.key === 'Escape') { $('hints').hidden = true; $('rows').focus(); event.stopPropagation(); return; }
  if ($('hints').hidden) return;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') { event.preventDefault(); moveHint(event.key === 'ArrowDown' ? 1 : -1); }
  if (event.key === 'Tab' || (event.key === 'Enter' && hints.at >= 0)) { event.preventDefault(); takeHint(Math.max(0, hints.at)); }
});
$('ask').addEventListener('submit', event => {
  event.preventDefault();
  $('hints').hidden = true;
  showQuery($('query').value.trim());
  $('rows').focus();
});

// ---- Keyboard -------------------------------------------------------------

function select(index) {
  state.selected = Math.max(0, Math.min(state.total - 1, index));
  const top = state.selected * ROW, room = $('rows').clientHeight - 2 * ROW;
  scrollTo(top < state.place ? top : top > state.place + room ? top - room : state.place);
}
document.addEventListener('keydown', event => {
  const typing = event.target.matches?.('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey;
  if (event.key === 'Escape' && !document.querySelector('dialog[open]')) {
    if (!$('facets').hidden) closeFacets();
    else if (!$('detail').hidden) closeDetail();
  }
  if (typing) return;
  const keys = { '/': () => $('query').select(), '?': () => $('help').showModal(), j: () => select(state.selected + 1),
    k: () => select(state.selected - 1), ArrowDown: () => select(state.selected + 1), ArrowUp: () => select(state.selected - 1),
    Enter: openSelected };
  if (event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement) return;
  const action = keys[event.key] ?? (/^[1-9]$/.test(event.key) ? () => {
    const found = state.catalog.classes[event.key - 1];
    if (found) showQuery(found.query);
  } : null);
  if (action) { event.preventDefault(); action(); }
});
$('new').addEventListener('click', () => createObject(state.class));
$('keys').addEventListener('click', () => $('help').showModal());
document.addEventListener('pointerdown', event => {
  if (!$('facets').contains(event.target)) closeFacets();
});
for (const link of document.querySelectorAll('nav a'))
  link.addEventListener('click', event => {
    const isBack = link.dataset.view === 'rows' && state.view !== 'rows' && state.query !== '';
    event.preventDefault();
    go(link.getAttribute('href'), isBack ? { q: state.query } : {});
  });
addEventListener('resize', draw);
addEventListener('popstate', () => {
  if (mayLeave(location.href)) show(); else history.pushState(null, '', state.address);
});
addEventListener('beforeunload', event => { if (state.form?.isChanged()) event.preventDefault(); });

// ---- Live -----------------------------------------------------------------

// Loads what is seen anew, and forgets the rest.
async function loadRange() {
  const [start, end] = range(), shown = new Set();
  for (let index = start; index < Math.max(end, start + 1); index++) shown.add(Math.floor(index / CHUNK));
  for (const index of [...state.chunks.keys()]) if (!shown.has(index)) state.chunks.delete(index);
  await Promise.all([...shown].map(loadChunk));
}

function loadedPlace(key) {
  for (const [index, chunk] of state.chunks) {
    const place = chunk.keys.indexOf(key);
    if (place >= 0) return index * CHUNK + place;
  }
  return null;
}

// What a person looks at stays where it is: the first visible object is looked for again, and scrolled to.
async function refresh() {
  const catalog = loadCatalog();
  if (state.view === 'file') await showFile();
  else if (state.view === 'changes') await showChanges();
  else if (state.view === 'rows') await refreshRows();
  await catalog;
  if (state.view === 'schema' && await (await question('/schema.txt')).text() !== state.schema) await showSchema();
}

async function refreshRows() {
  if (state.list === undefined) return; // nothing was asked for yet
  const top = firstVisible(), anchor = top > 0 ? rowAt(top)?.key : undefined, turn = state.turn;
  // What is loaded and where the object is may be of two commits, of which one moved it: then once more.
  for (let tries = 0; tries < 5; tries++) {
    try { await loadRange(); } catch (error) { return complain(error); }
    if (anchor === undefined || turn !== state.turn || rowAt(firstVisible())?.key === anchor) break;
    const place = loadedPlace(anchor) ?? (await ask('/place.json', { ...parametersOf(), object: anchor, near: firstVisible() })).place;
    if (place === null || turn !== state.turn) break;
    scrollTo(state.place + (place - firstVisible()) * ROW);
  }
  draw();
  if (!$('detail').hidden && state.detail) showDetail(state.detail);
}

let refreshing = false, again = false;
async function commitCame() {
  if (refreshing) { again = true; return; }
  refreshing = true;
  do { again = false; await refresh().catch(complain); } while (again);
  refreshing = false;
}
// A browser has six connections to a server for all its pages together, so a page that nobody sees holds none.
let events = null;
function listen() {
  if (document.hidden || events) return;
  events = new EventSource('/events');
  events.onmessage = event => { if (JSON.parse(event.data).commit > state.commit) commitCame(); };
}
function rest() {
  events?.close();
  events = null;
}
document.addEventListener('visibilitychange', () => document.hidden ? rest() : listen());
addEventListener('pagehide', rest);
addEventListener('pageshow', listen);

setInterval(() => {
  if (!document.hidden) (state.view === 'file' ? showFile() : sample()).catch(complain);
}, 5000);

show().catch(complain);

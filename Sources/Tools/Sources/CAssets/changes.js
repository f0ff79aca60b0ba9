// SPDX-License-Identifier: MIT
// changes.js -- commits as a time line, and what each of them did.

import { $, ask, element, formsOf, number, shape, visible } from './page.js';

// How many colours there are: studio.css has them.
const COLOURS = 8;
const line = { commits: [], next: 0, at: null, processes: [] };
const WIDTH = 8, HEIGHT = 90, SHOWN = 300;

// Asks for the commits that are new; true if there are more of them.
async function load() {
  const answer = await ask('/commits.json', { from: line.next });
  if (answer.first > (line.commits[0]?.number ?? 0)) line.commits = line.commits.filter(commit => commit.number >= answer.first);
  line.commits.push(...answer.commits);
  line.commits = line.commits.slice(-SHOWN);
  line.next = answer.next;
  for (const commit of answer.commits) {
    if (!line.processes.includes(commit.process)) line.processes.push(commit.process);
  }
  return answer.more;
}

// Bars as high as the logarithm of what was changed, in the colour of the process.
function bars() {
  const most = Math.max(2, ...line.commits.map(commit => commit.count + 1));
  const drawing = shape('svg', { width: Math.max(1, line.commits.length) * WIDTH, height: HEIGHT, class: 'line', 'aria-hidden': 'true' },
    ...line.commits.map((commit, i) => {
      const high = commit.all ? HEIGHT : Math.max(3, HEIGHT * Math.log(commit.count + 1) / Math.log(most));
      const bar = shape('rect', { x: i * WIDTH + 1, y: HEIGHT - high, width: WIDTH - 2, height: high, class: `p${line.processes.indexOf(commit.process) % COLOURS}${commit.number === chosen()?.number ? ' now' : ''}` },
        shape('title', {}, `commit ${commit.commit}, ${commit.time}`));
      bar.addEventListener('click', () => choose(commit.number));
      return bar;
    }));
  return drawing;
}

// The commit that is looked at; while none was chosen, the newest one.
const chosen = () => line.commits.find(commit => commit.number === line.at) ?? line.commits.at(-1);

function choose(at) {
  line.at = at === line.commits.at(-1)?.number ? null : at;
  draw();
}

async function draw() {
  const commit = chosen(), box = $('line');
  const isAtEnd = box.scrollLeft + box.clientWidth >= box.scrollWidth - 4;
  box.replaceChildren(bars());
  $('scrub').min = line.commits[0]?.number ?? 0;
  $('scrub').max = line.commits.at(-1)?.number ?? 0;
  $('scrub').value = commit?.number ?? 0;
  $('scrub').disabled = line.commits.length === 0;
  $('scrub').setAttribute('aria-valuetext', commit ? `commit ${commit.commit}` : 'none');
  $('live').hidden = line.at === null;
  if (line.at === null && isAtEnd) box.scrollLeft = box.scrollWidth;
  else box.querySelector('.now')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  $('processes').replaceChildren(...line.processes.map((process, i) => element('span', { class: `p${i % COLOURS}` },
    `${nameOf(line.commits.find(commit => commit.process === process))} ${process}`.trim())));
  if (!commit) return $('what').replaceChildren(element('p', { class: 'dim' }, 'Nothing was committed since this page looks; whatever any program does from now on is shown.'));
  try {
    const answer = await ask('/commit.json', { number: commit.number });
    if (chosen()?.number === commit.number) $('what').replaceChildren(...told(answer));
  } catch (error) { $('what').replaceChildren(error.message); }
}

// The program of a commit; of one that has ended, the label that it gave its commits.
const nameOf = commit => commit?.program || commit?.label || '';

// The primary key, or else the object key, which looks like none.
const keyOf = change => change.primary === null ? `$key ${change.key}` : visible(String(change.primary)) || '""';

const signs = { created: '+', changed: '~', deleted: '\u2212' };

function told({ number: place, record, program, label, count }) {
  const more = count - record.changes.length;
  return [element('h2', {}, `Commit ${number(record.commit)}`, formsOf('/commit', { number: place })),
    element('p', { class: 'dim' }, [record.time, `process ${record.process}`, program, label].filter(word => word).join(', ')),
    record.all ? element('p', {}, 'Anything may have changed: there was too much to list it, or the schema changed.') : null,
    element('table', {}, ...record.changes.map(change => element('tr', { class: change.change },
      element('td', { title: change.change }, signs[change.change]), element('td', {}, change.class),
      element('td', {}, change.key === 0 ? 'all objects' : change.change === 'deleted' ? keyOf(change)
        : element('a', { href: `/object?${new URLSearchParams({ class: change.class, key: change.key })}` }, keyOf(change))),
      element('td', {}, change.properties.join(', '))))),
    more > 0 ? element('p', { class: 'dim' }, `and ${number(more)} more`) : null].filter(node => node !== null);
}

export async function showChanges() {
  if (!$('line')) {
    $('text').replaceChildren(element('h2', {}, 'Changes', formsOf('/commits')),
      element('div', { id: 'line', tabindex: '-1' }),
      element('p', { class: 'scrub' }, element('input', { id: 'scrub', type: 'range', 'aria-label': 'Commit', oninput: event => choose(Number(event.target.value)) }),
        element('button', { type: 'button', id: 'live', onclick: () => choose(line.commits.at(-1)?.number) }, 'Now')),
      element('p', { id: 'processes' }), element('div', { id: 'what' }));
  }
  while (await load() && $('line')) await draw();
  if ($('line')) await draw();
}
